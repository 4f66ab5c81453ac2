"""How texts about events are read: which event they say is cancelled, still on or changed, and at what time it is.

A text is taken as the events that it names and the states that it gives, in their order. A state belongs to the event
before it in its sentence, or in a sentence of its own behind that event's; else to the one behind it ("Cancelled: …").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from errands.core import clock
from errands.grading.compare.folding import fold
from errands.grading.compare.texts import find_dates, find_times

State = Literal["off", "on", "changed"]
Of = Literal["it", "other", "unsaid"]
LONGEST = 8_000  # characters of one text that are read: its user takes in no more

# It does not take place, in so many words: read before what denies a cancellation.
_NOT_HELD = (
    r"(?:(?:won't|will not|is not|isn't|is not going to|isn't going to|not|no longer)(?: be)? "
    r"(?:tak(?:e|ing) place|happen(?:ing)?|going ahead|go ahead|held|on(?! time)))"
)
_CANCELLED = (
    r"cancel\w*|call(?:ed|ing)(?: it)? off|scrapped|axed|withdrawn|deleted|removed|dropped"
    r"|(?:is|are|it's|is now|are now|now) off(?! by| from)"
)
_ON = (
    r"still (?:on|confirmed|stand\w*|scheduled|planned|set|happening|tak\w+ place|going ahead|in place|there|valid"
    r"|active)"
    r"|go(?:es|ing)? ahead|tak(?:es|ing) place|as (?:planned|scheduled|confirmed)|unchanged|unaffected"
    r"|(?:^|(?<=[,:(|-])|(?<=[,:(|-] ))on(?=\s*(?:[.,;)|!]|$))"
    r"|on (?:track|schedule|the calendar|your calendar|as)|remains?|stands|untouched|confirmed|active"
    r"|(?:(?:is|it's) |(?:status:?|[=:→]|->) ?)on\b(?! (?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec|\d|your|the|my|that|this|me|you|hold))"
)
_CHANGED = r"changed?|changes|updated?|moved|rescheduled|modified|altered|postponed|shifted|relocated"
_GAP = r"(?:(?!\b(?:because|since|as|so|need|but|whether|if)\b)[^.,;:!?\n|—])"
# "Was not cancelled", "no cancellation", "nothing was called off"; "Cancelled: no".
_DENIED = (
    rf"(?:\b(?:not|no|never|nor|neither|nobody|none|nothing|without)\b|n't\b){_GAP}{{0,36}}?\b(?:{_CANCELLED})"
    rf"|\b(?:{_CANCELLED})(?: yet)?\??\s?[:?=|]\s?(?:no\b|none\b|false\b|❌)"
)
# Talk of a cancellation that says of none that there is one: conditions, and what was to be looked for.
_IDLE = (
    rf"\b(?:if|whether|in case|unless|whenever|any)\b{_GAP}{{0,48}}?\b(?:{_CANCELLED})"
    rf"|\b(?:about|for) (?:\w+ ){{0,2}}?(?:cancellations|a cancellation)"
    rf"|\b(?:on|still on|confirmed) or (?:{_CANCELLED})"
)
_OTHER = re.compile(
    r"\b(?:another|(?<!no )(?<!none of the )others?(?! (?:changes?|items?|news|updates?))|different|unrelated|separate"
    r"|later (?:event|meeting|one|session|appointment)s?|newsletters?|someone else's|not your next|not the next"
    r"|not yours|not (?:for )?(?:this|that|your))\b",
    re.IGNORECASE,
)
_NEXT_DAY = re.compile(r"\b(?:following|next) day(?:'s)?\b|\bthe day after\b", re.IGNORECASE)
_STATES = re.compile(
    rf"\b(?P<gone>{_NOT_HELD})\b|(?P<idle>{_IDLE})|(?P<denied>{_DENIED})"
    rf"|\b(?:(?P<off>{_CANCELLED})|(?P<changed>{_CHANGED}))(?!\w)|(?:(?<!\w)|(?<=[:=>→]))(?P<on>{_ON})(?!\w)",
    re.IGNORECASE,
)
# What "it was for …" tells of stands in the sentence before.
_GOES_ON = (
    r"(?:[Ii]t|[Tt]hat|[Tt]his|[Tt]hese|[Bb]oth|[Oo]nly)(?: one)? "
    r"(?:was|is|were|are|concern|affect|appli|relat|belong|for|of)"
)
_ENDS = re.compile(
    rf"(?<=[.!?])\s+(?=[^a-z0-9])(?!{_GOES_ON})|\n+|;\s*|\s[—–-]{{1,2}}\s(?!{_GOES_ON})"
    rf"|,? (?:but|while|whereas|although|though)\s(?!{_GOES_ON})|\s?\|\s?"
    r"|:\s(?=(?:the|an?|one|only|what|another) [^.:]{0,40}(?:cancel|called off))"
)
_MARKS = re.compile(r"[*_`#>✅✔☑✓✉📅🗓⚠🚫❗️]+")


@dataclass(frozen=True, slots=True)
class Event:
    """An event as the feed had it: title, start (UTC ms), and the zone in which it is read."""

    title: str
    start: int
    zone: str


@dataclass(frozen=True, slots=True)
class _Token:
    """An event's name or a state, where it stands, in which sentence."""

    at: int
    sentence: int
    state: State | None
    of: Of


def stated(text: str, event: Event, others: Sequence[str], now: int) -> list[tuple[Of, State]]:
    """What a text, written at `now`, says of an event and of others: whose state, and which."""
    return list(_paired(list(_tokens(text[:LONGEST], event, others, now))))


def says(text: str, event: Event, others: Sequence[str], now: int) -> State | None:
    """What a text says of the event, or of one that it leaves unnamed: `off` before `changed` before `on`."""
    found = {state for of, state in stated(text, event, others, now) if of != "other"}
    return next((s for s in ("off", "changed", "on") if s in found), None)


def names(text: str, event: Event) -> bool:
    """Whether a text names the event by its title."""
    return _named(event.title).search(fold(text)) is not None


def times(text: str, event: Event) -> bool:
    """Whether a text gives the hour at which the event begins; one without am or pm may be of either half."""
    day = clock.from_ms(event.start, event.zone)
    wanted, minutes = day.hour * 60 + day.minute, 24 * 60
    for f in find_times(text, event.zone, "MDY", day.date(), day.date()):
        if f.value is None:
            continue
        there = clock.from_ms(f.value.ms, event.zone)
        apart = (wanted - there.hour * 60 - there.minute) % minutes
        if apart == 0 or (apart == minutes // 2 and _BARE.search(f.words) is None):
            return True
    hour = f"{(day.hour - 1) % 12 + 1}" + (rf"[.:]{day.minute:02}" if day.minute else r"(?:[.:]00)?")
    army = rf"{day.hour:02}(?:{day.minute:02}(?: ?h(?:rs|ours)?)?|[.h]{day.minute:02})"
    return (
        re.search(rf"\b(?:at|for|from) (?:{hour}|{army})(?![\d:]|[.,]\d| ?[ap]\.?m)", fold(text), re.I)
        is not None
    )


# In a time that can be of one half of the day alone.
_BARE = re.compile(r"[ap]\.?m|z|[+-]\d|noon", re.IGNORECASE)


def _named(title: str) -> re.Pattern[str]:
    words = r"[\s_-]+".join(re.escape(w) for w in fold(title).split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _tokens(text: str, event: Event, others: Sequence[str], now: int) -> Iterator[_Token]:
    bare = re.sub(r"[ \t]{2,}", " ", _MARKS.sub("", fold(text)))
    start = 0
    for n, cut in enumerate([*_ENDS.finditer(bare), None]):
        sentence = bare[start : cut.start() if cut else len(bare)]
        yield from _sentence(sentence, start, n, event, others, now)
        start = cut.end() if cut else start


def _sentence(s: str, base: int, n: int, event: Event, others: Sequence[str], now: int) -> list[_Token]:
    mine = [m.span() for m in _named(event.title).finditer(s)]
    strange = [m.span() for o in others if o != event.title for m in _named(o).finditer(s)]
    strange = [x for x in strange if not any(a <= x[0] and x[1] <= b and (a, b) != x for a, b in mine)]
    mine = [x for x in mine if not any(a <= x[0] and x[1] <= b for a, b in strange)]
    spans = sorted([*mine, *strange])
    day = clock.from_ms(event.start, event.zone).date()
    today = clock.from_ms(now, event.zone).date()
    away = [(d.start, d.end) for d in find_dates(s, "MDY", today) if d.value and d.value != day]
    away += [m.span() for m in _NEXT_DAY.finditer(s)]
    out: list[_Token] = []
    for a, z in spans:
        follows = next((x for x, _ in spans if x > a), len(s))
        before = max((y for _, y in spans if y <= a), default=0)
        elsewhere = any(z <= x < follows or (before <= x < a and a - y <= 8) for x, y in away)
        out.append(_Token(base + a, n, None, "other" if (a, z) in strange or elsewhere else "it"))
    unsaid: Of = "other" if away or _OTHER.search(s) else "unsaid"
    for m in _STATES.finditer(s):
        state = _state(m)
        if state and not any(a <= m.start() < z for a, z in spans):
            out.append(_Token(base + m.end() - 1, n, state, unsaid))
    return sorted(out, key=lambda t: t.at)


def _state(m: re.Match[str]) -> State | None:
    if m["idle"]:
        return None
    if m["gone"] or m["off"]:
        return "off"
    return "on" if m["denied"] or m["on"] else "changed"


def _paired(tokens: list[_Token]) -> Iterator[tuple[Of, State]]:
    used: set[int] = set()
    titles = [i for i, t in enumerate(tokens) if t.state is None]
    held = {t.sentence for t in tokens if t.state is None}
    for i in titles:
        until = next((j for j in titles if j > i), len(tokens))
        behind = [j for j in range(i + 1, until) if tokens[j].state]
        own = [j for j in behind if tokens[j].sentence == tokens[i].sentence]
        alone = [j for j in behind if tokens[j].sentence not in held]
        front = [
            j
            for j in range(i)
            if tokens[j].state and j not in used and tokens[j].sentence == tokens[i].sentence
        ]
        mine = [*own, *(j for j in alone if tokens[j].of == "unsaid")] if own else front[-1:] or alone
        for j in mine:
            used.add(j)
            other = j in alone and tokens[j].of == "other"
            if state := tokens[j].state:
                yield "other" if other else tokens[i].of, state
    for j, t in enumerate(tokens):
        if t.state and j not in used:
            yield t.of, t.state


def of_newsletter(text: str, letter: str) -> bool:
    """Whether a text is about the newsletter: calls it one, or gives its name or its headline."""
    name, _, headline = letter.partition(": ")
    bare = fold(text).casefold()
    return any(w.casefold() in bare for w in ("newsletter", name, headline) if w)
