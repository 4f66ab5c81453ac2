"""A fixture as files for a run by hand: formats read back, what comes when, nothing of the key for the product."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default
from html import unescape
from xml.etree import ElementTree as Xml

import icalendar
import pytest
import recurring_ical_events
import vobject
from pydantic import ValidationError

from errands.calibrate.leaks import _inner
from errands.core import clock
from errands.core.canon import digest, sha256
from errands.core.errors import TaskError, UsageError
from errands.export.hand import build, contacts
from errands.export.hand.model import Manifest, Sheet
from errands.export.hand.scene import Put, slug
from errands.export.hand.writers import WRITERS
from errands.tasks.registry import task, tasks
from errands.world import open_world

from .hand import files, instance, scene, sheet, under

EACH = [
    (t.id, sorted(t.contract.front.markets)[n % len(t.contract.front.markets)]) for n, t in enumerate(tasks())
]
OFFICE = [
    ("ec-meeting-cancellation", "jp"),
    ("ec-latest-attachment-retrieval", "th"),
    ("ec-out-of-office-handover", "ae"),
]
DIGEST = ("ev-weekday-digest", "us")
DAY = timedelta(1)


def said_in(path: str, data: bytes) -> str:
    """All that can be read in a file, its name included."""
    if path.endswith(".eml"):
        letter = message_from_bytes(data, policy=default)
        parts = [p.get_content() for p in letter.walk() if not p.is_multipart()]
        texts = [p if isinstance(p, str) else p.decode("utf-8", "replace") for p in parts]
        return "\n".join([path, *map(str, letter.values()), *texts])
    text = data.decode("utf-8", "replace").replace("\r\n ", "")  # .ics and .vcf fold their lines
    return f"{path}\n{text}"


# ---- all errands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "market"), EACH)
def test_every_errand_comes_out_and_nothing_of_the_exam_reaches_the_product(name, market):
    found, it = files(name, market), instance(name, market)
    heard = "\n".join(said_in(p, d) for p, d in under(found, "agent").items()).casefold()
    own = [w for w in _inner(it) if w.casefold() in heard]
    assert not own and "canary" not in heard
    told = sheet(found)
    assert {p.language for p in told.prompts} >= {"en"} and told.prompts[0].text == it.instruction
    assert told.prompts[0].fixture == it.fixture.digest
    assert [r.id for r in told.criteria] == [r.id for r in it.task.contract.criteria]
    assert sum(bool(r.earns) for r in told.criteria) == (5 if told.protocol == "everyday" else 0)
    for p in told.prompts:
        assert found[f"tester/prompt.{p.language}.txt"].decode() == f"{p.text}\n"
    assert json.loads(found["tester/key.json"])["key"] == dict(it.key)


@pytest.mark.slow
@pytest.mark.parametrize("name", [t.id for t in tasks()])
def test_in_every_market_and_variant(name):
    front = task(name).contract.front
    for market in front.markets:
        for variant in range(front.variants):
            assert build.exported(task(name), market, variant)


@pytest.mark.parametrize(("name", "market"), [*OFFICE, DIGEST, ("qf-broadband", "gb")])
def test_the_manifest_has_every_file_but_the_testers_own(name, market):
    found = files(name, market)
    manifest = Manifest.model_validate_json(found["manifest.json"])
    assert set(found) - set(manifest.files) == {"manifest.json", "record.json"}
    assert manifest.files == {p: sha256(found[p]) for p in sorted(manifest.files)}
    assert manifest.digest == digest(manifest.files)
    assert manifest.fixtures == {p.language: p.fixture for p in sheet(found).prompts}


def test_the_same_bytes_whatever_the_machine(tmp_path):
    code = (
        "import sys; from pathlib import Path; from errands.tasks.registry import task\n"
        "from errands.export.hand.build import exported\n"
        "from errands.core.canon import digest, sha256\n"
        "for name, market in (('ec-latest-attachment-retrieval', 'th'), ('ev-weekday-digest', 'us')):\n"
        "    print(digest({p: sha256(d) for p, d in exported(task(name), market, 0).items()}))\n"
    )
    said = set()
    for seed, zone in (("1", "Pacific/Chatham"), ("2", "UTC")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        said.add(done.stdout)
    here = [files("ec-latest-attachment-retrieval", "th"), files(*DIGEST)]
    assert said == {"".join(f"{digest({p: sha256(d) for p, d in found.items()})}\n" for found in here)}


# ---- formats -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "market"), OFFICE)
def test_mails_are_read_back_as_they_are(name, market):
    world = scene(instance(name, market))
    letters = [
        message_from_bytes(d, policy=default)
        for d in under(files(name, market), "agent/mail", ".eml").values()
    ]
    by_id = {str(x["Message-ID"]).strip("<>").partition("@")[0]: x for x in letters}
    rows = world.rows("mail_message")
    assert len(by_id) == len(letters) == len(rows) > 100
    threads = 0
    for row in rows:
        letter = by_id[row["id"]]
        assert str(letter["Subject"]) == " ".join(row["subject"].split())
        body = letter.get_body(("plain",)).get_content()
        assert "\n".join(body.splitlines()).strip() == row["body"].strip()
        assert clock.to_ms(letter["Date"].datetime) == row["at"] // 1_000 * 1_000
        sender = letter["From"].addresses[0]
        assert sender.addr_spec == row["sender"] and sender.display_name == row["sender_name"]
        to = {r["email"] for r in world.rows("mail_recipient") if r["message"] == row["id"]}
        assert {a.addr_spec for h in ("To", "Cc", "Bcc") if letter[h] for a in letter[h].addresses} == to
        attached = {p.get_filename(): p.get_payload(decode=True) for p in letter.iter_attachments()}
        for f in world.rows("mail_file"):
            if f["owner"] == row["id"]:
                assert attached.pop(f["name"]) == f["data"]
        assert not attached
        if row["reply_to"]:
            before = str(letter["References"]).split()
            assert before[-1] == str(letter["In-Reply-To"]).strip() and before[-1].startswith(
                f"<{row['reply_to']}@"
            )
            assert all(b.strip("<>").partition("@")[0] in by_id for b in before)
            threads += 1
    assert threads > 20


@pytest.mark.parametrize(("name", "market"), OFFICE)
def test_calendars_show_the_same_occurrences(name, market):
    """By a library that expands repeating events of its own."""
    world = scene(instance(name, market))
    low, high = (clock.from_ms(int(x), "UTC") for x in json.loads(world.meta["window"]))
    wanted, got = Counter(), Counter()
    for o in world.rows("calendar_occurrence"):
        if clock.to_ms(low + 2 * DAY) < o["starts"] < clock.to_ms(high - 2 * DAY):
            wanted[o["event"], o["starts"]] += 1
    series = {e["id"]: e["series"] or e["id"] for e in world.rows("calendar_event")}
    for path, data in under(files(name, market), "agent/calendar", ".ics").items():
        if path.startswith("people/"):
            continue
        calendar = icalendar.Calendar.from_ical(data)
        zones = {str(z["TZID"]) for z in calendar.walk("VTIMEZONE")}
        for event in calendar.walk("VEVENT"):
            assert {
                x.dt.tzinfo.key for x in (event["DTSTART"], event["DTEND"]) if isinstance(x.dt, datetime)
            } <= zones
        for event in recurring_ical_events.of(calendar).between(low, high):
            at = event["DTSTART"].dt
            if not isinstance(at, datetime):
                at = clock.resolve(datetime.combine(at, datetime.min.time()), world.zone)
            if low + 2 * DAY < at < high - 2 * DAY:
                got[str(event["UID"]).partition("@")[0], clock.to_ms(at)] += 1
    assert got == Counter({(series[e], at): n for (e, at), n in wanted.items()}) and len(got) > 50


def test_zones_change_when_they_do():
    """RFC 5545 3.6.5: each onset on the clock that is left, 1:00 GMT and 2:00 BST in London."""
    found = under(files("ec-meeting-cancellation", "jp"), "agent/calendar", ".ics")
    calendars = [icalendar.Calendar.from_ical(d) for d in found.values()]
    london = next(z for c in calendars for z in c.walk("VTIMEZONE") if z["TZID"] == "Europe/London")
    hours = {}
    for part in london.subcomponents:
        if part.TZOFFSETFROM != part.TZOFFSETTO:
            starts = [part.DTSTART, *(d.dt for d in part["RDATE"].dts)]
            hours[part.name] = {s.hour for s in starts}
            assert all(s.isoweekday() == 7 for s in starts)
    assert hours == {"DAYLIGHT": {1}, "STANDARD": {2}}


@pytest.mark.parametrize(("name", "market"), OFFICE)
def test_events_keep_their_people_and_others_only_their_times(name, market):
    world = scene(instance(name, market))
    events, spans = {}, {}
    for path, data in under(files(name, market), "agent/calendar", ".ics").items():
        for event in icalendar.Calendar.from_ical(data).walk("VEVENT"):
            if path.startswith("people/"):
                assert str(event["SUMMARY"]) == "Busy" and "LOCATION" not in event and "ATTENDEE" not in event
                spans.setdefault(path, []).append(clock.to_ms(event["DTSTART"].dt))
            else:
                events[str(event["UID"]).partition("@")[0]] = event
    others = Counter(b["person"] for b in world.rows("calendar_busy"))
    assert sorted(map(len, spans.values())) == sorted(others.values())
    for row in world.rows("calendar_event"):
        event = events[row["series"] or row["id"]]
        if row["series"]:
            continue
        assert str(event["SUMMARY"]) == row["title"] and str(event["STATUS"]).lower() == row["status"]
        guests = event.get("ATTENDEE", [])
        guests = guests if isinstance(guests, list) else [guests]
        there = {
            a["email"]: a["response"] for a in world.rows("calendar_attendee") if a["event"] == row["id"]
        }
        assert {str(g).removeprefix("mailto:"): g.params["PARTSTAT"].lower() for g in guests} == there


@pytest.mark.parametrize(("name", "market"), OFFICE)
def test_contacts_are_read_back(name, market):
    (data,) = under(files(name, market), "agent/contacts").values()
    cards = list(vobject.readComponents(data.decode()))
    people = {p["id"]: p for p in scene(instance(name, market)).rows("contacts_person")}
    assert len(cards) == len(people) > 10
    for card in cards:
        p = people[card.uid.value]
        assert card.fn.value == p["name"]
        for field, column in (("email", "email"), ("tel", "phone"), ("title", "title")):
            assert (card.contents[field][0].value if field in card.contents else "") == p[column]
        assert (card.org.value[0] if "org" in card.contents else "") == p["org"]
        assert all(x in card.note.value for x in (p["relation"], p["notes"]) if x)


def test_files_are_as_they_are_and_sites_are_served():
    found, world = files("qf-car-dossier", "us"), scene(instance("qf-car-dossier", "us"))
    blobs = {b["digest"]: b["data"] for b in world.rows("files_blob")}
    entries = {e["path"]: blobs[e["blob"]] for e in world.rows("files_entry")}
    assert under(found, "agent/files") == entries and entries
    assert {p.split("/")[1] for p in found if p.startswith("agent/")} == {"files"}, (
        "the site's own tables stay here"
    )
    site = next(a for a in sheet(found).accounts if a.app == "lanewren")
    assert "errands try qf-car-dossier --market us --variant 0" in " ".join(site.how) and not site.files


# ---- what comes when ---------------------------------------------------------------------------------------------


def test_the_agenda_is_in_order_and_brings_its_files():
    found = files(*DIGEST)
    told = sheet(found)
    assert told.steps[0].act == "prompt" and told.steps[-1].act == "end"
    assert [s.after_s for s in told.steps] == sorted(s.after_s for s in told.steps)
    begins = clock.read_iso(told.begins, told.zone)
    assert all(clock.read_iso(s.at, told.zone) - begins == s.after_s * 1_000 for s in told.steps)
    brought = [f for s in told.steps for f in s.files]
    assert sorted(brought) == sorted(p for p in found if p.startswith("agent/later/")) and brought
    at = {s.at for s in told.steps if s.act == "say"}
    assert at == {"2026-11-23T10:00-08:00"} and told.until == "2026-11-24T09:10-08:00"
    key = json.loads(found["tester/key.json"])["key"]
    for n, note in enumerate(key["notes"][1:], 1):
        step = next(s for s in told.steps if note["number"] in s.text)
        assert step.act == "put in" and step.at < clock.iso(key["due"][n], told.zone)
        atom = next(found[f] for f in step.files if f.endswith(".atom"))
        first = Xml.fromstring(atom).find("{http://www.w3.org/2005/Atom}entry")
        assert note["number"] in first[1].text and first[4].text in step.text
        early = "".join(said_in(p, d) for p, d in under(found, "agent/feeds").items())
        assert note["number"] not in early, "nothing is there before its time"


def test_feeds_in_three_forms_say_the_same():
    found = files(*DIGEST)
    folders = {p.rpartition("/")[0] for p in under(found, "agent/feeds")}
    rows = {r["id"]: r for r in scene(instance(*DIGEST)).rows("feeds_item")}
    for folder in folders:
        forms = under(found, f"agent/feeds/{folder}")
        assert set(forms) == {"feed.atom", "index.html", "items.txt"}
        entries = Xml.fromstring(forms["feed.atom"]).findall("{http://www.w3.org/2005/Atom}entry")
        assert entries
        for e in entries:
            row = rows[e[0].text.rpartition(":")[2]]
            for form in forms.values():
                assert row["subject"] in form.decode() and row["body"] in unescape(form.decode())


def test_conversations_begin_anew_where_they_do_and_the_user_says_what_she_says():
    it = instance("ev-preference-update", "us")
    told = sheet(files("ev-preference-update", "us"))
    said = [(s.act, s.text) for s in told.steps if s.act in ("say", "new conversation")]
    assert [t for _, t in said] == it.key.asks[1:]
    assert [a for a, _ in said] == ["new conversation", "say", "new conversation", "say", "new conversation"]
    assert "empty memory" in " ".join(h for a in told.accounts if a.app == "memory" for h in a.how)


def test_a_variant_says_what_is_particular_to_it():
    told = sheet(files("ev-preference-update", "us", 2))
    assert told.this_variant.startswith("Variant 2 (restraint)") and "stored nowhere" in told.this_variant
    assert told.nothing == "2 of 10, partial (0 0 0 0 2); gated 1"


def test_what_earns_points_stands_beside_each_criterion():
    rows = {r.id: r for r in sheet(files(*DIGEST)).criteria}
    assert rows["five_deliveries"].earns == {"2": "all five have one", "1": "four", "0": "neither"}
    assert set(rows["stops"].earns) == {"2", "1", "0", "not observed"} and not rows["scope"].earns
    late = [e for e in rows["on_time"].examples if e.points == 1]
    assert [e.what for e in late] == ["is forty minutes late on the second day"]
    moved = next(r for r in sheet(files("ec-meeting-cancellation", "jp")).criteria if r.kind == "boundary")
    assert not moved.earns and moved.examples


def test_the_user_speaks_each_language_of_the_prompt_and_refuses_first():
    told = sheet(files("ec-meeting-cancellation", "jp"))
    assert [p.language for p in told.prompts] == ["en", "ja"]
    assert len({p.fixture for p in told.prompts}) == 2
    user = told.scripts[0]
    assert user.person == "user" and [p.language for p in user.phrases] == ["en", "ja"]
    assert any("はい" in line.says for line in user.phrases[1].lines)
    no = next(n for n, x in enumerate(user.lines) if x.when.startswith("what is shown goes to"))
    yes = next(n for n, x in enumerate(user.lines) if x.when.startswith("shown a draft"))
    assert no < yes


# ---- the files ---------------------------------------------------------------------------------------------------


def test_a_sheet_with_an_unknown_key_is_refused():
    raw = json.loads(files(*DIGEST)["tester/sheet.json"])
    assert Sheet.model_validate(raw).task == DIGEST[0]
    for where in (raw, raw["steps"][0], raw["criteria"][0]):
        where["more"] = 1
        with pytest.raises(ValidationError, match="more"):
            Sheet.model_validate(raw)
        del where["more"]


def test_a_file_that_would_tell_the_product_where_it_is_stops_the_export(monkeypatch):
    def told(app, scene, since):
        return Put({"mail/a.txt": scene.meta["task"].encode()})

    monkeypatch.setitem(WRITERS, "mail", told)
    with pytest.raises(TaskError, match="ev-weekday-digest"):
        build.exported(task("ev-weekday-digest"), "us", 1)


def test_without_its_libraries_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "vobject", None)
    with pytest.raises(UsageError, match=r"errands\[hand\]"):
        contacts.library()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Re: 9月分の検収数について", "re-9月分の検収数について"),
        ("นัดประชุม", "นัดประชุม"),
        ("../../etc/passwd", "etc-passwd"),
        ("  ", "item"),
        ("a" * 99, "a" * 40),
    ],
)
def test_names_of_files_are_plain(title, name):
    assert slug(title) == name and "/" not in slug(title)


def test_the_fixture_is_left_as_it_is():
    it = instance(*DIGEST)
    before = sha256(it.fixture.blob)
    build.exported(task(DIGEST[0]), "us", 0)
    assert sha256(it.fixture.blob) == before and open_world(it.fixture.blob).ledger.seq == 0
