"""The facts of each variant: who asks, which two times, and what stands in the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from errands.tasks import Build

FRIDAY = date(2026, 11, 13)
PEOPLE = ("Alex", "Jordan", "Robin", "Casey")  # first names that two correspondents share, one a variant
FIRMS = ("tilburnoptics", "harrowgatelamps", "fenwickdials", "ostlerglass")
SURNAMES = ("Moreno", "Ashby", "Okonjo", "Vasquez", "Lindgren", "Petrov")


@dataclass(frozen=True, slots=True)
class Entry:
    """An event of the calendar: a key of the words, a day, and local times. `status` and `response` as the calendar
    has them."""

    title: str
    day: date
    starts: str
    ends: str
    status: str = "confirmed"
    response: str = "accepted"


@dataclass(frozen=True, slots=True)
class Scene:
    """One variant: who asks, the zone of the times in the mail and its name there, the two times, and the calendar."""

    called: str
    surname: str
    namesake: str  # the surname of somebody else who is called the same
    firm: str
    zone: str
    zone_name: str
    times: tuple[tuple[date, str], tuple[date, str]]
    entries: tuple[Entry, ...]


def scene(b: Build) -> Scene:
    """The facts of this variant: the seed's own in variant 0, drawn in the others."""
    mon, tue, wed, thu = (FRIDAY + timedelta(n) for n in (3, 4, 5, 6))
    filler = (Entry("weekly", mon, "10:00", "11:00"), Entry("standup", thu, "09:00", "09:30"))
    zone, zone_name = b.market.zone, "Pacific"
    surname, other = b.rng.sample(SURNAMES, 2)
    entries: tuple[Entry, ...]
    called, firm = PEOPLE[b.variant % len(PEOPLE)], FIRMS[b.variant % len(FIRMS)]
    if b.variant == 0:
        times = (tue, "10:00"), (wed, "15:00")
        entries = (
            Entry("block", tue, "09:00", "11:00"),
            Entry("supplier", wed, "13:00", "14:00"),
            Entry("one_to_one", wed, "16:00", "17:00"),
        )
    elif b.variant == 1:  # the first is free, though a cancelled event and a declined one lie over it
        early, late = b.rng.choice((10, 11)), b.rng.choice((13, 14, 15))
        times = (mon, f"{early + 1}:30"), (thu, f"{late}:00")
        entries = (
            Entry("tour", mon, f"{early + 1}:00", f"{early + 2}:00", status="cancelled"),
            Entry("talk", mon, f"{early + 1}:30", f"{early + 2}:30", response="declined"),
            Entry("block", thu, f"{late - 1}:30", f"{late + 1}:00"),
        )
        filler = (Entry("weekly", tue, "10:00", "11:00"), Entry("standup", thu, "09:00", "09:30"))
    elif (
        b.variant == 2
    ):  # two hours lie between the asker's clock and the owner's: read as hers, the other one is free
        zone, zone_name = "America/Chicago", "Central"
        early, late = b.rng.choice((11, 12)), b.rng.choice((15, 16))
        times = (tue, f"{early}:00"), (wed, f"{late}:00")
        entries = (
            Entry("block", tue, f"{early - 3:02}:30", f"{early - 1:02}:00"),
            Entry("supplier", wed, f"{late}:00", f"{late + 1}:00"),
            Entry("one_to_one", wed, "09:00", "10:00"),
        )
    else:  # neither is free
        early, late = b.rng.choice((9, 10)), b.rng.choice((14, 15))
        times = (wed, f"{early:02}:30"), (thu, f"{late}:00")
        entries = (
            Entry("block", wed, f"{early:02}:00", f"{early + 2}:00"),
            Entry("supplier", thu, f"{late}:00", f"{late + 1}:30"),
        )
    return Scene(called, surname, other, firm, zone, zone_name, times, (*filler, *entries))
