"""The batch: what was drawn, by what, and why; a pure function of frame, rules and seed."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field

from errands.core.errors import UsageError

from .chances import Chances
from .codes import CODES, Code
from .files import Part, Written, is_date
from .frame import Digest, Frame, Tag
from .groups import Excluded, Kind, exclude, grouped
from .picks import Reason, pick
from .rules import Rules, Seed


class Group(Part):
    """One group with all its members: `members` holds how likely each was to be drawn, `joint` how likely each pair of
    those that were drawn was to be drawn together, as fractions; `never`: pairs of members that cannot be."""

    id: str
    kind: Kind
    members: dict[str, str]
    joint: tuple[tuple[str, str, str], ...] = ()
    never: int = 0


class Picked(Part):
    """One task of the list: its group, why it was picked, which tags it adds, and how likely that was (a fraction)."""

    id: str
    group: str
    world: str
    reason: Reason
    adds: tuple[Tag, ...] = ()
    chance: str


class Share(Part):
    """A world's share of the list: of so many groups and eligible tasks, so many drawn."""

    world: str
    groups: int
    tasks: int
    drawn: int
    share: str


class Count(Part):
    """A list in figures."""

    tasks: int
    groups: int

    @property
    def words(self) -> str:
        """As it is told."""
        return f"{self.tasks} task{'s' * (self.tasks != 1)} in {self.groups} group{'s' * (self.groups != 1)}"


class Totals(Part):
    """From the frame to the list. `certain`: tasks of the list that every seed would have drawn."""

    frame: int
    excluded: int
    eligible: int
    groups: int
    drawn: int
    certain: int


class Withdrawal(Part):
    """A task that was withdrawn after the draw: it stays in the frame and among the picks, with this status."""

    id: str
    code: Code
    why: str
    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")


class After(Part):
    """The list once tasks were withdrawn. `without`: their groups left out, which is the headline. `bounds`: what may
    be said with them. `shares` are those of what is still listed."""

    listed: Count
    without: Count
    bounds: str
    shares: tuple[Share, ...]


class Batch(Written):
    """The batch file. `editions` are the digests of the tasks' folders as they were drawn."""

    kind: Literal["errands-batch"]
    format: Literal[1]
    seed: Seed
    rules: Rules
    rules_digest: Digest
    frame_digest: Digest
    about: str = ""
    totals: Totals
    exclusions: tuple[Excluded, ...] = ()
    groups: tuple[Group, ...]
    picks: tuple[Picked, ...]
    shares: tuple[Share, ...]
    warning: str
    cannot: tuple[str, ...]
    editions: dict[str, Digest]
    withdrawals: tuple[Withdrawal, ...] = ()
    after: After | None = None

    @property
    def listed(self) -> tuple[Picked, ...]:
        """The tasks to be run: what was drawn, without what was withdrawn since."""
        gone = {w.id for w in self.withdrawals}
        return tuple(p for p in self.picks if p.id not in gone)


def draw(frame: Frame, rules: Rules, seed: Seed) -> Batch:
    """The batch. `UsageError` where nothing is left to draw from, or an exclusion matches nothing."""
    stay, excluded = exclude(frame, rules)
    groups, picks, editions = [], [], {}
    for name, (kind, members) in grouped(stay).items():
        chances = Chances(members, rules.cap)
        taken = list(pick(members, seed.value, rules.cap))
        ids = [p.entry.id for p in taken]
        groups.append(
            Group(
                id=name,
                kind=kind,
                members={e.id: str(chances.one(e.id)) for e in members},
                joint=tuple((a, b, str(chances.both(a, b))) for n, a in enumerate(ids) for b in ids[n + 1 :]),
                never=chances.never(),
            )
        )
        for p in taken:
            chance = str(chances.one(p.entry.id))
            editions[p.entry.id.partition("@")[0]] = p.entry.task
            picks.append(
                Picked(
                    id=p.entry.id,
                    group=name,
                    world=kind.world,
                    reason=p.reason,
                    adds=p.adds,
                    chance=chance,
                )
            )
    shares = _shares(groups, picks)
    return Batch(
        kind="errands-batch",
        format=1,
        seed=seed,
        rules=rules,
        rules_digest=rules.digest,
        frame_digest=frame.digest,
        about=frame.about,
        totals=Totals(
            frame=len(frame.entries),
            excluded=len(excluded),
            eligible=len(stay),
            groups=len(groups),
            drawn=len(picks),
            certain=sum(p.chance == "1" for p in picks),
        ),
        exclusions=excluded,
        groups=tuple(groups),
        picks=tuple(picks),
        shares=shares,
        warning=_warning(shares),
        cannot=tuple(_cannot(seed, groups, picks, excluded)),
        editions=dict(sorted(editions.items())),
    )


def _shares(groups: list[Group], picks: list[Picked]) -> tuple[Share, ...]:
    tasks: Counter[str] = Counter()
    for g in groups:
        tasks[g.kind.world] += len(g.members)
    kinds = Counter(g.kind.world for g in groups)
    drawn = Counter(p.world for p in picks)
    rows = [
        Share(
            world=w,
            groups=kinds[w],
            tasks=tasks[w],
            drawn=drawn[w],
            share=f"{100 * drawn[w] / max(1, len(picks)):.1f} %",
        )
        for w in drawn
    ]
    return tuple(sorted(rows, key=lambda s: (-s.drawn, s.world)))


def _warning(shares: tuple[Share, ...]) -> str:
    most = shares[0]
    return (
        "The cap is per group, not per world: a world with many kinds of change has many groups and many tasks."
        f" {most.world} makes {most.share} of the list; an agent that is strong there looks better here than in a list"
        " balanced by world. The shares are printed so that you can discount them."
    )


def _cannot(
    seed: Seed, groups: list[Group], picks: list[Picked], excluded: tuple[Excluded, ...]
) -> list[str]:
    uneven = sum(p.chance != "1" for p in picks)
    never = sum(g.never for g in groups)
    out = [
        f"It does not rank agents that are close: {len(picks)} tasks carry a rate with its interval, not an order.",
        "It says nothing of any one task: what happened there is told as counts, never as a rate.",
        "It says nothing of errands that the library does not contain.",
        "The plain mean over the list speaks of kinds of errand, not of the library.",
    ]
    if uneven:
        out.append(
            f"{uneven} of {len(picks)} tasks were not certain to be drawn: a rate of the library weighs each by"
            " 1/chance."
        )
    if never:
        out.append(
            f"{never} pairs within groups can never be drawn together: no variance of the design can be worked out."
        )
    if any(len({i.partition("@")[0] for i in g.members}) < len(g.members) for g in groups):
        out.append(
            "Markets and variants of one errand change the same things and share a group: markets are not balanced."
        )
    if excluded:
        out.append(f"It speaks for the frame that is left without the {len(excluded)} excluded tasks.")
    if seed.is_date:
        out.append("The seed is a date: whoever wrote the tasks could have tuned their ids to it.")
    return out


def withdraw(batch: Batch, ident: str, code: Code, date: str, why: str = "") -> Batch:
    """The batch with one more task withdrawn after the draw; picks and probabilities stay as they are."""
    if ident not in {p.id for p in batch.picks}:
        raise UsageError(f"{ident} was not drawn", where="withdraw", expected="an id of the list")
    if ident in {w.id for w in batch.withdrawals}:
        raise UsageError(f"{ident} was withdrawn already", where="withdraw")
    if not is_date(date):
        raise UsageError(f"{date!r} is no date", where="--date", expected="as 2026-10-04")
    gone = Withdrawal(id=ident, code=code, why=why or CODES[code], date=date)
    return withdrawn(batch, (*batch.withdrawals, gone))


def withdrawn(batch: Batch, all_: tuple[Withdrawal, ...]) -> Batch:
    """The batch as it was drawn, with these withdrawals, and what they do to its figures."""
    if not all_:
        return batch
    gone = {w.id for w in all_}
    listed = [p for p in batch.picks if p.id not in gone]
    hit = {p.group for p in batch.picks if p.id in gone}
    clear = [p for p in batch.picks if p.group not in hit]
    after = After(
        listed=_count(listed),
        without=_count(clear),
        bounds=f"{_count(list(batch.picks)).words}, as two bounds: all"
        f" attempts at the {len(gone)} withdrawn failed, and all passed; probabilities unchanged, nothing in their"
        " place",
        shares=_shares(list(batch.groups), listed),
    )
    return batch.model_copy(update={"withdrawals": all_, "after": after})


def editions(batch: Batch) -> dict[str, tuple[Picked, ...]]:
    """The digests under which this list was or is known, each with what was listed then: as drawn, and after each
    withdrawal."""
    drawn = batch.model_copy(update={"withdrawals": (), "after": None})
    all_ = [withdrawn(drawn, batch.withdrawals[:n]) for n in range(len(batch.withdrawals) + 1)]
    return {b.digest: b.listed for b in all_}


def _count(picks: list[Picked]) -> Count:
    return Count(tasks=len(picks), groups=len({p.group for p in picks}))
