"""Reports E, 35–37: attempts that share something with each other, or are one."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from errands.agents.function import FunctionAgent
from errands.cli.app import run as command
from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.doors import Seat
from errands.evidence.folder import RunFolder
from errands.evidence.regrade import open_bundle
from errands.exam.attempt import sit as sit_and_seal
from errands.exam.rows import run_record

from .bench import EACH, HERE, sit, solved, solving

AT_ONCE = 20


# ---- 35 -------------------------------------------------------------------------------------------------------


def test_35_twenty_at_once_are_as_each_alone():
    """A default object was shared by all simulations that ran at once. Here right and wrong ways of all errands,
    shuffled, sit at the same time, twenty and more: each leaves the world and the verdict that it leaves alone."""
    wrong = [(i, f"wrong:{w.name}", w.fails_at) for i in HERE for w in i.task.contract.wrong]
    luck = random.Random(35)
    plan = [(i, "oracle", "") for i in HERE] + luck.sample(wrong, min(len(wrong), max(AT_ONCE, len(HERE))))
    luck.shuffle(plan)
    together = Barrier(len(plan))

    def one(what):
        instance, name, _ = what

        def seat(sitting):
            together.wait(timeout=60)  # nobody begins before all have opened their world
            return Seat(sitting)

        return solving(instance, seat, name)

    with ThreadPoolExecutor(len(plan)) as pool:
        for (instance, name, fails_at), got in zip(plan, pool.map(one, plan), strict=True):
            alone = solved(instance, name)
            assert (got.world_digest, got.verdict) == (alone.world_digest, alone.verdict), (
                instance.name,
                name,
            )
            assert fails_at in got.unmet if fails_at else got.verdict.strict, (instance.name, name)


# ---- 36 -------------------------------------------------------------------------------------------------------

MARKER = "zebra crossing 7719"


class Marking(FunctionAgent):
    """Leaves a marker wherever it can, and looks for one first."""

    def __init__(self):
        super().__init__("marking.py", "marking.py", "agent")
        self.seen: list[str] = []

    def sit(self, sitting, instance, desk):
        sitting.next()
        seat = Seat(sitting)
        looks = [
            ("mail_search", {"query": MARKER}),
            ("mail_drafts", {}),
            ("calendar_events", {"start": "2026-12-20", "end": "2026-12-23", "query": MARKER}),
            ("contacts_search", {"query": MARKER}),
            ("files_find", {"query": MARKER}),
            ("files_list", {}),
            ("memory_list", {}),
        ]
        granted = {t.name for t in seat.tools}
        found = [canonical(seat.call(tool, **args)) for tool, args in looks if tool in granted]
        found += [str(p.read_text()) for p in desk.scratch.rglob("*")]
        self.seen.append("\n".join(found))
        (desk.scratch / "notes.txt").write_text(MARKER)
        for tool, args in (
            ("files_write", {"path": "workspace/zebra.txt", "text": MARKER}),
            ("mail_draft", {"to": ["zebra@elsewhere.example"], "subject": MARKER, "body": MARKER}),
            ("contacts_create", {"name": MARKER, "email": "zebra@elsewhere.example"}),
            ("memory_save", {"text": MARKER}),
            (
                "calendar_create_event",
                {"title": MARKER, "start": "2026-12-21T07:00", "end": "2026-12-21T07:15"},
            ),
        ):
            try:
                seat.call(tool, **args)
            except ToolError as why:
                assert why.code == "unknown_tool", why
        again = "\n".join(canonical(seat.call(tool, **args)) for tool, args in looks if tool in granted)
        assert MARKER in again or "zebra" in again, "it can be seen where it was left"
        sitting.reply(MARKER)


@pytest.mark.parametrize("instance", **EACH)
def test_36_nothing_of_one_attempt_is_seen_in_the_next(instance):
    """Repeats of a task had one folder, and the second could read what the first had left. Here the second attempt
    sees nothing of the first, in any app, in its folder or in the world's bytes."""
    agent = Marking()
    first = sit_and_seal(agent, instance, n=1, repeat=1)
    second = sit_and_seal(agent, instance, n=2, repeat=2)
    assert len(agent.seen) == 2 and agent.seen[0] == agent.seen[1]
    assert "zebra" not in agent.seen[1] and MARKER.encode() not in instance.fixture.blob
    opened = [open_bundle(s.sealed.data) for s in (first, second)]
    assert [o.manifest["end_reason"] for o in opened] == ["completed"] * 2
    assert opened[0].manifest["world_digest"] == opened[1].manifest["world_digest"]


# ---- 37 -------------------------------------------------------------------------------------------------------

TIMES = ("--attempts", "3", "--out", "run", "--json")
COUNTING = """
from pathlib import Path

SATS = Path(__file__).with_name("sats.txt")

class Agent:
    def __init__(self):
        n = len(SATS.read_text()) if SATS.exists() else 0
        SATS.write_text("x" * (n + 1))
        self.n = n + 1

    def __call__(self, message, tools):
        return f"This is my answer number {self.n}."
"""


def test_37_repeats_are_sat_each_for_itself(tmp_path, monkeypatch):
    """Repeats had one cache key, so that k "independent" attempts were one answer. Here nothing is cached: each repeat
    is sat anew, has a number, a bundle and a seal of its own, and says what it says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counting.py").write_text(COUNTING)
    task = HERE[0]
    with pytest.raises(SystemExit) as end:
        command(
            ["run", "counting.py:Agent", "--task", task.task.id, "-m", task.market, "--variant", "0", *TIMES]
        )
    assert end.value.code in (0, None)
    folder = RunFolder(tmp_path / "run")
    assert [p.repeat for p in folder.plan().attempts] == [1, 2, 3]
    assert len((tmp_path / "sats.txt").read_text()) == 3
    bundles = [folder.bundle(p.n).read_bytes() for p in folder.plan().attempts]
    opened = [open_bundle(data) for data in bundles]
    said = [o.evidence.final_reply for o in opened]
    assert said == [f"This is my answer number {n}." for n in (1, 2, 3)]
    assert len({o.manifest["world_digest"] for o in opened}) == len(set(bundles)) == 3
    assert [r["repeat"] for r in run_record(folder)["attempts"]] == [1, 2, 3]


def test_37_attempts_that_are_the_same_to_the_byte_can_be_told():
    """Two attempts of one who does the same are two bundles with one digest of what happened: equality is plain."""
    instance = HERE[0]
    same = [sit(instance, lambda s: (s.next(), s.reply("Hello."))) for _ in range(2)]
    other = sit(instance, lambda s: (s.next(), s.reply("Hello!")))
    assert same[0].world_digest == same[1].world_digest != other.world_digest
