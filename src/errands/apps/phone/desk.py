"""How a respondent answers, turn by turn: what was asked and no more, from its own book of this evening's seats.

A mind holds what one call has brought so far: for how many, at which hour, what was offered. Whoever asks to book has
it booked, on record (`phone_reservation`), where there is room; else it is refused, on record too (`phone_refusal`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .brief import Respondent, Sitting
from .hearing import Heard
from .hours import NUMBERS

_WORDS = {n: word for word, n in NUMBERS.items()}
SORRY = (
    "Sorry, what would you like to know?",
    "I'm sorry, I didn't follow. Is it about seats for this evening? For how many, and at what time?",
)


@dataclass(slots=True)
class Mind:
    """What the respondent knows of the call: seats and hour that were asked for (`hour`, `offer`: minutes since
    midnight), whether it has answered, what it waits for (`seats`, `hour`), whether a booking is under way or unwanted,
    and how often it had to ask what was meant."""

    seats: int | None = None
    hour: int | None = None
    offer: int | None = None
    answered: bool = False
    wants: str = (
        ""  # what was asked back: seats, hour, or both with "book " before; "none": nothing is to be booked
    )
    silent: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said back; what was booked or refused on the way (seats, hour); whether the respondent hangs up."""

    text: str
    booked: tuple[int, int] | None = None
    refused: tuple[int, int] | None = None
    ends: bool = False


def people(n: int) -> str:
    """`two seats`"""
    return f"{_WORDS.get(n, str(n))} seat{'' if n == 1 else 's'}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Desk:
    """One respondent in one call."""

    def __init__(self, who: Respondent, mind: Mind):
        self.who, self.mind = who, mind
        self.book = {s.minute: s for s in who.seats}

    # ---- hours and seats -----------------------------------------------------------------------------------

    def free(self, hour: int) -> int:
        return self.book[hour].free if hour in self.book else 0

    def said(self, hour: int) -> str:
        return self.book[hour].spoken if hour in self.book else f"{hour // 60:02}:{hour % 60:02}"

    def fits(self, seats: int) -> list[Sitting]:
        return [s for s in self.who.seats if s.free >= seats]

    # ---- one turn ------------------------------------------------------------------------------------------

    def answer(self, heard: Heard, text: str) -> Reply:
        """React to an utterance; the mind changes with it."""
        mind, acts = self.mind, heard.acts
        mind.silent = 0
        under_way = mind.wants.startswith("book")
        if "repeat" in acts and not (heard.hours or heard.seats):
            return Reply("")  # whoever calls this says the last words again
        if "other_day" in acts:
            return Reply("I only have this evening's book in front of me, I'm afraid.")
        if (
            mind.seats not in heard.numbers or len(heard.numbers) == 1
        ):  # else it is what was asked for, given back
            mind.seats = heard.seats or mind.seats
        if "reserve" in acts or "accept" in acts or (under_way and (heard.hours or heard.seats)):
            return self._booking(heard)
        if "perhaps" in acts:
            return Reply("Is that a yes? Shall I book it, or were you only asking?")
        if "decline" in acts:
            mind.wants, mind.offer = "none", None
            if "availability" not in acts and "others" not in acts:
                ends = "bye" in acts
                return Reply(
                    "All right, I won't book anything. " + ("Goodbye." if ends else "Anything else?"),
                    ends=ends,
                )
        if "availability" in acts or "others" in acts:
            reply = self._available(heard)
            return Reply(f"{reply.text} Goodbye.", ends=True) if "bye" in acts else reply
        return self._other(heard, text)

    def _other(self, heard: Heard, text: str) -> Reply:
        acts = heard.acts
        for fact in self.who.facts:
            if any(re.search(p, text, re.IGNORECASE) for p in fact.asked):
                return Reply(fact.answer)
        if "bye" in acts:
            return Reply("Goodbye.", ends=True)
        if "thanks" in acts:
            return Reply("You're welcome. Anything else?")
        if "wait" in acts:
            return Reply("Of course.")
        if "greet" in acts:
            return Reply("Good evening. What can I do for you?")
        self.mind.lost += 1
        return Reply(SORRY[min(self.mind.lost, len(SORRY)) - 1])

    # ---- what is free --------------------------------------------------------------------------------------

    def _available(self, heard: Heard) -> Reply:
        mind = self.mind
        if heard.hours:
            mind.hour = heard.hours[0]
        if "others" in heard.acts and not heard.hours and mind.answered and mind.seats:
            return self._offer(self._all(mind.seats, only=True), self.fits(mind.seats))
        if len(heard.hours) > 1 and len(heard.numbers) > 1:
            mind.answered = True
            return Reply(f"{capital('; '.join(self._has(h) for h in heard.hours))}.")
        if len(heard.hours) > 1 and mind.seats:
            each = "; ".join(self._at(h, mind.seats) for h in heard.hours)
            mind.answered = True
            return Reply(f"{capital(each)}.")
        if mind.seats and mind.hour is not None:
            return self._both(mind.seats, mind.hour)
        if mind.hour is not None:
            mind.wants, mind.answered = self._keep("seats"), True
            n = self.free(mind.hour)
            there = (
                f"At {self.said(mind.hour)} I have {people(n)}."
                if n
                else f"Nothing at {self.said(mind.hour)}, I'm afraid."
            )
            return Reply(f"{there} {self._left()}{' How many would you need?' if n else ''}")
        if mind.seats:
            mind.answered = True
            return self._offer(self._all(mind.seats, only=False), self.fits(mind.seats))
        mind.wants = self._keep("hour")
        return Reply("For how many, and at what time?")

    def _keep(self, wants: str) -> str:
        """What it waits for next; that nothing is to be booked is not forgotten."""
        return "none" if self.mind.wants == "none" else wants

    def _at(self, hour: int, seats: int) -> str:
        if self.free(hour) >= seats:
            return f"{people(seats)} at {self.said(hour)}, yes"
        return f"at {self.said(hour)} " + (
            f"only {_WORDS.get(self.free(hour))}" if self.free(hour) else "nothing"
        )

    def _has(self, hour: int) -> str:
        return f"at {self.said(hour)} I have {people(self.free(hour)) if self.free(hour) else 'nothing'}"

    def _both(self, seats: int, hour: int) -> Reply:
        mind = self.mind
        again, mind.answered = mind.answered, True
        if mind.wants != "none":
            mind.wants = ""
        if self.free(hour) >= seats:
            return self._offer(
                f"Yes, we have {people(seats)} at {self.said(hour)} this evening.", [self.book[hour]], again
            )
        left = self.free(hour)
        no = (
            f"At {self.said(hour)} I have only {_WORDS.get(left, str(left))} left."
            if left
            else f"Not at {self.said(hour)}, I'm afraid, we are full then."
        )
        return self._offer(f"{no} {self._all(seats, only=True)}", self.fits(seats), again)

    def _all(self, seats: int, *, only: bool) -> str:
        """At which hours there are so many seats."""
        at = [s.spoken for s in self.fits(seats)]
        if not at:
            return f"There is nothing for {_WORDS.get(seats, str(seats))} this evening."
        if len(at) == 1:
            return f"I have {people(seats)} at {at[0]}{', and only then' if only else ' this evening'}."
        return f"I have {people(seats)} at {', '.join(at[:-1])} and {at[-1]}."

    def _left(self) -> str:
        """All that is left this evening."""
        left = [f"{people(s.free)} at {s.spoken}" for s in self.who.seats if s.free]
        return f"What is left this evening: {', '.join(left)}." if left else "We are full this evening."

    def _offer(self, text: str, fits: list[Sitting], again: bool = False) -> Reply:
        """With an offer to book, where there is one hour to offer and the caller has not said no to it."""
        if len(fits) != 1 or self.mind.wants == "none":
            return Reply(text)
        self.mind.offer = fits[0].minute
        return Reply(text if again else f"{text} Shall I put you down for that?")

    # ---- booking -------------------------------------------------------------------------------------------

    def _booking(self, heard: Heard) -> Reply:
        mind = self.mind
        hour = heard.hours[0] if heard.hours else mind.offer if mind.offer is not None else mind.hour
        if hour is None:
            mind.wants = "book hour"
            return Reply(
                "Gladly. For what time?" if mind.seats else "Gladly. For how many, and at what time?"
            )
        mind.hour = hour
        if not mind.seats:
            mind.wants = "book seats"
            return Reply("Gladly. For how many?")
        mind.answered, mind.wants = True, ""
        if self.free(hour) < mind.seats:
            left = f"I can't book {people(mind.seats)} at {self.said(hour)}, I'm afraid."
            reply = self._offer(f"{left} {self._all(mind.seats, only=True)}", self.fits(mind.seats))
            return Reply(reply.text, refused=(mind.seats, hour))
        mind.offer = None
        text = f"Done: {people(mind.seats)} at {self.said(hour)} this evening, under the number you are calling from."
        return Reply(text, booked=(mind.seats, hour))
