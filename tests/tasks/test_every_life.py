"""The life of every market: full, consistent, invented, its dates right and nothing said twice."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest

from errands.core import clock
from errands.grading.compare.dates import find_dates
from errands.languages.text import plain
from errands.markets import Market, codes, load_market
from errands.markets.calendar import is_holiday, is_workday
from errands.markets.writing import load_writing
from errands.tasks import life
from errands.tasks.life import settle, start_of
from errands.world.fixture import MAX_WORLD, Draft

from .desk import AUDIT, EACH, INSTANCES, rows
from .test_life import texts_of

APPS = ("mail", "calendar", "contacts", "files", "user", "clock", "people")
HAND_WRITTEN = 150  # messages of a base life


@cache
def base(code: str) -> Draft:
    """The life alone, without any errand."""
    d = Draft(APPS)
    settle(d, load_market(code), start_of(load_market(code)))
    return d


def mails(blob: bytes) -> list[dict[str, Any]]:
    names = ("id", "thread", "folder", "sender", "subject", "body", "at", "reply_to", "unread", "labels")
    sql = f"SELECT {', '.join(names)} FROM mail_message"
    return [dict(zip(names, r, strict=True)) for r in rows(blob, sql)]


def local(market: Market, ms: int) -> Any:
    return clock.from_ms(ms, market.zone)


def script_bodies(code: str) -> list[tuple[str, str]]:
    """Bodies of the audit's threads with every ending, dates not filled in: what any variant might show."""
    if code not in AUDIT.contract.front.markets:
        return []
    _, scripts = import_module(f"{AUDIT.package}.script").scripts(AUDIT.package, code)
    return [(s.id, m.body) for s in scripts for m in (*s.message, *(m for e in s.ending for m in e.message))]


@pytest.mark.parametrize("code", codes())
def test_it_is_a_full_life(code):
    market = load_market(code)
    found = base(code).all("SELECT thread, folder, sender, body, at FROM mail_message")
    assert len(found) >= HAND_WRITTEN
    assert len({m["thread"] for m in found}) >= 40
    folders = [m["folder"] for m in found]
    assert all(folders.count(f) >= 20 for f in ("inbox", "sent", "archive"))
    first = local(market, min(m["at"] for m in found)).date()
    assert local(market, start_of(market)).date() - first >= timedelta(days=75)
    people = base(code).all("SELECT email FROM contacts_person")
    assert len(people) >= 30 and len({p["email"] for p in people}) == len(people)
    pairs = {frozenset((a, b)) for a, p in market.people.items() for b in p.alike}
    assert len(pairs) >= 5
    assert all(a in market.people[b].alike for p in pairs for a, b in (sorted(p), sorted(p, reverse=True)))


@pytest.mark.parametrize("instance", **EACH)
def test_a_world_is_small(instance):
    assert len(instance.fixture.blob) <= MAX_WORLD


# A sentence of more than so many letters that stands twice was copied; shorter ones are greetings and thanks.
LONG = {"ko": 14, "ja": 16, "zh-Hant": 12, "th": 34, "ar": 36, "en": 30}


def long(code: str) -> int:
    return LONG.get(load_market(code).languages[0], 30)


def sentences(code: str, body: str) -> set[str]:
    out = set()
    for line in body.splitlines():
        for s in re.split(r"(?<=[.!?。！？؟])\s*", line):
            folded = re.sub(r"[\W_]+", "", s.casefold())
            if len(folded) > long(code):
                out.add(folded)
    return out


def known_words(code: str) -> list[str]:
    """What may stand in many mails: names, firms, titles; longest first."""
    market = load_market(code)
    words = {"With best regards", "Kind regards", "السلام عليكم ورحمة الله وبركاته", "المحترم", "المحترمة"}
    for m in market.registers.values():
        words |= {m.closing or ""}
    for p in market.people.values():
        words |= {p.name, p.called, p.formal, p.org or "", p.title or "", f"{p.org or ''} {p.name}"}
        words |= {f"{p.title or ''} {p.name}", f"{p.org or ''} {p.title or ''} {p.name}"}
    return {re.sub(r"[\W_]+", "", w.casefold()) for w in words}


@pytest.mark.parametrize("code", codes())
def test_no_sentence_is_twice_in_what_is_written_by_hand(code):
    where = defaultdict(list)
    known = known_words(code)
    bodies = [(t.id, m.body) for t in life.threads(code) for m in t.message] + script_bodies(code)
    for place, body in bodies:
        for s in sentences(code, body):
            rest = s
            for k in known:
                rest = rest.replace(k, "")
            if len(rest) > long(code):  # more than a greeting, an introduction or a signature
                where[s].append(place)
    assert {s: places for s, places in where.items() if len(places) > 1} == {}


@pytest.mark.parametrize("code", codes())
def test_weekdays_fit_their_dates_in_every_body(code):
    """A date that contradicts its weekday has no value; nor has one that does not exist."""
    market, wrong, count = load_market(code), [], 0
    bodies: dict[str, date] = {}
    for i in INSTANCES:
        if i.market == code:
            bodies |= {m["body"]: local(market, m["at"]).date() for m in mails(i.fixture.blob)}
    for body, on in bodies.items():
        for f in find_dates(body, market.date_order, on):
            if not re.search(r"\d", f.words):
                continue  # a weekday alone: every Monday, last Friday
            count += 1
            if f.value is None:
                wrong.append((f.words, body[:60]))
    assert wrong == []
    assert count >= 50


@pytest.mark.parametrize("code", sorted(AUDIT.contract.front.markets))
def test_every_ending_of_every_thread_could_be_built(code):
    """Also those that no variant draws: on days that are there, before now, with dates that fit their weekdays."""
    script = import_module(f"{AUDIT.package}.script")
    market, now = load_market(code), life.load_life(code).now
    for s in script.scripts(AUDIT.package, code)[1]:
        writing = load_writing(code, s.language)
        for ending in s.ending:
            at, due = s.start, {}
            lines = [*s.message, *ending.message]
            for a in (a for m in lines for a in m.act if a.due and a.due.pick):
                first, last = a.due.pick
                span = [first + timedelta(n) for n in range((last - first).days + 1)]
                days = [d for d in span if is_workday(market, d)]
                assert days and days[0] >= now.date(), (s.id, ending.name, a.item)
                due[a.due.slot] = days[0]
            for n, m in enumerate(lines):
                at += life.pause(m.after) if m.after else timedelta(0)
                assert at < now, (s.id, ending.name, n)
                for f in find_dates(m.text(writing, due), market.date_order, at.date()):
                    assert f.value is not None or not re.search(r"\d", f.words), (s.id, ending.name, f.words)


@pytest.mark.parametrize("instance", **EACH)
def test_threads_run_forward_and_nothing_is_in_the_future(instance):
    now = start_of(load_market(instance.market))
    found = {m["id"]: m for m in mails(instance.fixture.blob)}
    assert max(m["at"] for m in found.values()) < now
    threads = defaultdict(list)
    for m in sorted(found.values(), key=lambda m: (m["thread"], m["at"])):
        threads[m["thread"]].append(m)
    for ms in threads.values():
        assert all(a["at"] < b["at"] for a, b in pairwise(ms)), ms[0]["subject"]
        assert ms[0]["reply_to"] == ""
        assert {m["subject"].removeprefix("Re: ") for m in ms} == {ms[0]["subject"].removeprefix("Re: ")}


@pytest.mark.parametrize("instance", **EACH)
def test_it_is_one_persons_mailbox(instance):
    """The owner is in every mail; her own are in `sent`, others' are not; only yesterday's may be unread."""
    market = load_market(instance.market)
    owner, now = market.people[market.owner].email, start_of(market)
    to = defaultdict(set)
    for message, email in rows(instance.fixture.blob, "SELECT message, email FROM mail_recipient"):
        to[message].add(email)
    for m in mails(instance.fixture.blob):
        mine = m["sender"] == owner
        assert mine or owner in to[m["id"]], m["subject"]
        assert (m["folder"] == "sent") == mine
        assert m["sender"] not in to[m["id"]]
        assert not m["unread"] or (not mine and m["at"] > now - 2 * 86_400_000)


@pytest.mark.parametrize("instance", **EACH)
def test_the_office_writes_on_working_days(instance):
    market = load_market(instance.market)
    me = market.people[market.owner]
    colleagues = {p.email for p in market.people.values() if p.org == me.org and not p.zone} - {me.email}
    for m in mails(instance.fixture.blob):
        when = local(market, m["at"])
        if m["sender"] in colleagues:
            assert is_workday(market, when.date()), (m["subject"], when)
            assert 7 <= when.hour < 22, (m["subject"], when)


@pytest.mark.parametrize("code", codes())
def test_public_holidays_stand_in_the_calendar_in_the_local_language(code):
    market = load_market(code)
    shown = {
        (local(market, e["starts"]).date(), e["title"])
        for e in base(code).all("SELECT title, starts FROM calendar_event WHERE calendar = 'cal_holidays'")
    }
    now = local(market, start_of(market)).date()
    near = [h for h in market.holidays if abs((h.date - now).days) < 100]
    assert near
    for h in near:
        assert (h.date, h.names.get(market.languages[0], h.name)) in shown and is_holiday(market, h.date)


ADDRESS = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)", re.ASCII)
PHONE = re.compile(r"(?<![\w/.:-])(?:\+\d{1,3}[ -]?)?\(?0?\d{1,3}\)?[ -]\d{3,4}[ -]\d{4}(?![\w-])", re.ASCII)


@pytest.mark.parametrize("instance", **EACH)
def test_every_address_is_an_example_and_every_number_of_the_cast(instance):
    domains = {d.lower() for t in texts_of(instance.fixture.blob) for d in ADDRESS.findall(plain(t))}
    assert domains and all(d.endswith(".example") for d in domains), domains
    known = {re.sub(r"\D", "", p.phone)[-8:] for p in load_market(instance.market).people.values()}
    for m in mails(instance.fixture.blob):
        for number in PHONE.findall(plain(m["body"])):
            assert re.sub(r"\D", "", number)[-8:] in known, (number, m["subject"])


@pytest.mark.parametrize("instance", **EACH)
def test_everyone_who_writes_is_known(instance):
    cast = {p.email for p in load_market(instance.market).people.values()}
    found = mails(instance.fixture.blob)
    machines = {m["sender"] for m in found} - cast
    assert len(machines) <= 8
    assert all(m["reply_to"] == "" for m in found if m["sender"] in machines)


@pytest.mark.parametrize("instance", **EACH)
def test_what_is_attached_is_named_and_what_is_named_was_attached(instance):
    found = rows(instance.fixture.blob, "SELECT owner, name FROM mail_file")
    bodies = {m["id"]: m["body"] + m["subject"] for m in mails(instance.fixture.blob)}
    for owner, name in found:
        assert name in bodies[owner], f"{name} is attached and not mentioned"
    files = {n for _, n in found}
    named = re.compile(r"(?<![\w.-])[A-Za-z0-9][\w.-]*\.(?:csv|xlsx|pdf|png|txt|docx)(?![A-Za-z])")
    missing = {n for b in bodies.values() for n in named.findall(b) if n not in files}
    assert missing == set()
