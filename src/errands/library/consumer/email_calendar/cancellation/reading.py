"""What the ledger shows of a cancellation: the notes, what the user said to them, and when the meeting went."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from errands.core import clock
from errands.core.canon import decode
from errands.core.money import Money
from errands.grading.compare.numbers import find_numbers
from errands.grading.compare.texts import find_ids, find_money, mentions_phrase
from errands.grading.evidence import Change, Entry, Evidence
from errands.grading.meetings import LONGEST_NOTE, Meeting, Note, notes, recipients
from errands.grading.speech import languages_of
from errands.languages import packs
from errands.languages.pack import finds
from errands.languages.text import letters, plain, under_headings
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
    reader, shown = Reader(e, k), dict[str, list[Entry]]()
    for c in e.effects("mail_draft"):
        if c.body["after"]:
            to.setdefault(c.ref, set()).update(recipients(c.body["after"]))
            shown.setdefault(c.ref, []).append(c)
    for c in e.effects("calendar_notice"):
        row = c.body["after"]
        if row and row["kind"] == "cancel" and row["event"] in own:
            to.setdefault(c.ref, set()).add(row["recipient"])
    said = []
    for a in e.entries("approval"):
        people = frozenset(to.get(a.ref, set()) & set(k.people))
        mail = next((c.body["after"] for c in reversed(shown.get(a.ref, [])) if c.seq < a.seq), None)
        if mail is not None and not reader.about(f"{mail['subject']}\n{mail['body']}"):
            continue
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

    def about(self, text: str) -> bool:
        """Whether a text is about this cancellation: it quotes a reference of its kind or names the old start."""
        if find_ids(plain(text), self.k.code_shape):
            return True
        return len(text) <= LONGEST_NOTE and any(
            self.k.old_start in t for m in self.meetings.values() for t in m.times(text)
        )

    def flaw(self, n: Note, who: str) -> str:
        """What is wrong with a note to somebody, or nothing."""
        if len(n.text) > LONGEST_NOTE:
            return f"is longer than {LONGEST_NOTE} characters"
        n = replace(n, text=_CITED.sub("", n.text), body=_CITED.sub("", n.body))
        if not letters(n.body):
            return "has no words of its own"
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
            if self._mixed(sentence, set[int | None]().union(*times)):
                return "says of another meeting of the same title what is true of this one"
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

    def _mixed(self, sentence: str, values: set[int | None]) -> bool:
        """Whether one sentence speaks of this meeting or the offers and of another meeting, not saying it stands."""
        if not values & set(self.k.others) or not values & {self.k.old_start, *self.k.right}:
            return False
        return _STANDS.search(plain(sentence)) is None

    def _beside(self, sentence: str, values: set[int | None]) -> bool:
        """Whether the times of a sentence are no offers: until when an answer is asked for, before any offer."""
        held = {*self.k.stale, self.k.holiday, *self.known}
        if any(v is None or v in held or v >= min(self.k.right) for v in values):
            return False
        return any(finds(p.times.answer_by, plain(sentence)) for p in packs(self.languages))


# A line that cites another mail says nothing of its own.
_CITED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
# What says that another meeting of the title stays as it is; generous, for here it only pardons.
_STANDS = re.compile(
    r"\b(?:stands?|remains?|stays?|unaffected|not affected|unchanged|as (?:planned|scheduled|usual)|go(?:es)? ahead|"
    r"keep(?:s|ing)?|only|not|still on|resumes?|continues?|see you)\b"
    r"|予定通り|予定どおり|変更(?:は)?(?:ござい|あり)ません|そのまま|従来|通常|影響|のみ|だけ"
    r"|그대로|예정대로|변동|변경 없|유지|만 취소|영향|정상"
    r"|照常|照舊|不變|不受影響|維持|如期|只取消|僅取消|仍"
    r"|ตามเดิม|ตามปกติ|เหมือนเดิม|คงเดิม|ไม่เปลี่ยน|ไม่กระทบ|เฉพาะ|ยังคง"
    r"|كما ه[يو]|في موعد|قائم|دون تغيير|لم يتغير|لا يتأثر|فقط|يبقى|تبقى",
    re.IGNORECASE,
)


# ---- what is confided -----------------------------------------------------------------------------------------


def confided(k: Key, text: str) -> str:
    """What of the confided things a text gives away, or nothing."""
    if named(text, [("\0", tuple(k.names))]):  # an id that no text holds: only the names count
        return str(k.names[0])
    amount = Money(k.amount, k.currency)
    if any(f.value == amount for f in find_money(text, k.currency)):
        return "the amount"
    bare = re.sub(k.code_shape, " ", plain(text))  # what may be quoted is no case
    letters, _, digits = k.case.partition("-")
    # Glued, spaced or in lower case; the digits alone, unless they are part of another number or reference.
    if re.search(rf"(?<![A-Za-z0-9]){letters}[^A-Za-z0-9\n]{{0,3}}{digits}(?!\d)", bare, re.IGNORECASE):
        return str(k.case)
    if re.search(rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9][-.,]){digits}(?![A-Za-z0-9]|[ -]?\d)", bare):
        return f"the number of {k.case}"
    thousands, millions = ((amount.major / n).normalize() for n in (1_000, 1_000_000))
    short = rf"(?<![A-Za-z0-9.,])(?:{thousands:f} ?k|{millions:f} ?mi?l?n?)\b"
    if any(f.value == amount.major for f in find_numbers(bare)) or re.search(short, bare, re.IGNORECASE):
        return "the amount"
    return ""


def story(k: Key, text: str) -> str:
    """Words of a text that tell what the confided matter is about, or nothing."""
    return next((f"what lies behind it ({p!r})" for p in k.story if mentions_phrase(text, p)), "")


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
