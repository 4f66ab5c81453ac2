"""The life in which the errands of Singapore are set: full, consistent, invented, and nothing said twice."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from datetime import date, datetime, timedelta
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import openpyxl
import pypdf
import pytest
from PIL import Image

from errands.core import clock
from errands.core.errors import TaskError
from errands.markets import load_market
from errands.markets.calendar import is_holiday, is_workday
from errands.tasks import life, papers
from errands.tasks.life import pause, settle, start_of
from errands.tasks.stream import Stream
from errands.world.fixture import Draft

from .desk import AUDIT, EACH_SG, SINGAPORE, rows

SG = load_market("sg")
NOW = start_of(SG)
APPS = ("mail", "calendar", "contacts", "files", "user", "clock", "people")
OWNER = SG.people[SG.owner].email


@cache
def base() -> Draft:
    """The life alone, without any errand."""
    d = Draft(APPS)
    settle(d, SG, NOW)
    return d


def local(ms: int) -> datetime:
    return clock.from_ms(ms, SG.zone)


def mails(blob: bytes | None = None) -> list[dict[str, Any]]:
    """Messages of a fixture, or of the life alone."""
    sql = "SELECT id, thread, folder, sender, subject, body, at, reply_to, unread, labels FROM mail_message"
    if blob is None:
        return base().all(sql)
    names = sql.removeprefix("SELECT ").partition(" FROM")[0].split(", ")
    return [dict(zip(names, r, strict=True)) for r in rows(blob, sql)]


def every_text() -> dict[str, dict[str, Any]]:
    """Each different message of the life and of all instances, by its words."""
    return {m["subject"] + "\n" + m["body"]: m for i in SINGAPORE for m in mails(i.fixture.blob)}


def script_bodies() -> list[tuple[str, str]]:
    """Bodies of the audit's threads with every ending, dates not filled in: what any variant might show."""
    _, scripts = import_module(f"{AUDIT.package}.script").scripts(AUDIT.package, "sg")
    return [(s.id, m.body) for s in scripts for m in (*s.message, *(m for e in s.ending for m in e.message))]


# ---- how much there is ------------------------------------------------------------------------------------


def test_it_is_a_full_life():
    found = mails()
    assert len(found) >= 250
    assert len({m["thread"] for m in found}) >= 60
    folders = [m["folder"] for m in found]
    assert all(folders.count(f) >= 40 for f in ("inbox", "sent", "archive"))
    assert local(NOW).date() - local(min(m["at"] for m in found)).date() >= timedelta(days=85)


def test_the_calendar_is_full():
    held = base().all(
        "SELECT o.starts FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
        " WHERE e.calendar IN ('cal_work', 'cal_personal')"
    )
    assert len(held) >= 120
    days = [local(h["starts"]).date() for h in held]
    assert max(days) - min(days) >= timedelta(days=90)
    assert min(days) < local(NOW).date() < max(days)


def test_there_are_people_and_some_are_easily_confused():
    people = base().all("SELECT id, name, email FROM contacts_person")
    assert len(people) >= 25
    assert len({p["email"] for p in people}) == len(people)
    pairs = {frozenset((a, b)) for a, p in SG.people.items() for b in p.alike}
    assert len(pairs) >= 4
    assert all(a in SG.people[b].alike for p in pairs for a, b in (sorted(p), sorted(p, reverse=True)))
    known = {p["id"] for p in people}
    assert all(f"per_{k}" in known for p in pairs for k in p)


@pytest.mark.parametrize("instance", **EACH_SG)
def test_a_world_is_small(instance):
    assert len(instance.fixture.blob) <= 600 * 1024
    assert len(mails(instance.fixture.blob)) >= len(mails())


# ---- nothing is said twice --------------------------------------------------------------------------------

GREETING = re.compile(
    r"^(hi|hello|dear|morning|good morning|good afternoon|eh|ma|uncle poh|all|team|guys|boss)\b"
    r"[^.!?]{0,60}[,!.]?$",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"^((thanks|thank you|thx|tq)( so much| a lot| and regards)?"
    r"|(best|kind|warm|warmest|with kind|with best)? ?regards"
    r"|yours (sincerely|faithfully)|cheers|best|all the best|warmly|big thanks|with apologies|many thanks)"
    r"[,!.]*$",
    re.IGNORECASE,
)


def sentences(body: str, names: set[str]) -> set[str]:
    """The sentences of a body, folded; greetings, closings, signatures and quotes are left out."""
    out = set()
    for line in body.splitlines():
        if line.startswith((">", "|")) or GREETING.match(line) or CLOSING.match(line):
            continue
        if re.sub(r"[^\w ]", "", line).strip().casefold() in names:
            continue
        for s in re.split(r"(?<=[.!?])\s+", line):
            folded = " ".join(re.findall(r"\w+", s.casefold()))
            if len(folded.split()) >= 2:
                out.add(folded)
    return out


@cache
def signatures() -> set[str]:
    words: set[str] = set()
    for p in SG.people.values():
        words |= {
            p.name,
            p.called,
            p.formal,
            p.org or "",
            p.title or "",
            " ".join(p.name.split(" s/o ")[0].split()),
        }
    words |= {
        "rachel lim",
        "lim hui min rachel",
        "lee siew hua",
        "accounts",
        "heavy vehicle permits",
        "rachel lim 1014",
        "managing agent mcst 4981",
    }
    return {re.sub(r"[^\w ]", "", w).strip().casefold() for w in words}


@pytest.mark.parametrize("instance", **EACH_SG)
def test_no_sentence_is_in_more_than_three_messages(instance):
    where = defaultdict(set)
    for m in mails(instance.fixture.blob):
        for s in sentences(m["body"], signatures()):
            where[s].add(m["id"])
    assert {s: len(ids) for s, ids in where.items() if len(ids) > 3} == {}


def test_no_sentence_is_twice_in_the_words_of_the_life():
    """Stricter for what is written by hand: life and audit threads, every ending, hold each sentence once."""
    where = defaultdict(list)
    for place, body in [(t.id, m.body) for t in life.threads("sg") for m in t.message] + script_bodies():
        for s in sentences(body, signatures()):
            where[s].append(place)
    assert {s: places for s, places in where.items() if len(places) > 1} == {}


def test_the_sentence_finder_finds():
    body = (
        "Hi Zul,\n\nThe box is here. The box is there!\n> The box was quoted.\nThanks and regards,\nRachel\n"
    )
    assert sentences(body, signatures()) == {"the box is here", "the box is there"}


# ---- dates ------------------------------------------------------------------------------------------------

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE = re.compile(
    r"\b(?P<day>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b,?\s+"
    r"(?:the\s+)?(?P<n>\d{1,2})(?:st|nd|rd|th)?(?![\d.:%]|\s?(?:am|pm|nn)\b|hrs|,\d{3})"
    r"(?:\s+(?P<month>Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*)?(?:\s+(?P<year>20\d\d))?"
)


def wrong_weekdays(text: str, said_on: date) -> tuple[list[str], int]:
    """Dates whose weekday does not fit, and how many there are; without a month, one near the message."""
    wrong, seen = [], 0
    for m in DATE.finditer(text):
        seen += 1
        weekday, n = DAYS.index(m["day"][:3].lower()), int(m["n"])
        if m["month"]:
            year = int(m["year"] or (2027 if m["month"][:3] in ("Jan", "Feb", "Mar") else 2026))
            fits = [d for d in (_day(year, MONTHS.index(m["month"][:3].lower()) + 1, n),) if d]
        else:
            near = [said_on + timedelta(days=k) for k in range(-25, 40)]
            fits = [d for d in near if d.day == n]
        if not any(d.weekday() == weekday for d in fits):
            wrong.append(m.group())
    return wrong, seen


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def test_weekdays_fit_their_dates_in_every_body():
    found: dict[str, list[str]] = {}
    count = 0
    for text, m in every_text().items():
        wrong, seen = wrong_weekdays(text, local(m["at"]).date())
        count += seen
        if wrong:
            found[m["subject"]] = wrong
    assert found == {}
    assert count >= 100


def test_weekdays_fit_in_every_ending_and_on_the_calendar():
    texts = [body for _, body in script_bodies()] + [
        r["title"] for r in base().all("SELECT title FROM calendar_event")
    ]
    assert [w for t in texts for w in wrong_weekdays(t, date(2026, 11, 2))[0]] == []
    for i in SINGAPORE:
        assert wrong_weekdays(i.instruction, date(2026, 11, 3))[0] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("by Thu, 12 Nov", 0),
        ("by Wed, 12 Nov", 1),
        ("Friday 30 Feb 2026", 1),
        ("Sunday the 25th", 0),
        ("Monday the 25th", 1),
        ("Fri 12.30pm", 0),
        ("Fri 9 pm", 0),
        ("Fri, 1 Jan 2027", 0),
        ("Thu, 1 Jan 2027", 1),
        ("Tue 9.15am", 0),
    ],
)
def test_the_date_linter_sees(text, wrong):
    assert len(wrong_weekdays(text, date(2026, 10, 22))[0]) == wrong


@pytest.mark.parametrize("instance", **EACH_SG)
def test_threads_run_forward_and_nothing_is_in_the_future(instance):
    found = {m["id"]: m for m in mails(instance.fixture.blob)}
    assert max(m["at"] for m in found.values()) < NOW
    threads = defaultdict(list)
    for m in sorted(found.values(), key=lambda m: (m["thread"], m["at"])):
        threads[m["thread"]].append(m)
    for ms in threads.values():
        assert all(a["at"] < b["at"] for a, b in pairwise(ms)), ms[0]["subject"]
        assert ms[0]["reply_to"] == ""
        assert all(m["reply_to"] in {a["id"] for a in ms[:n]} for n, m in enumerate(ms) if n)
        assert {m["subject"].removeprefix("Re: ") for m in ms} == {ms[0]["subject"]}
        assert len({m["labels"] for m in ms}) == 1
    files = rows(instance.fixture.blob, "SELECT modified FROM files_entry")
    assert all(when <= NOW for (when,) in files)


@pytest.mark.parametrize("instance", **EACH_SG)
def test_it_is_one_persons_mailbox(instance):
    """She is in every mail; her own are in `sent`, others' are not; only yesterday's may be unread."""
    to = defaultdict(set)
    for message, email in rows(instance.fixture.blob, "SELECT message, email FROM mail_recipient"):
        to[message].add(email)
    for m in mails(instance.fixture.blob):
        mine = m["sender"] == OWNER
        assert mine or OWNER in to[m["id"]], m["subject"]
        assert (m["folder"] == "sent") == mine
        assert m["sender"] not in to[m["id"]]
        assert not m["unread"] or (not mine and m["at"] > NOW - 2 * 86_400_000)


@pytest.mark.parametrize("instance", **EACH_SG)
def test_the_office_writes_on_working_days(instance):
    """Colleagues' mails are of working days and hours, none of National Day; her own private ones of any."""
    for m in mails(instance.fixture.blob):
        when = local(m["at"])
        if m["sender"].endswith("@larkspur.example") and m["sender"] != OWNER:
            assert is_workday(SG, when.date()), (m["subject"], when)
            assert 7 <= when.hour < 21, (m["subject"], when)


@pytest.mark.parametrize("instance", **EACH_SG)
def test_no_work_of_her_own_on_public_holidays(instance):
    held = rows(
        instance.fixture.blob,
        "SELECT e.title, e.calendar, e.all_day, o.starts, o.ends FROM calendar_occurrence o JOIN"
        " calendar_event e ON e.id = o.event WHERE e.calendar NOT IN ('cal_holidays', 'cal_personal')",
    )
    assert len(held) >= 120
    for title, _, all_day, starts, ends in held:
        day, last = local(starts).date(), local(ends - 1).date()
        while day <= last:
            assert not is_holiday(SG, day) or (all_day and "duty" in title.lower()), (title, day)
            day += timedelta(days=1)
    shown = {
        local(s).date()
        for t, s in rows(
            instance.fixture.blob, "SELECT title, starts FROM calendar_event WHERE calendar = 'cal_holidays'"
        )
    }
    assert {
        date(2026, 8, 9),
        date(2026, 8, 10),
        date(2026, 11, 8),
        date(2026, 11, 9),
        date(2026, 12, 25),
    } <= shown


# ---- all of it is invented --------------------------------------------------------------------------------

ADDRESS = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
SITE = re.compile(
    r"(?:https?://|www\.)([\w.-]+)|\b([\w-]+\.(?:com|net|org|sg|io|co|gov|edu|info|biz|app|dev)(?:\.\w\w)?)\b(?!\()",
    re.IGNORECASE,
)
PHONE = re.compile(r"(?<![\w/-])(?:\+\d{1,3} ?)?[3689]\d{3} \d{4}(?![\w-])|\+\d{2,3} ?\d[\d ]{6,}")


def texts_of(blob: bytes) -> list[str]:
    """Every text in every table."""
    out = []
    for (table,) in rows(
        blob, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ):
        for row in rows(blob, f'SELECT * FROM "{table}"'):
            out += [v for v in row if isinstance(v, str)]
    return out


@pytest.mark.parametrize("instance", **EACH_SG)
def test_every_address_is_an_example(instance):
    domains, sites = set(), set()
    for text in texts_of(instance.fixture.blob):
        domains |= {d.lower() for d in ADDRESS.findall(text)}
        sites |= {(a or b).lower() for a, b in SITE.findall(text)}
    assert domains and all(d.endswith(".example") for d in domains), domains
    assert {s for s in sites if not s.endswith(".example")} == set()


@pytest.mark.parametrize("instance", **EACH_SG)
def test_every_telephone_number_is_of_the_cast(instance):
    known = {p.phone for p in SG.people.values()}
    assert (
        PHONE.search("call +65 8001 4127")
        and PHONE.search("on 6945 2210,")
        and not PHONE.search("KQZU 481207 1")
    )
    found = {m.group() for m_ in mails(instance.fixture.blob) for m in PHONE.finditer(m_["body"])}
    assert {f for f in found if not any(k.endswith(f.strip()) for k in known)} == set()


@pytest.mark.parametrize("instance", **EACH_SG)
def test_everyone_who_writes_is_known(instance):
    cast = {p.email for p in SG.people.values()}
    machines = {m["sender"] for m in mails(instance.fixture.blob)} - cast
    for m in mails(instance.fixture.blob):
        if m["sender"] in machines:
            assert m["reply_to"] == ""
    assert len(machines) <= 8
    machines &= {m["sender"] for m in mails()}  # of the life; an errand may have outsiders who are people
    assert all(re.match(r"^(alerts|no-?reply|updates|newsletter|itdesk|frontdesk)@", s) for s in machines), (
        machines
    )


# ---- attachments are real ---------------------------------------------------------------------------------


def opened(name: str, media: str, data: bytes) -> int:
    """How much is in a file when it is opened as what its name says; raises when it is something else."""
    kind = name.rpartition(".")[2].lower()
    assert {**papers._MEDIA, "ics": "text/calendar"}[kind] == media
    if kind == "csv":
        table = list(csv.reader(io.StringIO(data.decode("utf-8"))))
        assert len({len(r) for r in table if len(r) > 1}) == 1  # a title above it may stand alone
        return len(table)
    if kind == "xlsx":
        return int(openpyxl.load_workbook(io.BytesIO(data)).worksheets[0].max_row)
    if kind == "pdf":
        reader = pypdf.PdfReader(io.BytesIO(data), strict=True)
        return len(reader.pages[0].extract_text().splitlines())
    if kind == "png":
        with Image.open(io.BytesIO(data)) as picture:
            picture.verify()
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
            assert picture.format == "PNG"
            return min(picture.size)
    return len(data.decode("utf-8").splitlines())


@pytest.mark.parametrize("instance", **EACH_SG)
def test_every_attachment_opens_as_what_it_is(instance):
    found = rows(instance.fixture.blob, "SELECT owner, name, media, data FROM mail_file")
    assert len(found) >= 15
    assert {n.rpartition(".")[2] for _, n, _, _ in found} >= {"csv", "xlsx", "pdf", "png"}
    bodies = {m["id"]: m["body"] + m["subject"] for m in mails(instance.fixture.blob)}
    for owner, name, media, data in found:
        assert opened(name, media, data) >= 2, name
        assert name in bodies[owner], f"{name} is attached and not mentioned"
    for name, data in rows(
        instance.fixture.blob,
        "SELECT e.path, b.data FROM files_entry e JOIN files_blob b ON b.digest = e.blob",
    ):
        assert data, name


@pytest.mark.parametrize("kind", ["csv", "xlsx", "pdf", "png", "txt"])
def test_a_paper_is_made_of_its_name_and_stream_alone(kind):
    made = [papers.paper(f"rates (v1).{kind}", "Rates (draft) \\ é", Stream("paper", n)) for n in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert opened(*made[0]) >= 2


def test_a_paper_of_another_kind_is_refused():
    with pytest.raises(ValueError, match=r"'docx'.*csv"):
        papers.paper("letter.docx", "x", Stream("x"))


@pytest.mark.parametrize("instance", **EACH_SG)
def test_what_is_promised_to_be_attached_is(instance):
    """A file name in a mail is that of something that was attached somewhere."""
    files = {n for (n,) in rows(instance.fixture.blob, "SELECT name FROM mail_file")}
    named = re.compile(r"\b[\w-]+\.(?:csv|xlsx|pdf|png|txt|docx)\b")
    missing = {n for m in mails(instance.fixture.blob) for n in named.findall(m["body"]) if n not in files}
    assert missing == set()


# ---- the reader of threads --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("45m", 45), ("3h20m", 200), ("1d2h", 1560), ("2d", 2880), ("1d2h3m", 1563), ("0m", 0)],
)
def test_a_pause(text, minutes):
    assert pause(text) == timedelta(minutes=minutes)


@pytest.mark.parametrize("text", ["", "3 h", "2h1d", "90", "h", "1w", "-1h", "1.5h"])
def test_no_pause(text):
    with pytest.raises(ValueError, match="1d2h"):
        pause(text)


THREAD = """
[[thread]]
id = "one"
subject = "One"
start = "2026-09-14T09:05"
folder = "inbox"
  [[thread.message]]
  from = "zul"
  to = ["me"]
  body = "Hello."
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('folder = "inbox"', 'folder = "attic"', ["words.toml", "thread one", "folder"]),
        ('subject = "One"', "", ["words.toml", "thread one", "subject"]),
        ('body = "Hello."', 'body = "Hello."\n  bodi = "x"', ["words.toml", "thread one", "bodi"]),
        ('to = ["me"]', "to = []", ["words.toml", "thread one", "to"]),
        ('start = "2026-09-14T09:05"', 'start = "Monday"', ["words.toml", "thread one", "start"]),
        ("2026-09-14", "2026-11-04", ["thread one", "message 1", "future"]),
    ],
)
def test_a_malformed_thread_is_named(tmp_path, monkeypatch, old, new, words):
    assert THREAD.count(old) == 1
    (tmp_path / "words" / "life").mkdir(parents=True)
    (tmp_path / "words" / "life" / "words.toml").write_text(THREAD.replace(old, new), "utf-8")
    monkeypatch.setattr(life, "folder", lambda code: tmp_path)
    monkeypatch.setattr(life, "threads", life.threads.__wrapped__)
    with pytest.raises(TaskError) as caught:
        for t in life.threads("sg"):
            life._thread(Draft(APPS), SG, t, NOW, Stream("x"))
    assert all(w in str(caught.value) for w in words), caught.value


def test_a_life_fits_the_apps_that_a_task_has():
    d = Draft(("mail", "user", "clock", "people"))
    settle(d, SG, NOW)
    assert len(d.all("SELECT id FROM mail_message")) == len(mails())


def test_labels_are_lists():
    assert all(isinstance(json.loads(m["labels"]), list) for m in mails())
