"""Whether a batch is what frame, rules and seed give, and what was committed: what differs, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .batch import Batch, draw, withdrawn
from .commitment import (
    Commitment,
    Revealed,
    checked_salt,
    library_root,
    list_root,
    out_of_order,
    rules_fit,
    seed_fits,
)
from .frame import Frame

MOST = 20


def differences(batch: Batch, frame: Frame) -> list[str]:
    """Where a batch differs from what the frame gives here by the batch's own rules and seed; empty: nowhere."""
    again = withdrawn(draw(frame, batch.rules, batch.seed), batch.withdrawals)
    if again.text == batch.text:
        return []
    odd = [w.id for w in batch.withdrawals if w.id not in {p.id for p in again.picks}]
    out = [f"withdrawals: {i} was never drawn" for i in odd]
    return [*out, *_differ(batch.model_dump(mode="json"), again.model_dump(mode="json"), "")][:MOST]


def _differ(is_: Any, should: Any, where: str) -> Iterator[str]:
    if isinstance(is_, dict) and isinstance(should, dict):
        for k in dict.fromkeys([*should, *is_]):
            place = f"{where}.{k}" if where else str(k)
            if k not in is_:
                yield f"{place}: it is missing"
            elif k not in should:
                yield f"{place}: it should not be there"
            else:
                yield from _differ(is_[k], should[k], place)
    elif isinstance(is_, list) and isinstance(should, list):
        if len(is_) != len(should):
            yield f"{where}: {len(is_)} entries, and {len(should)} by frame, rules and seed"
        for n, (a, b) in enumerate(zip(is_, should, strict=False)):
            yield from _differ(a, b, f"{where}[{n}]")
    elif is_ != should:
        yield f"{where}: {is_!r} in the file, {should!r} by frame, rules and seed"


def uncommitted(c: Commitment, batch: Batch, frame: Frame, salt: bytes) -> list[str]:
    """Where batch and frame differ from what was committed, or the commitment from itself; empty: nowhere."""
    out = out_of_order(c)
    library, listed = c.step("library"), c.step("list")
    if library is None or (library.value, library.count) != (library_root(frame, salt), len(frame.entries)):
        out.append("library: the frame is not the one that was committed, or the salt is another")
    if not rules_fit(batch.rules, c):
        out.append("rules: they are not those that were committed")
    if not seed_fits(batch.seed, c):
        out.append(f"seed-source: {batch.seed.source!r} is not what was named in advance")
    if listed is None:
        out.append("list: it was not committed")
    elif (listed.value, listed.count) != (list_root(batch, salt), len(batch.picks)):
        out.append("list: it is not the one that was committed, or the salt is another")
    return out


def unsound(r: Revealed) -> list[str]:
    """Everything that is wrong with what was revealed."""
    salt = checked_salt(r.salt, "salt")
    return [*uncommitted(r.commitment, r.batch, r.frame, salt), *differences(r.batch, r.frame)]
