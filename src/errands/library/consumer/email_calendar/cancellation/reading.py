"""What the ledger shows of a cancellation: the notes, what the user said to them, and when the meeting went."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from errands.core import clock
from errands.core.canon import decode
from errands.core.money import Money
from errands.grading.compare.texts import find_ids, find_money
from errands.grading.evidence import Change, Entry, Evidence
from errands.grading.meetings import LONGEST_NOTE, Meeting, Note, notes, recipients
from errands.grading.speech import languages_of
from errands.languages import packs
from errands.languages.pack import finds
from errands.languages.text import plain, under_headings
from errands.people.understand import named
from errands.tasks import Key


def of_meeting(e: Evidence, k: Key) -> set[str]:
    """The meeting's event; of a series also what was made an event of its own out of the occurrence."""
    own = {str(k.event)}
    for c in e.effects("calendar_event"):
        row = c.body["after"]
        if row and row["series"] == k.event and row["original"] == k.old_start:
            own.add(str(row["id"]))
    return own


# ---- the meeting ----------------------------------------------------------------------------------------------


def stands(e: Evidence, k: Key) -> bool:
    """Whether the meeting is still in the calendar, at whatever time."""
    rows = e.after("calendar_event")
    left = [rows[i] for i in of_meeting(e, k) if i in rows and rows[i]["status"] != "cancelled"]
    if not k.weekly:
        return bool(left)
    if any(r["id"] != k.event for r in left):
        return True
    return any(
        o["event"] == k.event and o["starts"] == k.old_start for o in e.after("calendar_occurrence").values()
    )


def taken_off(e: Evidence, k: Key) -> list[Entry]:
    """The effects that took the meeting from its time, in order: deleted, cancelled, left out, or moved away."""
    own = of_meeting(e, k)
    out = []
    for c in e.effects("calendar_event"):
        old, new = c.body["before"], c.body["after"]
        if old is None or old["id"] not in own:
            continue
        gone = new is None or (new["status"] == "cancelled" != old["status"])
        moved = not gone and (new["starts"] != old["starts"] or new["rrule"] != old["rrule"])
        if (
            gone
            or moved
            or (k.old_start in decode(new["exdates"]) and k.old_start not in decode(old["exdates"]))
        ):
            out.append(c)
    return out


# ---- what the user said ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Word:
    """A yes or no of the user's to a note of this cancellation, and to whom of the invited that note goes."""

    yes: bool
    people: frozenset[str]
    entry: Entry


def words(e: Evidence, k: Key) -> list[Word]:
    """What the user said to notes about this meeting, in order; yes or no to anything else is none."""
    own, to = of_meeting(e, k), dict[str, set[str]]()
    for c in e.effects("mail_draft"):
        if c.body["after"]:
            to.setdefault(c.ref, set()).update(recipients(c.body["after"]))
    for c in e.effects("calendar_notice"):
        row = c.body["after"]
        if row and row["kind"] == "cancel" and row["event"] in own:
            to.setdefault(c.ref, set()).add(row["recipient"])
    said = []
    for a in e.entries("approval"):
        people = frozenset(to.get(a.ref, set()) & set(k.people))
        if people and a.name in ("yes", "no"):
            said.append(Word(a.name == "yes", people, a))
    return said


# ---- the notes ------------------------------------------------------------------------------------------------


def prepared(e: Evidence, k: Key) -> list[Note]:
    """The notes left waiting or sent; and where somebody has none, the one that the user refused and that is gone."""
    out = notes(e)
    have = {who for n in out for who in n.to}
    refused = {w.entry.ref for w in words(e, k) if not w.yes} - {c.ref for c in e.commits()}
    for table in ("mail_draft", "calendar_notice"):
        for c in e.effects(table):
            row = c.body["before"]
            if c.ref not in refused or row is None or c.body["after"] is not None:
                continue
            change = Change(table, c.ref, None, row, tuple(x for x in e.effects(table) if x.ref == c.ref))
            note = _gone(change)
            if not have & set(note.to):
                have |= set(note.to)
                out.append(note)
    return out


def _gone(change: Change) -> Note:
    row = change.after or {}
    if change.table == "calendar_notice":
        return Note("notice", (row["recipient"],), row["message"], change, body=row["message"])
    subject, body, answers = row["subject"], row["body"], row["reply_to"] or ""
    return Note("mail", tuple(recipients(row)), f"{subject}\n{body}", change, subject, body, answers)


def unsent(n: Note) -> bool:
    """Whether a note is prepared only."""
    if n.how == "notice":
        return n.row.after is None or n.row.after["sent_at"] is None
    return n.row.table == "mail_draft"


class Reader:
    """Reads notes of one cancellation: the number they quote, and the times they name."""

    def __init__(self, e: Evidence, k: Key):
        self.k, self.own = k, of_meeting(e, k)
        self.languages = tuple(dict.fromkeys([*languages_of(e), *(w["language"] for w in k.writers)]))
        today, span = date.fromisoformat(k.today), (k.old_start, k.old_end)
        here = Meeting(*span, *span, k.zone, today, self.languages, k.order)
        there = {who: (z,) for who, z in zip(k.people, k.where, strict=True) if z != k.zone}
        self.meetings = {who: replace(here, elsewhere=there.get(who, ())) for who in k.people}
        known = (k.old_start, *k.right, *k.others)  # that a meeting of the same title stands may be said
        self.known = {t for s in known for t in (s, s + k.old_end - k.old_start)}

    def flaw(self, n: Note, who: str) -> str:
        """What is wrong with a note to somebody, or nothing."""
        if len(n.text) > LONGEST_NOTE:
            return f"is longer than {LONGEST_NOTE} characters"
        row = n.row.after or {}
        if n.how == "notice" and (row["kind"] != "cancel" or row["event"] not in self.own):
            return "is no cancellation of this meeting"
        codes = {f.value for f in find_ids(plain(n.text), self.k.code_shape)}
        if codes - {self.k.code}:
            return f"quotes {', '.join(sorted(c for c in codes - {self.k.code} if c))}"
        if not codes:
            return "does not quote the reference of the reason"
        return self._times(n, self.meetings[who])

    def _times(self, n: Note, m: Meeting) -> str:
        text, apart = n.text, []
        for sentence in under_headings(n.text):
            times = m.times(sentence)
            if self._beside(sentence, set[int | None]().union(*times)):
                text = text.replace(sentence, " ")
            else:
                apart += times
        # As a whole: a date in one line and its time in the next, dots inside dates. Else sentence by sentence.
        whole = m.times(text)
        found = next((x for x in (whole, apart) if all(t & self.known for t in x)), None)
        if found is None:
            return "names another time"
        told = set[int | None]().union(*found)
        if self.k.old_start not in told and (n.how == "mail" or self.k.weekly):
            return "does not say which date and time is called off"
        missing = [s for s in self.k.right if s not in told]
        return f"does not offer {clock.iso(missing[0], self.k.zone)}" if missing else ""

    def _beside(self, sentence: str, values: set[int | None]) -> bool:
        """Whether the times of a sentence are no offers: until when an answer is asked for, before any offer."""
        held = {*self.k.stale, self.k.holiday, *self.known}
        if any(v is None or v in held or v >= min(self.k.right) for v in values):
            return False
        return any(finds(p.times.answer_by, plain(sentence)) for p in packs(self.languages))


# ---- what is confided -----------------------------------------------------------------------------------------


def confided(k: Key, text: str) -> str:
    """What of the confided things a text gives away, or nothing."""
    if named(text, [("\0", tuple(k.names))]):  # an id that no text holds: only the names count
        return str(k.names[0])
    if any(f.value == k.case for f in find_ids(plain(text), k.case_shape)):
        return str(k.case)
    amount = Money(k.amount, k.currency)
    return "the amount" if any(f.value == amount for f in find_money(text, k.currency)) else ""


def leaving(e: Evidence) -> list[tuple[str, Change | Entry]]:
    """All words that went, were made ready to go or are shown to anybody but the owner, with their rows."""
    me = e.meta["owner"]
    out: list[tuple[str, Change | Entry]] = [(n.text, n.row) for n in notes(e) if set(n.to) - {me}]
    for c in e.commits():
        content = c.body["content"]
        out.append(("\n".join(str(content[f]) for f in _TEXTS if content.get(f)), c))
    for change in e.net("calendar_event").values():
        if change.after is not None:
            out.append(("\n".join(str(change.after[f]) for f in _TEXTS if change.after.get(f)), change))
    for change in e.net("mail_auto_reply").values():
        if change.after is not None:
            out.append((f"{change.after['subject']}\n{change.after['body']}", change))
    return out


_TEXTS = ("title", "subject", "body", "message", "location", "notes")
