"""The frame in the shape of the seed's library: 312 tasks, three excluded, 128 groups, 170 drawn.

Only the totals are the seed's, and the share of work files: the sizes of groups, the names and the tags are invented.
`python -m tests.draw.shape` writes both files of tests/draw/golden again.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import combinations
from pathlib import Path

from errands.draw.batch import Batch, draw, withdraw
from errands.draw.frame import Change, Entry, Frame
from errands.draw.rules import Exclusion, Rules, Seed, rules

ABOUT = (
    "Shape consistent with the seed's totals, not its list: group sizes, names and tags are invented. The robot"
    " check is withdrawn after the draw here, as it was there; in our own library it is an exclusion before the draw."
)
SEED = Seed(value="20261004", source="the date of the draw, 4 October 2026, as a number")
ROBOT = "robot-check-0-0@xx/0"
# world: sizes of its groups. Their sums are 68, 4, 1, 3, 9, 20, 16, 13, 15, 10, 11 drawn.
SHAPE = {
    "work-files": [1] * 32 + [2] * 8 + [3] * 4 + [4] * 3 + [6] * 2 + [19],
    "browser": [1, 1, 3],
    "robot-check": [1],
    "live-data": [1, 5],
    "bookings": [40, 12, 2, 1, 1, 1],
    "mail": [1] * 8 + [11, 8, 4, 2, 2, 2],
    "calendar": [1] * 8 + [9, 6, 2, 2],
    "messages": [1] * 9 + [5, 3],
    "shopping": [1] * 9 + [7, 4, 2],
    "memory": [1] * 6 + [10, 5],
    "home": [1] * 7 + [3, 3],
}
LIVE = 3
FREE = ("approval", "connector", "proactive", "safety-boundary", "several-sessions", "user-answers")
NEEDS = ("connector", "proactive", "several-sessions", "user-answers")
REPLY = ("live-data", "memory")  # worlds whose tasks are graded on the reply alone
SETS = [s for n in range(5) for s in combinations(NEEDS, n)]


@lru_cache(maxsize=1)
def frame() -> Frame:
    """The frame: the same on every machine."""
    entries = [
        _entry(world, g, n)
        for world, sizes in SHAPE.items()
        for g, size in enumerate(sizes)
        for n in range(size)
    ]
    entries += [_entry("live-data", 90, n) for n in range(LIVE)]
    return Frame(kind="errands-frame", format=1, version="golden", about=ABOUT, entries=tuple(entries))


def golden_rules(cap: int = 2) -> Rules:
    """The seed's rules, and its three exclusions before the draw."""
    return rules(cap, (Exclusion(match="live-data-90-*", code="needs-live-internet"),))


def _entry(world: str, g: int, n: int) -> Entry:
    name = f"{world}-{g}-{n}"
    coins = hashlib.sha256(name.encode()).digest()
    some = [t for t, coin in zip(FREE, coins, strict=False) if coin < 90]
    faults = ["refused-unavailable"] if coins[9] < 60 else []
    if world in REPLY:
        some = [t for t in some if t not in NEEDS] + list(SETS[g % len(SETS)])
        faults = ["stale"] if g % 2 else []
        changes = []
    else:
        changes = [Change(world, f"{world}_{k}", "insert", "committed") for k in range(8) if (g + 1) >> k & 1]
    tags = some + ["injected-fault"] * bool(faults) + ["reply-only"] * (not changes)
    return Entry(
        id=f"{name}@xx/0",
        world=world,
        status="ready",
        changes=tuple(changes),
        faults=tuple(faults),
        tags=tuple(tags),
        task=hashlib.sha256(b"task" + name.encode()).hexdigest(),
    )


def batch() -> Batch:
    """The seed's list, and what was withdrawn from it afterwards."""
    return withdraw(draw(frame(), golden_rules(), SEED), ROBOT, "robot-check", "2026-10-05")


HERE = Path(__file__).parent / "golden"

if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    (HERE / "frame.json").write_bytes(frame().text)
    (HERE / "batch.json").write_bytes(batch().text)
