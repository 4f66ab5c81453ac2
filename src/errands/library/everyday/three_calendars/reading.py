"""How messages about a meeting of several people are read: who offered what, what they share, what was taken back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from errands.grading.slots import LONGEST, Slot, find_slots
from errands.languages.text import fold

ALL = "*"
_ALL = re.compile(
    r"\b(?:all (?:three|of (?:you|them|us))|all(?= (?:can|could|share|agree)\b)|every(?:one|body)(?: else)?"
    r"|the three(?: of (?:you|them|us))?|each of (?:you|them|us))\b"
)
_NOT = re.compile(
    r"\b(?:not|never|no longer|cannot|took|takes|taken|taking|retract\w*|withdr\w*|dropp\w*|remov\w*|except|cancel\w*"
    r"|unavailable|revok\w*|back(?:ed|ing)? out|lost|gave up|without|instead of|rescind\w*|pulled|fell|falls?|gone"
    r"|neither|nor|lacks?|missing|declined|out)\b|n't\b|[✗❌✘✖–]$"
)
_AGAIN = re.compile(
    r"\b(?:only|still|leav\w+|but|remain\w*|now|original\w*|initial\w*|offer\w*|had|has|have|keeps?|kept)\b"
)
# What became of a slot since: "Tuesday 14:00 (now withdrawn) or Wednesday 11:00".
_AFTERWARDS = re.compile(
    r"^\s*(?:[(\[][^)\]]*[)\]]|,? ?(?:but |since |now |later |has been |then )*"
    r"(?:withdrawn|retracted|taken back|dropped|removed|cancell?ed)\b,?)"
)
_JOIN = re.compile(r"[\s,&+/]*(?:and|or|plus|with)?[\s,&+/]*")
_PIECE = re.compile(r"(?<=[.!?])(?<![ap]\.m\.)\s+|;\s*")
_YES = re.compile(r"[✓✔✅☑]|\b(?:yes|ok|x|free|available|can|works|offered|y)\b")
_NO = re.compile(r"[✗❌✘✖—–-]|\b(?:no|not|n/?a|none|busy|unavailable|n)\b|n't")
_MARKS = re.compile(r"[*`_~]+|^\s*(?:#+|>)\s*")
_BULLET = re.compile(r"^\s*(?:[-*•·+]|\d+[.)])\s+")

Offers = dict[str, set[int]]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads for these people in the week that begins on `monday`. `everyone`: "all three" counts as each of them."""

    names: tuple[str, ...]
    monday: date
    everyone: bool = True

    def slots(self, piece: str) -> list[Slot]:
        return find_slots(piece, self.monday)

    def tokens(self, piece: str) -> list[tuple[int, int, str, int | None]]:
        """Names ("*": all of them) and slots with a time, in order: start, end, name ("": a slot), start in UTC ms."""
        piece = piece[:LONGEST]
        text = fold(piece)
        out: list[tuple[int, int, str, int | None]] = []
        for name in self.names:
            out += [
                (m.start(), m.end(), name, None) for m in re.finditer(rf"\b{name.lower()}\b(?:'s)?", text)
            ]
        out += [(m.start(), m.end(), ALL, None) for m in _ALL.finditer(text) if self.everyone]
        out += [(s.start, s.end, "", s.starts) for s in self.slots(piece) if s.starts is not None]
        return sorted(out)

    # ---- who offered what ----------------------------------------------------------------------------------

    def offers(self, text: str) -> Offers:
        """Which slots (UTC ms) a text gives to each person, in prose, lists or tables."""
        found: Offers = {name: set() for name in self.names}
        owner: tuple[str, ...] = ()
        for block in _blocks(text):
            if block.rows:
                self._table(block.rows, found)
                continue
            line = block.line
            heading = line.rstrip(" *_").endswith(":") or not _BULLET.match(line)
            spoke = False
            last: tuple[
                str, ...
            ] = ()  # who was named first in the piece before: "Mira: Monday 10:00; Tuesday 14:00"
            for piece in _PIECE.split(_BULLET.sub("", line)):
                tokens = self.tokens(piece)
                people = tuple(t[2] for t in tokens if t[2])
                if people and any(not t[2] for t in tokens):
                    self._piece(fold(piece), tokens, found)
                    last = people[-1:] if tokens[0][2] else ()
                elif people and heading:
                    owner, spoke = people, True
                elif tokens and not people and (last or owner):
                    self._give(found, last or owner, [t[3] for t in tokens])
                    spoke = True
            if line.strip() and not spoke and not _BULLET.match(line):
                owner = ()
        return found

    def _give(self, found: Offers, people: Sequence[str], slots: Iterable[int | None]) -> None:
        for name in self.names if ALL in people else people:
            found[name] |= {s for s in slots if s is not None}

    def _piece(self, text: str, tokens: list[tuple[int, int, str, int | None]], found: Offers) -> None:
        if tokens[0][2]:
            self._names_first(text, tokens, found)
        else:
            self._slots_first(text, tokens, found)

    def _names_first(self, text: str, tokens: list[tuple[int, int, str, int | None]], found: Offers) -> None:
        """ "Mira: Monday 10:00 or Tuesday 14:00, Jo: Tuesday 14:00" """
        people: list[str] = []
        named = denied = False
        end = 0
        for start, stop, name, slot in tokens:
            gap = text[end:start] if named or not people else _AFTERWARDS.sub("", text[end:start])
            if name:
                people = [*people, name] if named and _JOIN.fullmatch(gap) else [name]
                named, denied = True, False
            else:
                cues = [(m.end(), True) for m in _NOT.finditer(gap)] + [
                    (m.end(), False) for m in _AGAIN.finditer(gap)
                ]
                denied = max(cues)[1] if cues else denied
                if not denied:
                    self._give(found, people, [slot])
                named = False
            end = stop

    def _slots_first(self, text: str, tokens: list[tuple[int, int, str, int | None]], found: Offers) -> None:
        """ "Tuesday 14:00 works for Mira, Jo and Lee; Wednesday 11:00 only for Jo" """
        slots: list[int | None] = []
        fresh = True
        end = 0
        for n, (start, stop, name, slot) in enumerate(tokens):
            gap = text[end:start]
            if not name:
                slots = [slot] if fresh else [*slots, slot]
                fresh = False
            else:
                after = text[stop : tokens[n + 1][0]] if n + 1 < len(tokens) else text[stop:]
                if not (
                    _NOT.search(gap)
                    or re.match(r"[\s(]*(?:has|have|had)?\s*(?:since )?" + _NOT.pattern, after)
                ):
                    self._give(found, [name], slots)
                fresh = True
            end = stop

    def _table(self, rows: list[list[str]], found: Offers) -> None:
        head = [[t[2] for t in self.tokens(c) if t[2]] for c in rows[0]]
        if sum(bool(h) for h in head) >= 2:  # people as columns
            for row in rows[1:]:
                slots = [s.starts for s in self.slots(row[0])] if row else []
                for people, cell in zip(head, row, strict=False):
                    if people:
                        own = [s.starts for s in self.slots(cell) if s.starts is not None]
                        self._give(found, people, own or (slots if _said_yes(cell) else []))
            return
        columns = [[s.starts for s in self.slots(c) if s.starts is not None] for c in rows[0]]
        for row in rows if not any(head) and not any(columns) else rows[1:]:
            if any(columns[1:]) and row and (people := [t[2] for t in self.tokens(row[0]) if t[2]]):
                for offered, cell in zip(columns[1:], row[1:], strict=False):
                    self._give(found, people, offered if _said_yes(cell) else [])
            else:
                line = " : ".join(row)
                tokens = self.tokens(line)
                if any(t[2] for t in tokens) and any(not t[2] for t in tokens):
                    self._piece(fold(line), tokens, found)


@dataclass(slots=True)
class _Block:
    """A line of a text, or the rows of a table."""

    line: str = ""
    rows: list[list[str]] = field(default_factory=list)


def _blocks(text: str) -> Iterator[_Block]:
    rows: list[list[str]] = []
    ruled = re.search(r"^[ |:-]*-\|[ |:-]*$", text.replace(" |", "|"), re.MULTILINE) is not None
    for raw in [*text.splitlines(), ""]:
        line = _MARKS.sub("", raw)
        if line.strip().startswith("|") or (ruled and "|" in line):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r"[\s:\-]*", c) for c in cells):
                rows.append(cells)
            continue
        if rows:
            yield _Block(rows=rows)
            rows = []
        yield _Block(line=line.replace("|", ";"))


def _said_yes(cell: str) -> bool:
    text = fold(cell)
    return _YES.search(text) is not None and _NO.search(text) is None


# ---- which slot is shared, and what became of it -----------------------------------------------------------------

_SHARED = re.compile(
    r"\b(?:all (?:three|of (?:you|them|us))|every(?:one|body)|three of (?:you|them|us)|shared?|sharing|common"
    r"|overlap\w*|propos\w*|suggest\w*|recommend\w*|suits?|fits?|confirm\w*|agree\w*|the same|works?|match\w*"
    r"|left|leaves?|remains?|earliest|still (?:possible|open|available|free|good|fine)|shall (?:i|we)"
    r"|can (?:you|we) (?:all|meet)|meet(?:ing)?|how about|what about|go(?:es)? with"
    r"|(?:candidate|best|possible|only|next|remaining|new) (?:slot|time|option|one|meeting))\b"
)
# It suits some and not all: that puts no slot forward.
_SOME = re.compile(
    r"\bnot (?:for |suit|work|possible|shared|everyone|all)|\bonly for\b|\b(?:nobody|neither|except)\b"
)
_THING = (
    r"(?:slots?|times?|overlaps?|options?|match\w*|common|shared|mutual|suitable|left|remain\w*|works?|suits?|window"
    r"|that|is left|all three|for all)"
)
_NONE = re.compile(
    r"\b(?:no(?! longer)|not a(?:ny)?|zero|without an?y?|not one|no more|isn't an?y?|aren't any|is not an?y?"
    rf"|don't have an?y?|do not have an?y?|there's no|nothing)\b(?: \w+){{0,3}}? {_THING}\b"
    r"|\bnone\b"
    r"|\bnothing (?:is (?:left|shared|in common|common|possible)|remains|left|works|suits|fits|in common|else)"
    r"|\bno longer (?:any|a|have|share|overlap)\b"
    r"|\b(?:shared|common|overlap\w*|remaining|left)\b[^.!?\n]{0,24}?: ?(?:none|no\b|nothing|0\b|—|-$)"
    r"|\b(?:can't|cannot|couldn't|unable to|(?:not |im)possible to) (?:find|identify|offer|propose|suggest|meet)\b"
    r"|\b(?:don't|doesn't|do not|does not|no longer) (?:overlap|share|coincide|match|line up|see an?y?)\b"
)
_BACK = re.compile(
    r"\b(?:retract\w*|withdr\w*|(?:took|takes|taken|taking|take|pulled|pulls) (?:\S+ ){0,7}?back|no longer|can't|cannot"
    r"|can not|couldn't|cancel\w*|dropp\w*|unavailable|not available|back(?:ed|s|ing)? out|removed|revok\w*|rescind\w*"
    r"|pulled|fell through|falls? (?:through|away|out)|off the table|gone|(?:has |had )?lost|isn't|won't|doesn't"
    r"|out for|not (?:any ?more|free|able)|declin\w*|is out|ruled? out|conflict"
    r"|changed (?:her|his|their) mind)\b"
)
_LINKS = re.compile(r",? (?:but|so|however|which means|leaving|therefore)\b|[—–] | - ")
# Where something is taken back, what is left may follow a mere comma.
_NEXT = re.compile(
    r", (?=(?:and |the |that |this )*(?:next|only|earliest|remaining|new|mon|tue|wed|thu|fri)\w*\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What one message says: slots put forward as shared, days alone put forward, whether it says that none is left,
    who took something back, slots said to be possible no more, whether a zone stands with its times."""

    shared: frozenset[int]
    days: frozenset[date]
    none: bool
    back: frozenset[str]
    gone: frozenset[int]


def said(r: Reader, text: str) -> Said:
    """Read a message sentence by sentence; a line of a list is read with its heading."""
    shared: set[int] = set()
    days: set[date] = set()
    back: set[str] = set()
    gone: set[int] = set()
    none = False
    before: list[Slot] = []
    for sentence in _sentences(text):
        low = fold(sentence[:LONGEST])
        slots = r.slots(sentence)
        if not slots and len(before) == 1 and re.match(r"\W*(?:it|that|this)\b", low):
            slots = before  # "Tuesday 14:00 UTC. It works for all three."
        before = slots
        starts = list(dict.fromkeys(s.starts for s in slots if s.starts is not None))
        people = {t[2] for t in r.tokens(sentence) if t[2]}
        no, taken = _NONE.search(low) is not None, _BACK.search(low) is not None
        none = none or no
        if taken:
            back |= people - {ALL}
            gone |= set(starts)
        if _SHARED.search(low) and not (no or taken or _SOME.search(low)) and _meant(people, r, low):
            if len(starts) == 1:
                shared |= set(starts)
            elif not starts:
                days |= {s.day for s in slots if s.day is not None and s.zone == ""}
    return Said(frozenset(shared), frozenset(days), none, frozenset(back), frozenset(gone))


def _meant(people: set[str], r: Reader, low: str) -> bool:
    """Whether a sentence is about all of them: it names nobody, or all, or says "all"."""
    return not people or ALL in people or set(r.names) <= people or _ALL.search(low) is not None


def _sentences(text: str) -> Iterator[str]:
    heading = ""
    for block in _blocks(text):
        if block.rows:
            yield from (" : ".join(row) for row in block.rows)
            continue
        line = block.line
        item = _BULLET.match(line) is not None
        if not item and line.strip():
            heading = ""
        for piece in _PIECE.split(_BULLET.sub("", line)):
            cut = [
                p
                for part in _LINKS.split(piece)
                for p in (_NEXT.split(part) if _BACK.search(fold(part)) else [part])
            ]
            for part in cut:
                if part.strip():
                    yield f"{heading} {part}".strip() if item and heading else part
        if not item and line.rstrip(" *_").endswith(":"):
            heading = line.strip()


def zoned(text: str) -> bool:
    """Whether a text says that its times are in UTC."""
    return re.search(r"\b(?:utc|gmt|coordinated universal time)\b|\d\s?z\b", fold(text)) is not None
