"""What somebody who answers a telephone knows: how they greet, which seats are free at which hour, a few facts."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field, field_validator

CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sitting(_Strict):
    """An hour of today at which seats are given out: `at` as `18:30`, how many are `free`, how the hour is `said`."""

    at: str = Field(pattern=CLOCK)
    free: int = Field(ge=0)
    said: str = ""

    @property
    def minute(self) -> int:
        """Minutes since midnight."""
        return minutes(self.at)

    @property
    def spoken(self) -> str:
        """The hour as it is said on the phone."""
        return self.said or self.at


class Fact(_Strict):
    """Something told to whoever asks what one of these expressions finds (in any case of letters)."""

    asked: tuple[str, ...] = Field(min_length=1)
    answer: str = Field(min_length=1)

    @field_validator("asked")
    @classmethod
    def _compiles(cls, asked: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in asked:
            try:
                re.compile(pattern)
            except re.error as why:
                raise ValueError(f"{pattern!r} is no regular expression: {why}") from None
        return asked


class Respondent(_Strict):
    """Who answers: the first words, the seats of this evening (the book of a desk), and other facts."""

    greeting: str = Field(min_length=1)
    seats: tuple[Sitting, ...] = ()
    facts: tuple[Fact, ...] = ()


def minutes(clock: str) -> int:
    """`18:30` as minutes since midnight."""
    return int(clock[:2]) * 60 + int(clock[3:])
