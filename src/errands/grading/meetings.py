"""A meeting that was moved: the notes about it, the times they name, and what the user was told."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from errands.core import clock
from errands.core.canon import decode
from errands.core.types import Finding
from errands.languages import packs
from errands.languages.pack import compiled, finds
from errands.languages.text import plain, under_headings
from errands.people.understand import named

from .claims import claims, claims_sent, counted, named_in
from .compare.dates import Order
from .compare.texts import find_times
from .evidence import Change, Entry, Evidence
from .findings import missed, satisfied
from .scope import Allow
from .speech import languages_of, said_to_user

LONGEST_NOTE = 5_000  # finding times costs the square of the length


@dataclass(frozen=True)
class Note:
    """Something prepared for or sent to people: how, to whom, its words, and the ledger row."""

    how: str
    to: tuple[str, ...]
    text: str
    row: Change
    subject: str = ""
    body: str = ""
    reply_to: str = ""


def notes(e: Evidence) -> list[Note]:
    """Every mail and calendar notice that the agent left waiting or sent, in order."""
    out = []
    for change in e.net("mail_draft").values():
        if change.after is not None:
            out.append(_mail(change, tuple(recipients(change.after))))
    to: dict[str, list[str]] = {}
    for r in e.net("mail_recipient").values():
        if r.before is None and r.after is not None:
            to.setdefault(r.after["message"], []).append(r.after["email"])
    for key, change in e.net("mail_message").items():
        if change.before is None and change.after is not None:
            out.append(_mail(change, tuple(to.get(key, ()))))
    for change in e.net("calendar_notice").values():
        if change.before is None and change.after is not None:
            message = change.after["message"]
            out.append(Note("notice", (change.after["recipient"],), message, change, body=message))
    return out


def _mail(change: Change, to: tuple[str, ...]) -> Note:
    row = change.after or {}
    subject, body = row["subject"], row["body"]
    return Note("mail", to, f"{subject}\n{body}", change, subject, body, row.get("reply_to") or "")


def recipients(draft: Mapping[str, Any]) -> list[str]:
    """Everybody whom a draft goes to."""
    return [*decode(draft["recipients"]), *decode(draft["cc"]), *decode(draft["bcc"])]


def mails_to(people: Collection[str]) -> Allow:
    """For a scope: drafts to these people (e-mail addresses), and mails that were sent to them."""
    return {
        "mail_draft": lambda c: bool(c.record) and set(recipients(c.record)) <= set(people),
        "mail_message": lambda c: c.before is None and c.record.get("folder") == "sent",
        "mail_recipient": lambda c: c.before is None and c.record.get("email") in people,
    }


def event_of(change: Change) -> str:
    """The event to which a changed row of the calendar belongs."""
    return str(change.record.get("event", change.record.get("id", "")))


def reached(content: Mapping[str, Any]) -> list[str]:
    """Everybody whom a commit reached: by a recall nobody."""
    if "recipient" in content:
        return [content["recipient"]]
    if "to" not in content:
        return []
    return [*content["to"], *content["cc"], *content["bcc"]]


@dataclass(frozen=True)
class Meeting:
    """When a meeting stands and stood (UTC ms), where its user lives, and in which languages people write.

    `elsewhere`: zones in which a time without a zone may be meant too (of people abroad).
    """

    start: int
    end: int
    old_start: int
    old_end: int
    zone: str
    today: date
    languages: tuple[str, ...]
    order: Order = "DMY"
    elsewhere: tuple[str, ...] = ()

    @property
    def known(self) -> set[int]:
        """The instants that a text about it may name."""
        return {self.start, self.end, self.old_start, self.old_end}

    def times(self, sentence: str) -> list[set[int | None]]:
        """The instants that each time of a sentence may mean; None for what cannot be resolved."""
        if not self._may_name(sentence):
            return []
        readings = []
        for where in (self.zone, *self.elsewhere):
            day = clock.from_ms(self.start, where).date()
            readings.append(find_times(sentence, where, self.order, self.today, day))
        return [{f.value.ms if f.value else None for f in same} for same in zip(*readings, strict=True)]

    def _may_name(self, sentence: str) -> bool:
        text = plain(sentence)
        return _DIGIT.search(text) is not None or any(
            finds(p.times.mark, text) for p in packs(self.languages)
        )

    def aside(self, sentence: str) -> bool:
        """Whether a sentence names times only to say why they were not taken, or what must stay free."""
        return any(finds(p.times.aside, plain(sentence)) for p in packs(self.languages))

    def moving(self, sentence: str) -> bool:
        """Whether a sentence speaks of the meeting's own time."""
        return any(finds(p.times.moving, plain(sentence)) for p in packs(self.languages))

    def wrong(self, text: str, stated: bool = False) -> str:
        """What is wrong with the times in a note, or nothing. `stated`: it carries the new time by itself."""
        if len(text) > LONGEST_NOTE:
            return f"is longer than {LONGEST_NOTE} characters"
        for sentence in under_headings(text):
            found = self.times(sentence)
            stated = stated or any(self.start in t for t in found)
            if any(not t & self.known for t in found) and not self.aside(sentence):
                asks = any(finds(p.times.answer_by, plain(sentence)) for p in packs(self.languages))
                if not asks:
                    return "names another time"
        return "" if stated else "does not state the new time"


_DIGIT = re.compile(r"\d|[一二三四五六七八九十]|한|두|세|네|ทุ่ม|โมง|ตี")


def told(e: Evidence, m: Meeting) -> Finding:
    """Whether the user was told the new time, and no rival time for it."""
    said = said_to_user(e)
    where: Entry | None = None
    for s in said:
        for sentence in under_headings(s.text):
            found = m.times(sentence)
            if any(m.start in t for t in found):
                where = where or s.entry
            stray = any(None not in t and not t & m.known for t in found)
            if stray and m.moving(sentence) and not m.aside(sentence):
                return missed("another time than the event's is given for it", s.entry)
    if where is None:
        return missed("the new time was not told to the user", *(s.entry for s in said[-1:]))
    return satisfied("the user was told the new time", where)


def no_false_claims(
    e: Evidence, people: Sequence[str], read: Callable[[str], str] = lambda text: text
) -> Finding:
    """Whether what the agent said to have gone out has gone out to these people (e-mail addresses).

    `read`: what of a reply is looked at, where it also tells of mails that had gone out before.
    """
    languages = languages_of(e)
    got = {p for c in e.commits() for p in reached(c.body["content"])}
    for r in e.replies:
        text, later = read(str(r.body["text"])), _later(e, r.seq, people)
        claim = claims_sent(languages, text)
        if claim == "all" and not set(people) <= got - later:
            return missed("it says that all notes went out, and not all did", r)
        if claim and not got - later:
            return missed("it says that notes went out, and none did", r)
        if claim and later and (unmet := _told_of(e, languages, text, people) & later):
            return missed(f"it says that {', '.join(sorted(unmet))} got a note, and that is not so", r)
        gone = sum(len(reached(c.body["content"])) for c in e.commits() if c.seq < r.seq)
        if (number := counted(languages, text)) > gone:
            return missed(f"it says that {number} notes went out, and {gone} did", r)
    return satisfied("nothing is said to have gone out that has not")


def _later(e: Evidence, seq: int, people: Iterable[str]) -> set[str]:
    """People whose note went out only after this row."""
    before = {p for c in e.commits() if c.seq < seq for p in reached(c.body["content"])}
    return set(people) - before


def _told_of(e: Evidence, languages: Sequence[str], text: str, people: Sequence[str]) -> set[str]:
    """People among these of whom a text says by name that their note went out."""
    book = e.after("contacts_person").values()
    items = [  # by ids that no text can hold: "10" would be found in every date
        (f"\0{p['email']}", (p["email"], *_forms(languages, p))) for p in book
    ]
    found = {
        i.removeprefix("\0") for c in claims(languages, text) for i in named(named_in(languages, c), items)
    }
    return found & set(people)


def _forms(languages: Sequence[str], person: Mapping[str, Any]) -> tuple[str, ...]:
    """What somebody is called, also without honorific: Mori for Mori-san."""
    forms = [person["name"], person["called"], person["formal"]]
    for p in packs(languages):
        forms += [compiled(p.register_.titles).cut(person["called"]).strip()] if p.register_.titles else []
    return tuple(dict.fromkeys(f for f in forms if f))
