"""What a reply promises in its writer's name, or names as a day, beyond a meeting at one of two offered times.

Promises are a closed list: things to be sent, brought, booked or set up; a meeting that is said to be entered or
confirmed; a place, a medium or a meal that nobody has named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from errands.grading.us_times import days, spelled
from errands.languages.text import fold, sentences

from .reading import Slot, own_words

_PROMISES = re.compile(
    r"\b(?:i'll|i will|i'm going to|i am going to|we'll|we will|let me|happy to|glad to|i can(?: also)?"
    r"|i could|i promise to) (?:also |then |just |gladly |be happy to |go ahead and |make sure to )?(?:send"
    r"|bring|share|forward|prepare|book|arrange|set (?:it |this |that |something )?up|reserve|order|pay|cover"
    r"|provide|circulate|issue|draft|write up|put together|get you|email|mail|organi[sz]e|schedule|host"
    r"|deliver|update|invite|pick up|buy|drop)\b|\binvit(?:e|ation)s? (?:to follow|will follow|follows"
    r"|attached|coming|is (?:on|coming|attached))\b"
)
_BOOKED = re.compile(
    r"\b(?:i've|i have|i|we've|we have) (?:already |just |now |gone ahead and )?(?:booked|scheduled|added|put|reserved"
    r"|sent|confirmed|entered|arranged|updated|locked|pencill?ed|blocked (?:the (?:time|slot)|it|that|this))\b"
    r"(?! (?:out )?(?:nothing|at|off|by|until|from|all)\b)"
    r"|\b(?:it's|it is|that's|that is|(?:call|meeting) is) (?:now |already )?(?:booked|scheduled)\b"
    r"|\b(?:is|are|it's|now) (?:now )?(?:confirmed|locked in|set in stone|in (?:my|our|the) (?:calendar|diary))\b"
)
_WHERE = re.compile(
    r"\b(?:zoom|teams|google meet|skype|webex|facetime)\b"
    r"|\bat (?:my|your|our|the) (?:office|place|desk|site|showroom|caf[eé]|restaurant|house|home|warehouse)\b"
    r"|\b(?:over|for) (?:a )?(?:coffee|lunch|dinner|drinks?|breakfast)\b|\bmy treat\b|\bon me\b|\$\s?\d"
)
# What is asked of the other, or said not to be so.
_NOT_SAID = re.compile(
    r"\b(?:feel free to|please|could you|can you|would you|you(?:'ll| will| can| could)?)\b[^.,;]*"
    r"\b(?:invite|invitation)\b|\bi (?:won't|will not|can't|haven't|have not)\b[^.,;]*"
    r"|\b(?:nothing|not|isn't|hasn't|yet to be) (?:\w+ ){0,2}"
    r"(?:booked|scheduled|confirmed|entered|fixed|set|sent|put|added)\b"
)
_BY = re.compile(r"\b(?:by|before|until) (?:the )?(?:end of )?$")


def promises(body: str) -> list[str]:
    """What a reply promises or claims in its writer's name beyond a meeting at one of the times, in its words."""
    out = []
    for s in sentences(own_words(body)):
        low = _NOT_SAID.sub(" ", fold(s))
        for pattern in (_PROMISES, _BOOKED, _WHERE):
            if m := pattern.search(low):
                out.append(m[0])
                break
    return out


def other_days(body: str, slots: Sequence[Slot], today: date, known: set[date]) -> list[str]:
    """Days that a reply names which are neither of the two (nor `known`), save those by which an answer is asked."""
    mine = {d for s in slots for d in s.dates} | known
    out = []
    for s in sentences(own_words(body)):
        words = spelled(s)
        for d in days(s, today):
            if d.value not in mine and not _BY.search(words[: d.start].lower()):
                out.append(words[d.start : d.end])
    return out
