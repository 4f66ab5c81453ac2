"""Apps without a format of their own, and events of any kind: readable for a person, closed for the product."""

from __future__ import annotations

import csv
import io

import pytest

from errands.export.hand.build import access, faults
from errands.export.hand.passing import passing
from errands.export.hand.scene import Scene
from errands.export.hand.scripts import scripts
from errands.export.hand.writers import written
from errands.people.brief import Brief, Correction, Fact, Refusal, seat
from errands.world import app, open_world
from errands.world.fixture import Draft

from .hand import BRIEF, DRILL, HOUR, NOW, lending, scene, world_of


@pytest.fixture(scope="module")
def put():
    return written(lending, scene(world_of("lending")))


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_rows_are_as_a_person_reads_them(put):
    assert set(put.files) == {"lending/index.html", "lending/thing.csv", "lending/shelf.csv"}
    (row,) = rows(put.files["lending/thing.csv"])
    assert row == {
        "Shelf": "Back room",
        "Title": "Ladder, three metres",
        "Fee": "$4.50",
        "Tags": "tall, aluminium",
        "Back": "Tue 17 Nov 2026, 14:00",
    }
    page = put.files["lending/index.html"].decode()
    assert all(v in page for v in row.values()) and "thg_x7k2m9" not in page and "<script" not in page


def test_what_no_tool_shows_is_for_the_tester_alone(put):
    told = "\n".join(f"{p}\n{d.decode()}" for p, d in put.files.items())
    for hidden in ("wobbles", "grade", "Rowan", "Lending desk", "10:00", "clerk"):
        assert hidden.casefold() not in told.casefold(), hidden
    assert put.withheld["Thing"] == [
        {"Title": "Ladder, three metres", "Grade": "7", "Secret": "wobbles on the left"}
    ]
    (taken,) = put.withheld["Taken"]
    assert taken == {
        "Thing": "Ladder, three metres",
        "Start": "Tue 17 Nov 2026, 10:00",
        "End": "Tue 17 Nov 2026, 11:00",
    }
    hours = "Tue 17 Nov 2026, 09:00, Tue 17 Nov 2026, 10:00"
    assert put.withheld["Duty"] == [{"Clerk": "Rowan", "Hours": hours}]


def test_whoever_speaks_there_becomes_a_script(put):
    (name,) = put.voices
    assert name == "Lending: Rowan"
    assert list(put.voices[name]) == [
        ("greeting", BRIEF["greeting"]),
        ("asked about hours", "Until six."),
        ("hours", "at: 18:30; free: 2"),
    ]
    assert "greeting" not in str(put.withheld)


def test_the_tester_hears_what_the_service_offers(put):
    assert put.how[0].startswith("Set up lending as ") and "1 row of thing" in put.how[0]
    assert "look up: things, desk, free" in put.how[1]


def test_what_comes_and_goes_later_is_said_and_written():
    fixture = world_of(
        "lending",
        later=(
            (NOW + HOUR // 4, "lending.arrives", DRILL),
            (NOW + HOUR // 2, "lending.leaves", {"id": DRILL["id"]}),
        ),
    )
    _, (came, went), until = passing(fixture.blob)
    assert until is None and [m.at - NOW for m in (came, went)] == [HOUR // 4, HOUR // 2]
    put = written(lending, came.after, came.before)
    assert put.how == (
        "New in Thing: Shelf: Back room; Title: Drill with a case; Fee: $12.00; Tags: tall, aluminium;"
        " Back: Tue 17 Nov 2026, 14:00.",
        "From now on, where you are asked (Thing): Title: Drill with a case; Grade: 7; Secret: blunt.",
    )
    assert [r["Title"] for r in rows(put.files["lending/thing.csv"])] == ["Drill with a case"]
    assert "blunt" not in str(put.files)
    gone = written(lending, went.after, went.before)
    assert not gone.files and gone.how[0].startswith("Remove from Thing: Shelf: Back room; Title: Drill")


def test_a_closed_table_stays_closed_when_what_it_holds_is_said():
    fixture = world_of("lending", later=((NOW + HOUR, "lending.told", {"title": "Open until ten tonight"}),))
    _, (moment,), _ = passing(fixture.blob)
    put = written(lending, moment.after, moment.before)
    assert set(put.files) == {"lending/index.html", "lending/thing.csv"}
    assert put.how[-1] == (
        "From now on, where you are asked (Duty): Clerk: Rowan; Hours: Open until ten tonight."
    )


def test_time_that_the_reading_takes_brings_nothing_forward():
    """The walker's own calls take world time: what comes a second later must not be there."""
    fixture = world_of("lending", later=((NOW + 1_000, "lending.arrives", DRILL),))
    assert "Drill" not in str(written(lending, scene(fixture)).files)


def test_an_app_that_nothing_reads_shows_nothing():
    d = Draft(("bureau", "clock", "people"))
    d.insert("bureau_inquiry", id="inq_1", kind="hard", by_whom="a lender", session="s", at=NOW)
    meta = {"task": "t", "market": "us", "language": "en", "owner": "m@x.example", "owner_name": "M"}
    fixture = d.finish(now=NOW, zone="UTC", variant="0", instruction="x", **meta)
    put = written(app("bureau"), scene(fixture))
    assert not put.files and put.withheld["Inquiry"][0]["By whom"] == "a lender"


def test_access_is_taken_back_and_words_are_said_at_their_minute():
    fixture = world_of(
        "mail",
        later=(
            (NOW + HOUR, "connector.revoked", {"app": "mail", "scope": "mail.read"}),
            (NOW + HOUR, "user.speaks", {"text": "I took your access away."}),
            (NOW + 2 * HOUR, "user.returns", {"text": "Hello again."}),
        ),
        until=NOW + 90 * 60_000,
    )
    _, moments, until = passing(fixture.blob)
    assert until == NOW + 90 * 60_000, "what lies behind the window does not happen"
    (moment,) = moments
    assert list(access(moment)) == ["Take the product's access to mail back: it may no longer use mail.read."]
    assert moment.said == (("I took your access away.", "say"),) and moment.at == NOW + HOUR


def test_a_declared_fault_is_told_to_the_tester():
    d = Draft(("mail", "clock", "people"))
    row = {
        "skip": 2,
        "times": 3,
        "applied": 0,
        "answered": 1,
        "code": "unavailable",
        "delay_ms": 0,
        "lag_ms": 0,
    }
    d.insert("exam_fault", id="flt_1", tool="mail_search", **row)
    fixture = d.finish(now=NOW, zone="UTC", task="t", market="us", variant="0", owner="m@x.example")
    (said,) = faults(fixture.blob)
    assert said.startswith("mail_search: after 2 calls it fails 3 times (unavailable).")


def test_a_brief_is_a_script():
    d = Draft(("mail", "clock", "people"))
    brief = Brief(
        goal="a table",
        facts=(
            Fact(id="budget", about="budget", answer="Forty dollars."),
            Fact(
                id="diet",
                asked=("vegetarian",),
                answer="No fish.",
                corrected=Correction(after_ms=300_000, words="I was wrong.", answer="Fish is fine."),
            ),
        ),
        approves=("draft",),
        refuses=(Refusal(to="tan@x.example", why="Not to Tan."),),
        refusal="Not today.",
        until_ms=600_000,
    )
    seat(d, brief, languages=("ja", "en"))
    fixture = d.finish(now=NOW, zone="UTC", task="t", market="us", variant="0", owner="m@x.example")
    (user,) = scripts(fixture.blob, ["en", "ja"])
    told = {line.when: line.says for line in user.lines}
    assert told["clearly asked about the budget"] == "Forty dollars."
    assert told["clearly asked about diet (in words such as vegetarian)"] == "No fish."
    later = next(w for w in told if w.startswith("5 minutes after"))
    assert told[later] == "I was wrong." and "Fish is fine." in later
    assert told["what is shown goes to tan@x.example"].endswith("Not to Tan.")
    assert told["asked to allow anything else that cannot be taken back"] == "no. Not today."
    assert told["you have said yes"] == "(the yes holds for 10 minutes)"


def test_memory_and_mail_that_change_on_the_way():
    d = Draft(("memory", "mail", "clock", "people"))
    d.insert("memory_entry", id="mem_1", text="likes tea", saved=NOW, changed=NOW)
    message = {"thread": "t", "folder": "inbox", "sender": "a@x.example", "sender_name": "Al", "reply_to": ""}
    d.insert(
        "mail_message", id="msg_1", subject="Old", body="One.", at=NOW, unread=1, labels='["Home"]', **message
    )
    meta = {"task": "t", "market": "us", "language": "en", "owner": "m@x.example", "owner_name": "M"}
    world = open_world(d.finish(now=NOW, zone="UTC", variant="0", instruction="x", **meta).blob)
    before = Scene.of(world)
    memory = written(app("memory"), before)
    assert memory.files == {"memory/entries.txt": b"likes tea\n"} and "empty memory" in memory.how[0]
    world.run("DELETE FROM memory_entry")
    world.insert(
        "mail_message", id="msg_2", subject="New", body="Two.", at=NOW, unread=0, labels="[]", **message
    )
    world.run("DELETE FROM mail_message WHERE id = 'msg_1'")
    after = Scene.of(world)
    world.close()
    assert written(app("memory"), after, before).how == ("Let the product forget: “likes tea”.",)
    mail = written(app("mail"), after, before)
    assert set(mail.files) == {"mail/inbox/0001-2026-11-17-new.eml", "mail/index.csv"}
    assert mail.how == (
        "Let the message “New” of Al arrive now (inbox).",
        "Delete the message “Old” of Al.",
    )
    (line,) = rows(written(app("mail"), before).files["mail/index.csv"])
    assert (line["unread"], line["labels"], line["folder"]) == ("yes", "Home", "inbox")


def test_drafts_and_automatic_replies():
    d = Draft(("mail", "clock", "people"))
    draft = {"reply_to": "", "recipients": '["b@x.example"]', "cc": "[]", "bcc": "[]", "at": NOW}
    d.insert("mail_draft", id="drf_1", subject="Plan für Ü", body="Later.", **draft)
    away = {
        "starts": NOW,
        "ends": NOW + HOUR,
        "subject": "Away",
        "body": "Back soon.",
        "audience": "everyone",
    }
    d.insert("mail_auto_reply", id="aut_1", **away)
    meta = {"task": "t", "market": "us", "language": "en", "owner": "m@x.example", "owner_name": "M"}
    put = written(app("mail"), scene(d.finish(now=NOW, zone="UTC", variant="0", instruction="x", **meta)))
    assert b"X-Unsent: 1" in put.files["mail/drafts/0001-plan-für-ü.eml"]
    assert b"Goes to: everyone" in put.files["mail/automatic-reply-1.txt"] and len(put.how) == 3


def test_calendar_events_that_are_called_off_later():
    from errands.apps.calendar import seed as calendar_seed

    d = Draft(("calendar", "clock", "people"))
    me = "m@x.example"
    calendar_seed.calendar(d, id="cal_work", name="Work", owner=me, zone="UTC")
    for ident, title in (("evt_1", "Review"), ("evt_2", "Lunch")):
        people = [(me, "M", "accepted"), ("sam@x.example", "Sam", "tentative")]
        calendar_seed.event(
            d,
            id=ident,
            calendar="cal_work",
            title=title,
            starts=NOW + HOUR,
            ends=NOW + 2 * HOUR,
            zone="UTC",
            organizer="sam@x.example",
            attendees=people,
        )
    meta = {"task": "t", "market": "us", "language": "en", "owner": me, "owner_name": "M"}
    world = open_world(d.finish(now=NOW, zone="UTC", variant="0", instruction="x", **meta).blob)
    before = Scene.of(world)
    world.update("calendar_event", "evt_1", status="cancelled", version=2)
    after = Scene.of(world)
    world.close()
    put = written(app("calendar"), after, before)
    assert "call off the event “Review” of 2026-11-17 18:00 (UTC)" in put.how[0]
    (data,) = put.files.values()
    assert data.count(b"BEGIN:VEVENT") == 1 and b"STATUS:CANCELLED" in data and b"SEQUENCE:1" in data
