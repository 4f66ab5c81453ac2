"""The walker and the hunter: they find what is there, and say what is missing or shown too much."""

from __future__ import annotations

from dataclasses import replace

import apsw
import pytest

from errands.calibrate.leaks import leaks
from errands.calibrate.solvable import find as source
from errands.calibrate.solvable import unsolved, without
from errands.calibrate.walk import walked
from errands.tasks.registry import tasks
from errands.tasks.task import Instance
from errands.world import app
from errands.world.fixture import Fixture

from .rows import ids

BOOKING = next(t for t in tasks() if t.id == "ec-double-booking-resolution")


def booked() -> Instance:
    return BOOKING.instance("sg", 0)


def test_all_records_of_a_world_can_be_read():
    heard = "\n".join(walked(booked().fixture.blob))
    assert [i for i in ids(booked().fixture.blob) if f'"{i}"' not in heard] == []


def test_every_record_that_is_needed_is_missed_when_it_is_gone():
    assert list(unsolved(booked(), thorough=True)) == []


@pytest.mark.parametrize("record", sorted({r for rs in booked().needs.values() for r in rs}))
def test_without_a_source_the_walk_says_which(record):
    one = booked()
    gone = without(one.fixture.blob, source(one.fixture.blob, record))
    assert any(record in said for said in unsolved(replace(one, fixture=Fixture("", gone))))


def test_a_source_that_no_call_reaches_is_told(monkeypatch):
    mail = app("mail")
    closed = {n: t for n, t in mail.tools.items() if n not in ("mail_thread", "mail_message", "mail_search")}
    monkeypatch.setattr(mail, "tools", closed)
    walked.cache_clear()
    said = list(unsolved(booked()))
    walked.cache_clear()
    assert any("cannot be read by any call" in s for s in said)


def test_a_criterion_without_a_stated_need_is_told():
    one = replace(booked(), needs={})
    assert {s.partition(" ")[0] for s in unsolved(one)} == {"moved", "noted", "rule_stated", "honest"}


def test_what_can_be_had_elsewhere_is_told():
    """An answer quotes the guideline whole: then the guideline itself need not be read."""
    one = booked()
    record = one.needs["rule_stated"][0]
    db = apsw.Connection(":memory:")
    db.deserialize("main", one.fixture.blob)
    [(body,)] = db.execute("SELECT body FROM mail_message WHERE id = ?", (record,))
    [(twin,)] = db.execute("SELECT min(id) FROM mail_message WHERE id <> ?", (record,))
    db.execute("UPDATE mail_message SET body = ?, reply_to = ? WHERE id = ?", (body, record, twin))
    quoted = replace(one, fixture=Fixture("", db.serialize("main")))
    assert list(unsolved(quoted, thorough=True)) == [
        f"{record} can be done without: what it says stands elsewhere too"
    ]


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("an id of the key in a tool's description", "moves {move}"),
        ("the task's id", "see ec-double-booking-resolution"),
        ("the canary", "ERRANDS-CANARY 6e6c9a44-0e1c-4b57-9a50-1f0d1e2b7c31"),
        ("a criterion's words", "every attendee is addressed once and reads the right time"),
        ("a wrong result's name", "never moved_onto_holiday"),
    ],
)
def test_what_is_shown_too_much_is_found(monkeypatch, where, text):
    assert list(leaks(booked())) == []
    tool = app("calendar").tools["calendar_update_event"]
    spec = replace(tool.spec, description=text.format(**dict(booked().key)))
    monkeypatch.setattr(tool, "spec", spec)
    assert list(leaks(booked())), where
