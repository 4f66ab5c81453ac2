"""The rules of a draw as data: the cap, the exclusions, and the fixed text of edition 1; and the seed."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from errands.core.errors import UsageError

from .codes import CODES, Code
from .files import Part, Written

CAP, HIGHEST = 2, 3
TEXT = (
    "Exclusions come first, each with a code of the closed list, and are made before the seed is known.",
    "Two tasks are in one group when they are set in the same world and the oracle makes the same set of changes:"
    " app, table, operation, staged or committed, change of status; no keys, values or counts. Reads, turns and"
    " approvals are no changes. A new file at the declared place is reply; changing a file of the fixture is a change.",
    "Tasks without any change are grouped by world, by what they need (several sessions, a connector, acting unasked,"
    " answers of the user) and by the faults that they inject.",
    "A group's order is that of SHA-256(seed, byte 0x1F, task id); ties by id. Seed and id are UTF-8.",
    "The first in order is taken. Each further pick, up to the cap, is the first in order that carries a tag which no"
    " earlier pick carries; where there is none, the next in order.",
    "The seed is the value alone. The digest of the library is committed before it and not mixed in.",
    "A task withdrawn after the draw stays in the frame; nothing takes its place.",
)


class Exclusion(Part):
    """Instances that take no part: an id or a glob of ids, a code, and in words why."""

    match: str = Field(min_length=1)
    code: Code
    why: str = ""

    @property
    def words(self) -> str:
        """Why, in words."""
        return self.why or CODES[self.code]


class Rules(Written):
    """The rules of one draw. `says` is the text of the edition; a file that says something else is refused."""

    kind: Literal["errands-rules"]
    format: Literal[1]
    edition: Literal[1]
    cap: int = Field(ge=1, le=HIGHEST)
    says: tuple[str, ...]
    exclusions: tuple[Exclusion, ...] = ()

    @field_validator("says")
    @classmethod
    def _this_edition(cls, says: tuple[str, ...]) -> tuple[str, ...]:
        if says != TEXT:
            raise ValueError("this is not the text of rule edition 1")
        return says


def rules(cap: int = CAP, exclusions: tuple[Exclusion, ...] = ()) -> Rules:
    """Rules of this edition. `UsageError` for a cap for which no exact probabilities are known."""
    if not 1 <= cap <= HIGHEST:
        raise UsageError(
            f"a cap of {cap} is not offered",
            where="--cap",
            expected=f"1 to {HIGHEST}: above that the probabilities of this rule are not known exactly",
        )
    return Rules(kind="errands-rules", format=1, edition=1, cap=cap, says=TEXT, exclusions=exclusions)


class Seed(Part):
    """The seed and where it comes from: a date as a number, or a public random value that was named in advance."""

    value: str = Field(pattern=r"^[\x21-\x7e]{1,200}$")
    source: str = Field(min_length=1)

    @property
    def is_date(self) -> bool:
        """Whether it is a date written as a number, which whoever writes tasks can know."""
        return re.fullmatch(r"(19|20)[0-9]{6}", self.value) is not None
