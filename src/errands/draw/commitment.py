"""What is made public, and when: library, rules, source of the seed, list; each dated, in that order.

Library and list are Merkle roots over salted leaves: whoever holds only the commitment learns no name, and can still be
shown that one task is in. Dates are arguments; only their order, and that of the steps, can be checked.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Literal

from pydantic import Field, field_validator

from errands.core.canon import digest, merkle_holds, merkle_proof, merkle_root
from errands.core.errors import UsageError

from .batch import Batch
from .files import Part, Written, is_date
from .frame import Digest, Entry, Frame
from .rules import Rules, Seed

What = Literal["library", "rules", "seed-source", "list"]
STEPS: tuple[What, ...] = ("library", "rules", "seed-source", "list")
SALT = re.compile(r"[0-9a-f]{64,}")


class Step(Part):
    """One thing that was made public: a root or a digest (of `count` leaves), or the words that name the seed's source.

    `previous` is the digest of the step before: steps cannot be put in, left out or exchanged afterwards.
    """

    what: What
    date: str
    value: str = Field(min_length=1)
    count: int | None = None
    previous: str = ""

    @field_validator("date")
    @classmethod
    def _is_one(cls, date: str) -> str:
        if not is_date(date):
            raise ValueError("a date is written as 2026-10-04")
        return date


class Commitment(Written):
    """The steps so far. What to publish is `head`, which stands for all of them."""

    kind: Literal["errands-commitment"]
    format: Literal[1]
    steps: tuple[Step, ...] = ()

    @property
    def head(self) -> str:
        """Digest of the last step, and so of all."""
        return _digest(self.steps[-1]) if self.steps else ""

    def step(self, what: What) -> Step | None:
        """The step of this name, if it was made."""
        return next((s for s in self.steps if s.what == what), None)


def _digest(step: Step) -> str:
    return digest(step.model_dump(mode="json"))


def empty() -> Commitment:
    """Before the first step."""
    return Commitment(kind="errands-commitment", format=1)


def add(c: Commitment, what: What, date: str, value: str, count: int | None = None) -> Commitment:
    """The commitment with the next step; `UsageError` where another is due, or the date is before the last one's."""
    due = STEPS[len(c.steps)] if len(c.steps) < len(STEPS) else "nothing"
    if what != due:
        raise UsageError(
            f"{what} cannot be committed now",
            where="commit",
            expected=due,
            do=f"the order is {', '.join(STEPS)}",
        )
    if not is_date(date):
        raise UsageError(f"{date!r} is no date", where="--date", expected="as 2026-10-04")
    step = Step(what=what, date=date, value=value, count=count, previous=c.head)
    if c.steps and date < c.steps[-1].date:
        raise UsageError(
            f"{what} is dated {date}, before {c.steps[-1].what}",
            where="--date",
            expected=f"{c.steps[-1].date} or later",
        )
    return c.model_copy(update={"steps": (*c.steps, step)})


def out_of_order(c: Commitment) -> list[str]:
    """What is wrong with the steps themselves: their order, their chain, their dates."""
    out, previous, date = [], "", ""
    if [s.what for s in c.steps] != list(STEPS[: len(c.steps)]):
        out.append(f"steps: they are {', '.join(s.what for s in c.steps)}; expected {', '.join(STEPS)}")
    for s in c.steps:
        if s.previous != previous:
            out.append(f"steps, {s.what}: it does not follow the step before it as that stands now")
        if s.date < date:
            out.append(f"steps, {s.what}: dated {s.date}, before the step before it")
        previous, date = _digest(s), s.date
    return out


# ---- leaves, salted one by one -----------------------------------------------------------------------------------


def checked_salt(text: str, where: str) -> bytes:
    """A salt as bytes; `UsageError` where it is none."""
    if not SALT.fullmatch(text):
        raise UsageError("this is no salt", where=where, expected="64 or more digits 0-9 a-f")
    return bytes.fromhex(text[: len(text) // 2 * 2])


def nonce(salt: bytes, what: What, ident: str) -> str:
    """The salt of one leaf: it can be shown without giving away that of any other."""
    return hmac.new(salt, f"{what}\x1f{ident}".encode(), hashlib.sha256).hexdigest()


def entry_leaf(salt: bytes, e: Entry) -> str:
    """The leaf of an instance of the library."""
    return digest([nonce(salt, "library", e.id), e.model_dump(mode="json")])


def list_leaf(salt: bytes, ident: str) -> str:
    """The leaf of a task of the list."""
    return digest([nonce(salt, "list", ident), ident])


def library_root(frame: Frame, salt: bytes) -> str:
    """The library's root: over every instance of the frame, with all that the frame says of it."""
    return merkle_root([entry_leaf(salt, e) for e in frame.entries])


def list_root(batch: Batch, salt: bytes) -> str:
    """The list's root: over the ids that were drawn (a withdrawal changes nothing of it)."""
    return merkle_root([list_leaf(salt, p.id) for p in batch.picks])


# ---- one task shown to be in, the others not ---------------------------------------------------------------------


class Proof(Written):
    """That one task is in the list: its leaf's salt, and the way from there to the committed root."""

    kind: Literal["errands-proof"]
    format: Literal[1]
    id: str
    nonce: Digest
    path: tuple[tuple[Literal["left", "right"], Digest], ...]


def prove(batch: Batch, salt: bytes, ident: str) -> Proof:
    """The proof that a task is in the list; `UsageError` where it is not."""
    leaves = {p.id: list_leaf(salt, p.id) for p in batch.picks}
    if ident not in leaves:
        raise UsageError(f"{ident} is not in the list", where="prove", expected="an id of the list")
    path = merkle_proof(list(leaves.values()), leaves[ident])
    return Proof(kind="errands-proof", format=1, id=ident, nonce=nonce(salt, "list", ident), path=tuple(path))


def proven(proof: Proof, c: Commitment) -> bool:
    """Whether a proof leads to the committed list."""
    step = c.step("list")
    leaf = digest([proof.nonce, proof.id])
    return step is not None and merkle_holds(step.value, leaf, list(proof.path))


# ---- everything, once the list may be known ----------------------------------------------------------------------


class Revealed(Written):
    """All that a stranger needs to check a draw: commitment, frame, batch (with rules and seed) and salt."""

    kind: Literal["errands-revealed"]
    format: Literal[1]
    commitment: Commitment
    salt: str = Field(pattern=r"^[0-9a-f]{64,}$")
    frame: Frame
    batch: Batch


def seed_fits(seed: Seed, c: Commitment) -> bool:
    """Whether the seed comes from where it was said to come from."""
    step = c.step("seed-source")
    return step is not None and step.value == seed.source


def rules_fit(rules: Rules, c: Commitment) -> bool:
    """Whether these are the rules that were committed."""
    step = c.step("rules")
    return step is not None and step.value == rules.digest
