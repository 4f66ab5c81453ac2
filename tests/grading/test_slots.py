"""Days of a week with a time, as people write them."""

from __future__ import annotations

from datetime import date

import pytest

from errands.core import clock
from errands.grading.slots import LOCAL, find_slots

MONDAY = date(2026, 11, 23)


def read(text: str) -> str:
    """`Tue 14:00` for each slot, in UTC; `Tue` for a day alone, `?` for one of another week."""
    found = []
    for s in find_slots(text, MONDAY):
        day = f"{s.day:%a}" if s.day else "?"
        found.append(f"{day} {clock.iso(s.starts, 'UTC')[11:16]}" if s.starts else day)
    return ", ".join(found)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Tuesday 14", "Tue 14:00"),
        ("Tue 14:00 UTC", "Tue 14:00"),
        ("Tuesday, 24 November 2026, 14:00 UTC", "Tue 14:00"),
        ("Tuesday, Nov 24 at 2 pm UTC", "Tue 14:00"),
        ("Tuesday Nov 24, 2:00 PM UTC", "Tue 14:00"),
        ("14:00 UTC on Tuesday", "Tue 14:00"),
        ("2026-11-24 14:00 UTC", "Tue 14:00"),
        ("2026-11-24T14:00Z", "Tue 14:00"),
        ("Monday 10 or Tuesday 14 UTC", "Mon 10:00, Tue 14:00"),
        ("Monday 10:00 or 12:00 and Tuesday 14:00", "Mon 10:00, Mon 12:00, Tue 14:00"),
        ("Tuesday 14:00–15:00 UTC", "Tue 14:00"),
        ("Tuesday 14:00 UTC (15:00 Berlin, 09:00 New York)", "Tue 14:00, Tue 14:00, Tue 14:00"),
        ("Tuesday at 15:00 CET", "Tue 14:00"),
        ("Tuesday works", "Tue"),
        ("Tuesday (24 Nov) 14:00", "Tue 14:00"),
        ("Tuesday 24 November", "Tue"),
        ("Tuesday 24, 14:00", "Tue 14:00"),
        ("Tue 24 Nov 14:00 UTC", "Tue 14:00"),
        ("Wednesday 11 AM UTC", "Wed 11:00"),
        ("1400 UTC Tuesday", "Tue 14:00"),
        ("Tuesday, 2:00 p.m. UTC", "Tue 14:00"),
        ("Tuesday 14h", "Tue 14:00"),
        ("Mon 10:00, Tue 14:00", "Mon 10:00, Tue 14:00"),
        ("Tuesday 17 November 14:00", "?"),
        ("Tuesday 14:00 UTC / 15:00 Europe/Berlin", "Tue 14:00, Tue 14:00"),
        ("Tuesday at 15:00 her time", "Tue"),
        ("Tuesday at 14:00 UTC+1", "Tue 13:00"),
        ("11/24 at 14:00", "Tue 14:00"),
        ("Tuesday, November 24th, 2026 at 14:00 UTC", "Tue 14:00"),
        ("Tuesday — 14:00 UTC", "Tue 14:00"),
        ("Tuesday (14:00 UTC)", "Tue 14:00"),
        ("Tuesday, 24 Nov, 14:00 UTC (06:00 your time)", "Tue 14:00, Tue"),
        ("Monday at 10 and Tuesday at 14", "Mon 10:00, Tue 14:00"),
        ("We are 14 people on Tuesday", "Tue"),
        ("In 2026 there were 12", ""),
        ("Saturday noon", "Sat 12:00"),
        ("Tuesday 14:00 to 15:00 UTC", "Tue 14:00"),
        ("Room 14, Tuesday", "Tue"),
        ("Tuesday at 99:00", "Tue"),
        ("at 14:00", ""),
    ],
)
def test_slots_in_a_sentence(text, slots):
    assert read(text) == slots


def test_the_zone_that_is_meant_where_none_is_written():
    (slot,) = find_slots("Tuesday 14:00", MONDAY, "America/New_York")
    assert slot.starts is not None and clock.iso(slot.starts, "UTC")[11:16] == "19:00" and slot.zone == ""


def test_zones_as_written():
    found = find_slots("Tuesday 14:00 UTC (15:00 Berlin, 09:00 New York, 06:00 your time)", MONDAY)
    assert [s.zone for s in found] == ["UTC", "Europe/Berlin", "America/New_York", LOCAL]
