"""What a respondent makes of an utterance in English: what is wanted, for how many, at which hour. Rules, in order.

`tests/apps/test_phone_hearing.py` measures them on what callers say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from errands.languages.text import fold

from .hours import NUMBERS, find_hours

Act = Literal[
    "reserve",  # asks that something be booked
    "accept",  # says yes to what was offered
    "perhaps",  # may have said yes
    "decline",  # wants nothing booked
    "availability",  # asks what is free, or gives what was asked back
    "others",  # asks for other hours
    "other_day",
    "repeat",
    "wait",
    "thanks",
    "bye",
    "greet",
]


@dataclass(frozen=True, slots=True)
class Heard:
    """An utterance as understood: `hours` in minutes since midnight; `numbers`, all that it counts people by."""

    acts: frozenset[Act]
    seats: int | None
    hours: tuple[int, ...]
    numbers: frozenset[int] = frozenset()


def _any(*choices: str) -> str:
    """One of these expressions."""
    return f"(?:{'|'.join(choices)})"


def _word(*choices: str) -> re.Pattern[str]:
    """One of these expressions, as whole words."""
    return re.compile(rf"\b{_any(*choices)}\b")


# ---- for how many ------------------------------------------------------------------------------------------------

_N = "|".join([*list(NUMBERS)[1:], r"\d{1,2}", "a couple", "a pair"])
_HEADS = r"(?:people|persons?|guests?|adults?|pax|covers?|diners?|visitors?)"
_CLOCK = "⌚"  # stands where an hour stood, so that no number is read there
_PLACES = r"(?:seats?|spots?|spaces?|places?)"
_TIMES = r"(?! ?(?:minutes?|hours?|days?|am|pm|o'clock|moments?|seconds?))"
_SEATS = (
    re.compile(rf"\b(?P<n>{_N})(?: of)?(?: \w+)?(?: free| open| available)? (?:{_PLACES}|{_HEADS})\b"),
    re.compile(rf"\b(?P<n>{_N}) of (?:us|them)\b"),
    re.compile(rf"\b(?:party|group|tables?|seating|room|space|reservation|booking) (?:of|for) (?P<n>{_N})\b"),
    re.compile(rf"\b(?:for|seat|fit) (?P<n>{_N})\b{_TIMES}"),
    re.compile(rf"\b(?P<n>{_N}) (?:at|for) {_CLOCK}"),
)
# The whole answer to "for how many?" and "at what time?".
_BARE = re.compile(
    rf"^\W*(?:just |only |that's |that is |it's |it is |yes,? |for )*(?P<n>{_N})\W*(?:please)?\W*$"
)
_BARE_HOUR = re.compile(rf"^\W*(?:just |at |around |about |for |it's |yes,? )*(?P<n>{_N})\W*(?:please)?\W*$")

# ---- booking -----------------------------------------------------------------------------------------------------

_NOUN = r"(?:seats?|seating|spots?|spaces?|places?|tables?|reservations?|bookings?|slots?)"
_MINE = r"(?:a|the|that|this|my|our|your|their)"
_BOOK = _any(
    r"(?:re)?book",
    r"re-?serve",
    r"hold",
    r"put [^.!?]{1,24} down",
    r"pencil (?:me|us|it|them|that) in",
    r"(?:make|place|take|do|arrange|set up|get|secure|confirm|go ahead with|finali[sz]e|complete) (?:me |us |them )?"
    rf"{_MINE} (?:\w+ )?(?:reservation|booking|table)",
    r"(?:take|secure|confirm|grab|keep|save|have) "
    r"(?:it|that(?: one| slot| table| time)?|them|those|the (?:seats?|table|slot))",
)
_LEAD = _any(
    r"please",
    r"kindly",
    r"(?:could|can|would|will) you(?: please| kindly)?",
    r"would you mind",
    r"go ahead and",
    r"let'?s",
    r"let us",
    r"(?:i|we|they)(?:'d| would) (?:like|love|want) (?:you )?to",
    r"(?:i|we|they) (?:want|need|wish|mean) (?:you )?to",
    r"(?:i|we)(?:'ll| will| shall)",
    r"(?:i|we)(?:'m| am|'re| are) (?:calling|ringing|phoning|looking|here|hoping) to",
    r"(?:my client|she|he) (?:would like|wants) to",
    r"(?:and|then|so|yes,?|ok(?:ay)?,?|sure,?|great,?|perfect,?)",
)
_RESERVE = (
    re.compile(rf"(?:^|[.!?;:,] ?|\b{_LEAD},? )(?:also |just |then |now |please |both |to )*{_BOOK}\b"),
    re.compile(rf"\b{_BOOK}\b[^.!?]{{0,40}}\bplease\b(?!\?)"),
    re.compile(rf"\b(?:i|we|they)(?:'d| would) like (?:a |an |the |\d+ |\w+ )?(?:{_NOUN}|that|it)\b"),
    re.compile(r"\b(?:i|we|they)(?:'ll| will| shall) (?:take|have|go for|go with)\b"),
    re.compile(r"^\W*(?:a |one )?(?:reservation|booking|table)s? for [^?]*$"),
    re.compile(r"\b(?:it's|that's|that is|it is) a (?:yes|deal|booking)\b"),
)
# Asked about, or set aside: no request.
_ASKED = re.compile(
    r"\b(?:can|could|may|might|would|should|do|does|if|whether|how (?:do|can|would|could)|able|possible|before"
    r"|without|rather than|instead of|prior to|in case|later|want to know|asking|ask) ?"
    r"(?:i|we|they|he|she|someone|one|people|my client|it be|be able)? ?"
    r"(?:need to |want to |have to |be able to |to |possible to |were to |still |ever |decide to |decides to )*"
    rf"(?:{_BOOK}|booking|reserving|holding"
    r"|(?:take|make|making|placing|get|have|be) (?:\w+ )?(?:reservations?|bookings?|reserved|booked|held))\b"
)
# Done by somebody else, or at another time.
_LATER = _word(
    r"(?:will|'ll|would|may|might) (?:then )?(?:call|ring|phone|get|come|be) (?:you )?back",
    r"(?:call|ring) again",
    r"let (?:them|her|him|you|my \w+|maren) know",
    r"(?:'ll|will) (?:tell|inform|update|relay)",
    r"pass (?:it|that|this) (?:on|along|back)",
    r"check with",
    r"(?:speak|talk) (?:to|with)",
    r"report (?:it|that|this)? ?back",
    r"confirm with",
    r"at a later",
    r"later on",
    r"another time",
    r"(?:they|she|he)(?:'ll| will| may| might| can) (?:decide|book|reserve|call|ring)",
)
_NOT = re.compile(
    r"(?:\b(?:not|no|never|nothing|don't|won't|doesn't|didn't|isn't|wasn't|aren't|can't|cannot|nor|neither)\b|n't\b)"
    rf"[^.!?;]{{0,45}}?(?:{_BOOK}|book\w*|reserv\w*|hold\w*|held|commit\w*|needed|necessary|required|anything|yet)\b"
)
_DECLINE = re.compile(
    r"^\W*(?:oh,? )?(?:no|nope|nah|not (?:now|yet|today|at this (?:time|point|stage|moment)))\b"
    r"|\bno,? thank(?:s| you)\b"
    r"|\b(?:just|only|merely|simply) (?:an? )?(?:ask\w*|check\w*|inquir\w*|enquir\w*|call\w* (?:to|about)"
    r"|want\w* to (?:know|ask|check)|need\w* (?:to know|the info\w*)|a question|information|gathering)\b"
    r"|\bthat(?:'s| is| was| will be|'ll be) (?:all|everything)(?: (?:i|we) (?:needed|wanted|need|want))?\b"
    r"|\bleave it (?:at that|for now|there)\b"
    r"|\bi'?ll (?:leave it|pass)\b(?! (?:it|that|this|the|on)\b)"
)
_YES = _word(
    "yes",
    "yeah",
    "yep",
    "yup",
    "sure",
    "certainly",
    "absolutely",
    "definitely",
    "please(?: do)?",
    "of course",
    "go ahead",
    "(?:let's )?do (?:that|so|it)",
    "by all means",
    "why not",
)
_SOFT = _word(
    r"ok(?:ay)?",
    r"(?:great|perfect|wonderful|lovely|excellent|fine|good|all ?right|works)",
    r"sounds? (?:good|great|fine|perfect)",
    r"that(?:'d| would|'ll| will)? (?:be \w+|works?|suits?(?: \w+)?|do)",
)
_FITS = re.compile(
    r"^\W*(?:yes|yeah|yep|sure)\b|\b(?:works|suits|(?:is|are|sounds|looks) (?:fine|good|great|perfect))\b"
)
_COURTESY = _word(
    r"(?:thank(?:s| you)|very much|so much|a lot|indeed|much appreciated|cheers|ma'am|sir|kind of you)",
    r"(?:oh|ah|well|very|then|and|that|it|for|us|me|you|is|are|we|i|the|this|so|with|in)",
)

# ---- asking ------------------------------------------------------------------------------------------------------

_FREE = _word(
    r"(?:availab\w*|free|open(?:ings?)?|vacan\w*|left|space|room|have|got|fit|seat|any\w*|possib\w*|spare|squeeze)",
    r"(?:accommodat\w*|offer|chance|booked|full|still|take)",
)
_ASKS = re.compile(
    r"\?|\b(?:whether|if|ask\w*|check\w*|inquir\w*|enquir\w*|wonder\w*|know|find out|see|tell|looking for|question"
    r"|interested|about|do you|are there|is there|have you|can|could|would|confirm)\b"
)
_TABLE = _word(_NOUN, "availability", _HEADS)
_OTHERS = re.compile(
    r"\b(?:any(?:thing)?|some|is there|what|which|another|other|else)\b[^.!?]*"
    r"\b(?:else|other (?:time|hour|slot|option|seating)s?|another (?:time|hour|slot|option|one)|earlier|later"
    r"|alternativ\w*|what (?:time|hour)s?|nearest|closest|next|options?)\b"
    r"|\bwhat (?:time|hour)s?\b|\bwhen (?:do|could|can|would|is|are)\b|\bthe only\b[^.!]*\?"
    r"|\bwhat (?:do you have|have you got|is (?:available|free)|'s (?:available|free))\b"
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OTHER_DAY = _word("tomorrow", "day after", r"next (?:week|month|\w+day)", "yesterday", "weekend")

# ---- and the rest of a conversation ------------------------------------------------------------------------------

_REPEAT = re.compile(
    r"\b(?:repeat|say (?:that|it) again|come again|pardon|once more|what was that|sorry\?"
    r"|(?:didn't|did not|couldn't|can't|could not) (?:quite )?(?:catch|hear|get|understand))"
)
_WAIT = _word(
    r"(?:one|just a) (?:moment|second|sec|minute)",
    "(?:hold|hang) on",
    "bear with",
    "a moment please",
    "hold the line",
)
_THANKS = _word("thank(?:s| you)", "cheers", r"appreciate\w*", "much obliged")
_BYE = _word(
    r"good ?bye",
    r"bye(?: ?-?bye)?",
    r"have a (?:\w+ )?(?:day|evening|night|one|time|weekend)",
    r"take care",
    r"see you",
    r"good night",
    r"enjoy your (?:evening|day|night)",
)
_GREET = _word(
    r"hello|hi|hey|greetings",
    r"good (?:morning|afternoon|evening|day)",
    r"this is|my name is|speaking|on behalf of",
    r"i(?:'m| am) (?:calling|ringing|phoning|an?)",
    r"calling (?:for|from)",
)


def heard(text: str, *, today: int, asked: str = "", offered: bool = False) -> Heard:
    """What an utterance says to somebody who asked back for `asked` (`seats`, `hour` or nothing), and has or has not
    just `offered` to book. `today`: the weekday, Monday 0."""
    said = fold(text)
    rest = said
    hours = []
    for h in reversed(find_hours(text)):
        hours.append(h.minute)
        rest = f"{rest[: h.start]}{_blank(h.end - h.start)}{rest[h.end :]}"
    hours = list(dict.fromkeys(reversed(hours)))
    seats = next((_number(m["n"]) for p in _SEATS if (m := p.search(rest))), None)
    if seats is None and asked == "seats" and (m := _BARE.match(rest)):
        seats = _number(m["n"])
    if not hours and asked == "hour" and seats is None and (m := _BARE_HOUR.match(rest)):
        n = _number(m["n"])
        hours = [(n + 12 if n < 12 else n) * 60] if n < 24 else []
    acts = _acts(said, rest, bool(hours or seats), asked, offered)
    if _OTHER_DAY.search(said) or any(d in said for n, d in enumerate(_DAYS) if n != today):
        acts.add("other_day")
    numbers = {_number(m["n"]) for p in _SEATS for m in p.finditer(rest)}
    return Heard(frozenset(acts), seats, tuple(hours), frozenset(numbers))


def _blank(n: int) -> str:
    """What stands in the place of an hour."""
    return _CLOCK + " " * (n - 1)


def _number(word: str) -> int:
    return 2 if word in ("a couple", "a pair") else NUMBERS[word] if word in NUMBERS else int(word)


def _acts(said: str, rest: str, given: bool, asked: str, offered: bool) -> set[Act]:
    acts: set[Act] = set()
    found: tuple[tuple[Act, re.Pattern[str]], ...] = (
        ("repeat", _REPEAT),
        ("wait", _WAIT),
        ("thanks", _THANKS),
        ("bye", _BYE),
        ("greet", _GREET),
        ("others", _OTHERS),
    )
    acts |= {act for act, pattern in found if pattern.search(said)}
    bare = _WAIT.sub(" ", _NOT.sub(" ", rest))
    denied = bare != _WAIT.sub(" ", rest)
    bare = _LATER.sub(" ", _ASKED.sub(" asks about ", bare))
    later = _LATER.search(said) is not None
    if any(p.search(bare) for p in _RESERVE) and not later:
        acts.add("reserve")
    elif denied or _DECLINE.search(said):
        acts.add("decline")
    elif offered and not given and not later and "?" not in said:
        left = _COURTESY.sub(" ", _SOFT.sub(" ", _YES.sub(" ", _WAIT.sub(" ", said))))
        if not re.search(r"\w", left):
            acts |= {"accept"} if _YES.search(said) else {"perhaps"} if _SOFT.search(said) else set()
    elif offered and given and not later and "?" not in said and _FITS.search(said):
        acts.add("perhaps")
    about = given or _TABLE.search(rest) is not None
    asks = _ASKS.search(said) is not None or _FREE.search(rest) is not None
    if (about and (asks or given) and "reserve" not in acts and "perhaps" not in acts) or (asked and given):
        acts.add("availability")
    return acts
