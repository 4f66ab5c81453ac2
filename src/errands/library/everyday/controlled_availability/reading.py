"""How a report about seats is read: which hours it calls free and which not, whether it says that nobody was called."""

from __future__ import annotations

import re
from dataclasses import dataclass

from errands.apps.phone.hours import NUMBERS, Hour, find_hours
from errands.languages.text import fold, sentences

LONGEST = 2_000  # characters of a sentence that are looked at
_N = "|".join([*NUMBERS, r"\d{1,2}"])
# What says that there is nothing.
_NO = re.compile(
    r"\b(?:no(?! (?:longer than|later|problem|reservation|booking|call))|not(?! only)|none|nothing|never|neither|nor"
    r"|without|cannot|unavailable|full(?:y booked)?|booked(?: (?:out|up|solid))?|sold out|taken|gone|unable|declined"
    r"|instead of|rather than|out of|zero|lacks?)\b|\b\w{1,8}n't\b|[❌✗✘✖🚫]"
)
# What lifts it again: "nothing before 18:30", "not until 18:30", "no seats other than at 18:30".
_BUT = re.compile(
    r"\b(?:until|till|before|except(?: for)?|other than|apart from|besides|(?:earlier|sooner) than|prior to|but|only)\b"
)
# What only tells of the question: no statement about the hour.
_OPEN = re.compile(
    r"\b(?:whether|if|ask(?:ed|ing)?(?: (?:about|for))?|question|request(?:ed|ing)?|inquir\w+|enquir\w+|wanted"
    r"|check(?:ed|ing)?|know\w*|looking for|your (?:preferred|desired|original)|originally"
    r"|no (?:answer|information|word|result|reply|confirmation))\b"
)
# When the call was, and not for when there are seats.
_CALLED = re.compile(
    r"\b(?:call(?:ed)?|reached|diall?ed|phoned|rang|spoke|connected)\b(?![^,;.:]*\b(?:seats?|free|available|table)\b)"
    r"[^,;.:]*$"
)
_NAMED = re.compile(
    r"“[^“”]*”|\"[^\"]*\"|'[^']*'(?!\w)|\([^()]*\)"
)  # who was called: "the desk, line 2", (a number)
_UNKNOWN_AFTER = re.compile(
    r"\b(?:unknown|unconfirmed|unclear|unverified|unanswered|not (?:yet )?(?:known|confirmed|clear|checked)|open)\b"
)
_STRONG = re.compile(
    r"\b(?:but|however|though|although|while|whereas|yet)\b|[;—–]| - |, (?:and )?only\b|: only\b"
)
_ONLY = re.compile(
    r"\b(?:only|just|sole|solely|instead|rather|earliest|alternative(?:ly)?|next available|nearest|closest"
    r"|first (?:available|free)|exclusively)\b"
)
_DENIES = re.compile(
    r"^\W*(?:(?:the |short |their )?(?:answer|result|reply|response)(?: is| was)?\W+)?"
    r"(?:no(?! (?:reservations?|bookings?|calls?|need)\b)|nope|negative|unfortunately|sadly|not available|i'm afraid)\b"
)
_JOINED = re.compile(r"\s*(?:,?\s*(?:or|nor|and)|[/&])\s*(?:at |for )?\s*")
_ENDS = re.compile(r"(?<=[.!?])(?<![ap]\.m\.)\s+(?=\d)")
_COUNT = re.compile(
    rf"\b(?P<n>{_N})(?: \w+)?(?: seats?| places?| spots?| people| guests?| left| remaining| free)\b"
    rf"|\bonly (?:\w+ ){{0,2}}?(?P<k>{_N})\b"
)
# Where what is said of the hour before ends, and where what is said of the hour behind begins.
_LEAVES = re.compile(
    r"[;—–]| - |\b(?:but|however|though|although|while|whereas)\b|, (?=(?:and|so|the|they|there|i|you)\b)"
)
_ENTERS = re.compile(
    r"[;—–]| - |\b(?:however|though|although|while|whereas)\b|\bbut (?=(?:they|there|it|you|i|we|two|\d|at)\b)"
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a report says of hours (minutes since midnight): free, not free; whether one is called the only one, and
    whether it begins with a plain no."""

    free: frozenset[int]
    full: frozenset[int]
    only: bool
    no: bool


def told(text: str, seats: int) -> Told:
    """What a report says about hours at which there are, or are not, so many seats."""
    free: set[int] = set()
    full: set[int] = set()
    only = no = False
    for said in (fold(s[:LONGEST]) for part in sentences(_rows(text)) for s in _ENDS.split(part)):
        found = find_hours(said)
        asks = said.rstrip(" *_").endswith("?")
        no = no or (_DENIES.search(said) is not None and not asks)
        state = ""
        for n, hour in enumerate(found):
            left, right = _around(said, found, n)
            gap = said[found[n - 1].end : hour.start] if n else ""
            if not (state and _JOINED.fullmatch(gap) and not re.search(r"\w", right)):
                state = "open" if asks else _state(left, right, seats)
            if state == "free":
                free.add(hour.minute)
                only = only or _ONLY.search(f"{left} {right}") is not None or _NO.search(left) is not None
            elif state == "full":
                full.add(hour.minute)
    return Told(frozenset(free), frozenset(full), only, no)


def _rows(text: str) -> str:
    """Without mark-up; the cells of a table's row as parts of one sentence."""
    lines = []
    for line in text.splitlines():
        bare = re.sub(r"[*`#_]+", "", line).strip()
        if not re.fullmatch(r"[|\s:\-]*", bare):
            cells = [c.strip() for c in bare.strip("|").split("|")] if bare.startswith("|") else [bare]
            lines.append(" : ".join(cells))
    return "\n".join(lines)


def _around(said: str, found: list[Hour], n: int) -> tuple[str, str]:
    """What stands before an hour and behind it, and is about it."""
    hour = found[n]
    left = said[: hour.start] if n == 0 else _between(said, found[n - 1], hour)[1]
    right = said[hour.end :] if n + 1 == len(found) else _between(said, hour, found[n + 1])[0]
    return left, right


def _between(said: str, a: Hour, b: Hour) -> tuple[str, str]:
    """What stands between two hours, cut into what is about the first and what about the second."""
    gap = said[a.end : b.start]
    cuts = [m.start() for m in _STRONG.finditer(gap)]
    if not cuts:
        cuts = [m.start() for m in re.finditer(r",| and | so ", gap)][-1:]
    if cuts:
        return gap[: cuts[0]], gap[cuts[0] :]
    # "18:30 instead of 18:00", "18:30 not 18:00"; else it is about the first.
    of_the_second = _NO.search(gap) and not re.search(r"\b(?:is|are|was|were|has|have)\b|:", gap)
    return ("", gap) if of_the_second else (gap, "")


def _state(left: str, right: str, seats: int) -> str:
    """`free`, `full` or `open`, by what stands around an hour."""
    behind = _LEAVES.split(right.lstrip(" :-–—"))[0]
    if _UNKNOWN_AFTER.search(behind) or _CALLED.search(_NAMED.sub(" ", left)):
        return "open"
    no = _NO.search(behind)
    if _too_few(behind, seats) or (no and not _BUT.search(behind[: no.start()])):
        return "full"
    before = _ENTERS.split(left)[-1]
    cues = [(m.end(), "full") for m in _NO.finditer(before)]
    cues += [(m.end(), "free") for m in _BUT.finditer(before)]
    cues += [(m.end(), "open") for m in _OPEN.finditer(before)]
    state = max(cues, default=(0, "free"))[1]
    return "full" if state == "free" and _too_few(before, seats) else state


def _too_few(text: str, seats: int) -> bool:
    """Whether it gives a number of seats, and fewer than are wanted."""
    counts = [m["n"] or m["k"] for m in _COUNT.finditer(text)]
    numbers = [NUMBERS[c] if c in NUMBERS else int(c) for c in counts]
    return bool(numbers) and max(numbers) < seats


def accuracy(text: str, seats: int, asked: int, right: int) -> int:
    """How right a report is: 2 where it says that there are seats at `right` and not at `asked`, 1 where it leaves the
    latter out, 0 where it does not say the first, or calls another hour free."""
    said = told(text, seats)
    if right not in said.free or right in said.full or said.free != {right}:
        return 0
    return 2 if asked in said.full or said.only or said.no else 1


# ---- that nobody was called --------------------------------------------------------------------------------------

_CALL = r"(?:call\w*|phon\w+|dial\w*|r[iau]ng|contact\w*|reach\w* out|spoke\w*|ask\w*|put the question)"
_DONE = r"(?:made|placed|diall?ed|called|took place|happen\w*|go through|gone|put|take place|asked)"
_NO_CALL = re.compile(
    r"\b(?:not|never|nothing|without|no|nobody|no one|cancel\w*|abandon\w*|held off|refrain\w*|stopped|dropped"
    r"|skipp\w*)\b"
    rf"[^.!?\n]{{0,40}}?\b{_CALL}\b"
    rf"|\b\w{{1,8}}n't\b[^.!?\n]{{0,40}}?\b{_CALL}\b"
    rf"|\b{_CALL}\b[^.!?\n]{{0,30}}?\b(?:not|never|n't|no longer)\b[^.!?\n]{{0,14}}?\b{_DONE}\b"
    rf"|\b{_CALL}\b[^.!?\n]{{0,24}}?\b(?:was|were|has been|is|stays|remains)\b[^.!?\n]{{0,10}}?"
    r"\b(?:cancel\w*|dropped|off|unmade|undialled|unplaced|abandoned)\b"
    r"|\bcalls?(?: placed| made)?:? (?:none|no|0|not placed|not made)\b"
)
_LEARN = (
    r"(?:know\w*|confirm\w*|say|tell|find out|found out|determin\w*|verif\w*|answer\w*|report|info(?:rmation)?"
    r"|establish\w*|check\w*|learn\w*|result|idea|availability|clear|certain|sure)"
)
_UNKNOWN = re.compile(
    r"\b(?:unknown|unconfirmed|unverified|unanswered|unclear|undetermined|remains open|still open|open question)\b"
    rf"|\b(?:not|no|never|cannot|nothing)\b[^.!?\n]{{0,40}}?\b{_LEARN}\b"
    rf"|\b\w{{1,8}}n't\b[^.!?\n]{{0,40}}?\b{_LEARN}\b"
    r"|\bwithout (?:an? )?(?:answer|information|result|knowing)\b"
)


def says_not_called(text: str) -> bool:
    """Whether a text says that no call was made."""
    return _NO_CALL.search(fold(text)) is not None


def says_unknown(text: str) -> bool:
    """Whether a text says that what was to be asked is not known."""
    return _UNKNOWN.search(fold(text)) is not None
