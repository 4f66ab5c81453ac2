"""Who takes part, and in which group."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from errands.core.canon import digest
from errands.core.errors import UsageError

from .codes import CODES, Code
from .files import Part
from .frame import NEEDS, Change, Entry, Frame, Tag
from .rules import Rules

Members = tuple[Entry, ...]


class Excluded(Part):
    """An instance that takes no part, and why."""

    id: str
    code: Code
    why: str


class Kind(Part):
    """What makes a group: a world, and the set of changes; without any, what is needed and which faults there are."""

    world: str
    changes: tuple[Change, ...] = ()
    needs: tuple[Tag, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The group's name: its world, and the beginning of its digest."""
        return f"{self.world}:{digest(self.model_dump(mode='json'))[:12]}"

    @property
    def words(self) -> str:
        """What its tasks have in common, in a line."""
        if self.changes:
            return "; ".join(map(str, self.changes))
        return "reply only" + "".join(f", {x}" for x in (*self.needs, *self.faults))


def kind_of(e: Entry) -> Kind:
    """The group to which an instance belongs."""
    if e.changes:
        return Kind(world=e.world, changes=e.changes)
    return Kind(world=e.world, needs=tuple(t for t in sorted(NEEDS) if t in e.tags), faults=e.faults)


def exclude(frame: Frame, rules: Rules) -> tuple[Members, tuple[Excluded, ...]]:
    """Those who take part, and those who do not; `UsageError` for an exclusion that matches nothing."""
    for x in rules.exclusions:
        if not any(fnmatchcase(e.id, x.match) for e in frame.entries):
            raise UsageError(
                f"no instance of the frame matches {x.match!r}",
                where="exclusions",
                expected="an id task@market/variant or a glob of such ids",
            )
    out = {e.id: _why(e, rules) for e in frame.entries}
    stay = tuple(e for e in frame.entries if out[e.id] is None)
    if not stay:
        raise UsageError(
            "nothing is left to draw from",
            where="frame",
            expected="instances that are ready and not excluded",
            do="see the codes in the frame, or `errands calibrate … --lock`",
        )
    return stay, tuple(x for x in out.values() if x is not None)


def _why(e: Entry, rules: Rules) -> Excluded | None:
    if e.status != "ready":
        return Excluded(id=e.id, code=e.status, why=e.why or CODES[e.status])
    if e.bars:
        return Excluded(id=e.id, code=e.bars[0], why=CODES[e.bars[0]])
    for x in rules.exclusions:
        if fnmatchcase(e.id, x.match):
            return Excluded(id=e.id, code=x.code, why=x.words)
    return None


def grouped(entries: Sequence[Entry]) -> dict[str, tuple[Kind, Members]]:
    """The groups by their id, in its order; members in order of theirs."""
    kinds: dict[str, Kind] = {}
    members: dict[str, list[Entry]] = {}
    for e in sorted(entries, key=lambda e: e.id):
        kind = kind_of(e)
        kinds[kind.id] = kind
        members.setdefault(kind.id, []).append(e)
    return {g: (kinds[g], tuple(members[g])) for g in sorted(kinds)}
