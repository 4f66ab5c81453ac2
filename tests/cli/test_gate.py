"""`errands gate` on the real library: holds, failed, not judged; its evidence, its files, and how it goes on."""

from __future__ import annotations

import json
import re
import shutil
import socket
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from errands.cli.app import run as command
from errands.evidence.folder import RunFolder

from .shell import AUDIT, BOOKING, Here

DOCS = Path(__file__).parents[2] / "docs"
# The tasks file of docs/gate.md: ten instances, and one in quarantine.
SMOKE = re.search(r"```toml\n(.*?)```", (DOCS / "gate.md").read_text(), re.DOTALL)[1]
KEPT_OUT = """
[[quarantine]]
id = "ec-meeting-cancellation@sg/0"
since = 2026-10-01
reason = "its user's answer is being reworded"
"""
BASELINE = ("--tasks", "smoke.toml", "--write-baseline", "main.json", "--date", "2026-10-04")
NO_CROSSING = ("--require", "crossed == 0")
GATE = ("--tasks", "smoke.toml", "--baseline", "main.json", *NO_CROSSING)
# Two that ask for a yes, and one that does not: hasty fails two.
SHORT = ("--tasks", "three.toml", "--baseline", "main.json", *NO_CROSSING)
THREE = f'''instances = [
  "{AUDIT}@sg/0", "{BOOKING}@sg/0", "ec-meeting-cancellation@sg/0",
]
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with two tasks files, and the oracle's baseline."""
    here = tmp_path_factory.mktemp("gate")
    (here / "smoke.toml").write_text(SMOKE)
    (here / "three.toml").write_text(THREE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        with pytest.raises(SystemExit) as end:
            command(["gate", "oracle", *BASELINE])
        assert end.value.code in (0, None)
    return here


@pytest.fixture
def mine(home, tmp_path, monkeypatch):
    """A private copy, as the working folder."""
    shutil.copytree(home, tmp_path / "g")
    monkeypatch.chdir(tmp_path / "g")
    return tmp_path / "g"


@pytest.fixture
def here(capfd):
    return Here(capfd)


def closed_port() -> int:
    """A port of this machine at which nobody listens."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def as_in_the_docs(line: str, out: str) -> int:
    """How many lines docs/gate.md shows of this command; all of them are in what it printed (up to a …)."""
    block = next(
        b for b in re.findall(r"```console\n(.*?)```", (DOCS / "gate.md").read_text(), re.DOTALL) if line in b
    )
    shown = [x for x in block.partition(line)[2].splitlines()[1:] if x.startswith(" ") and x[1:5] != "    "]
    printed = out.splitlines()
    for text in shown:
        head = text.partition(" …")[0]
        assert any(p.startswith(head) for p in printed), text
    return len(shown)


def test_the_oracle_holds(mine, here):
    said = here("gate", "oracle", *GATE, "--junit", "out.xml", "--comment", "c.md").ok()
    assert "10 × 3 · graded 30/30 · oracle" in said.out and "GATE HOLDS   exit 0" in said.out
    assert "paired change +0.0 points [" in said.out and "10 × 3 sees only gaps of" in said.out
    root = Xml.parse(mine / "out.xml").getroot()
    assert [root.get(k) for k in ("tests", "failures", "errors")] == ["13", "0", "0"]
    assert "GATE HOLDS" in (mine / "c.md").read_text()
    assert not (mine / "errands-runs/oracle-002-again").exists()


def test_hasty_fails_by_breaks_and_crossings_and_leaves_evidence(mine, here):
    shown = here("gate", "hasty", *GATE, "--today", "2026-11-30")
    assert shown.code == 4 and as_in_the_docs("errands gate hasty", shown.out) > 15
    # The same evidence once more, for machines.
    said = here("gate", "--resume", "hasty-001", *GATE, "--json", "--junit", "out.xml", "--comment", "c.md")
    assert said.code == 4
    facts = said.json
    broke = {t["id"]: t for t in facts["tasks"] if t["outcome"] == "broke"}
    assert len(broke) == 6 and f"{BOOKING}@sg/0" in broke
    reruns = facts["rule"]["reruns"]
    for t in broke.values():
        assert (t["before"]["strict"], t["now"]["strict"], t["now"]["crossed"]) == (3, 0, 3)
        assert (t["again"]["graded"], t["again"]["strict"]) == (reruns, 0)
        assert "nobody approved it" in t["why"]
    assert facts["requirements"][0]["state"] == "fails" and facts["requirements"][0]["seen"] == 18
    first, again = facts["evidence"]
    assert len(RunFolder(mine / again).plan().attempts) == 6 * reruns
    for run in (first, again):
        assert "graded here again, all equal" in here("verify", run).ok().out
    root = Xml.parse(mine / "out.xml").getroot()
    assert [root.get(k) for k in ("failures", "errors")] == ["7", "0"]
    named = {c.get("name") for c in root.iter("testcase") if c.find("failure") is not None}
    assert named == {*broke, "crossed == 0"}
    text = (mine / "c.md").read_text()
    assert "GATE FAILED" in text and all(f"`{name}`" in text for name in broke)
    # What it names can be looked at.
    assert "asked_first" in here("explain", broke[f"{BOOKING}@sg/0"]["attempt"]).ok().out


def test_the_screen_names_the_breaks(mine, here):
    said = here("gate", "hasty", *SHORT)
    assert said.code == 4
    assert "broke 2" in said.out and f"{BOOKING}@sg/0  3/3 → 0/3, re-run 0/" in said.out
    assert "GATE FAILED: 2 confirmed breaks, crossed == 0 (seen: 6)   exit 4" in said.out
    assert "an unchanged agent is blocked by breaks in at most" in said.out
    assert "an unchanged agent trips it in 0 % of gates at the baseline's rate (0 of 9 crossed)" in said.out
    assert "8 of its instances are not in this gate" in said.out


def test_quarantine_is_listed_with_its_age_and_does_not_block(mine, here):
    both = f'instances = ["ec-meeting-cancellation@sg/0", "{AUDIT}@sg/0"]\n'
    rest = ("--baseline", "main.json", *NO_CROSSING, "--today", "2026-11-30")
    (mine / "two.toml").write_text(both + KEPT_OUT)
    said = here("gate", "hasty", "--tasks", "two.toml", *rest).ok()
    assert "ec-meeting-cancellation@sg/0  3/3 → 0/3  since 2026-10-01, 60 days: its user's answer" in said.out
    (mine / "two.toml").write_text(both)
    assert here("gate", "hasty", "--tasks", "two.toml", *rest).code == 4


def test_a_dead_endpoint_is_no_judgement(mine, here):
    """Nothing is scored, nothing blocks, nothing becomes a baseline; the run can go on."""
    dead = f"webhook:http://127.0.0.1:{closed_port()}/agent"
    said = here("gate", dead, *GATE, "--junit", "out.xml", "--out", "dead", "--write-baseline", "new.json")
    assert said.code == 3 and "GATE NOT JUDGED: it stopped: the same trouble" in said.out
    assert "graded 0/30" in said.out and "ConnectionRefusedError" in said.out
    assert "errands gate --resume dead --tasks smoke.toml --baseline main.json" in said.out
    assert not (mine / "new.json").exists() and "no baseline was written" in said.err
    root = Xml.parse(mine / "out.xml").getroot()
    assert root.get("failures") == "0" and int(root.get("errors")) == 2


def test_a_model_at_a_closed_port_is_no_judgement(mine, here, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed_port()}/v1")
    said = here("gate", "model:openai/gpt-5", *SHORT, "--json")
    assert said.code == 3 and said.json["coverage"]["graded"] == 0


def test_an_agent_that_cannot_start_is_no_judgement_and_leaves_no_run(mine, here):
    (mine / "broken.py").write_text("def agent(message, tools)\n    return ''\n")
    said = here("gate", "broken.py", *SHORT, "--json")
    assert said.code == 3 and "SyntaxError" in said.json["unjudged"][0] and said.json["evidence"] == []
    assert [p.name for p in (mine / "errands-runs").iterdir()] == ["oracle-001"]


def test_a_function_agent_that_only_talks(mine, here):
    (mine / "one.toml").write_text(f'instances = ["{BOOKING}@sg/0"]')
    (mine / "talks.py").write_text("def agent(message, tools):\n    return 'Done.'\n")
    said = here("gate", "talks.py", "--tasks", "one.toml", "--baseline", "main.json", "--json")
    assert said.code == 4 and said.json["counts"] == {"broke": 1}


def test_a_finished_gate_is_judged_again_from_its_evidence(mine, here):
    first = here("gate", "hasty", *SHORT, "--json").json
    bundles = {p: p.stat().st_mtime_ns for p in (mine / "errands-runs").rglob("*.zip")}
    again = here("gate", "--resume", "hasty-001", *SHORT, "--json")
    assert again.code == 4 and again.json == {**first, "files": {}}
    assert {p: p.stat().st_mtime_ns for p in (mine / "errands-runs").rglob("*.zip")} == bundles
    # Against other requirements, without a baseline: nothing is sat either.
    assert here("gate", "--resume", "hasty-001", "--require", "crossed <= 6").code == 0
    assert here("gate", "oracle", "--resume", "hasty-001").code == 2


def test_what_was_interrupted_goes_on(mine, here):
    """A run of which bundles are missing: only these are sat, then the suspects are run again."""
    whole = here("gate", "hasty", *SHORT, "--json").json
    for run in ("hasty-001", "hasty-001-again"):
        folder = mine / "errands-runs" / run
        (folder / "run.json").unlink()
        for n in (2, 4):
            (folder / "bundles" / f"{n:04d}.zip").unlink()
    again = here("gate", "--resume", "hasty-001", *SHORT, "--json")
    assert again.code == 4 and again.json["tasks"] == whole["tasks"]
    for run in whole["evidence"]:
        here("verify", run).ok()


def test_a_baseline_of_another_edition_is_refused_before_anything_is_sat(mine, here):
    raw = json.loads((mine / "main.json").read_text())
    raw["editions"][f"{BOOKING}@sg"]["task"] = "0" * 64
    (mine / "main.json").write_text(json.dumps(raw))
    said = here("gate", "oracle", *SHORT)
    assert said.code == 2 and f"{BOOKING}@sg (its folder)" in said.err and "--write-baseline" in said.err
    assert [p.name for p in (mine / "errands-runs").iterdir()] == ["oracle-001"]


def test_a_failing_gate_does_not_become_the_baseline(mine, here):
    said = here("gate", "hasty", *SHORT, "--write-baseline", "next.json")
    assert said.code == 4 and not (mine / "next.json").exists() and "no baseline was written" in said.err
    here("gate", "oracle", *SHORT, "--write-baseline", "next.json", "--date", "2026-10-04").ok()
    assert json.loads((mine / "next.json").read_text())["date"] == "2026-10-04"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "no agent is named"),
        (("oracle", "--require", "mean >= 0.8"), "is no requirement"),
        (("oracle", "--tasks", "nothing.toml"), "it cannot be read"),
        (("oracle", "--tasks", "smoke.toml", "-m", "sg"), "a list says by itself"),
        (("oracle", "--tasks", "smoke.toml", "--today", "yesterday"), "is no date"),
        (("oracle", "--tasks", "smoke.toml", "--attempts", "0"), "too few"),
        (("oracle", "--tasks", "smoke.toml", "--attempts", "2", "--baseline", "main.json"), "3 attempts"),
        (("oracle", "--tasks", "smoke.toml", "--baseline", "smoke.toml"), "smoke.toml"),
        (("mcp:me", "--tasks", "smoke.toml"), "served, not run"),
        (("nobody", "--tasks", "smoke.toml"), "there is no agent"),
        (("hasty", "--tasks", "smoke.toml", "--resume", "oracle-001"), "one of oracle"),
        (("--resume", "oracle-001", "--attempts", "2"), "has its agent, instances and folder"),
    ],
)
def test_wrong_usage_is_two(mine, here, args, said):
    done = here("gate", *args)
    assert done.code == 2 and said in done.err
    assert [p.name for p in (mine / "errands-runs").iterdir()] == ["oracle-001"]


def test_a_selection_without_a_list(mine, here):
    said = here(
        "gate", "oracle", "--task", BOOKING, "-m", "sg", "--variant", "0", "--attempts", "1", "--json"
    ).ok()
    assert [t["id"] for t in said.json["tasks"]] == [f"{BOOKING}@sg/0"]
    assert said.json["change"] is None and said.json["rule"] is None


def test_the_workflow_calls_the_gate_as_it_is():
    """Every option that docs/ci names is one, and what it leaves is what the workflow keeps."""
    from typer.main import get_command

    from errands.cli.app import app

    text = (DOCS / "ci" / "errands-gate.yml").read_text()
    called = re.search(r"errands gate .*?(?=\n\n|\n +- )", text, re.DOTALL)[0]
    known = {o for p in get_command(app).commands["gate"].params for o in p.opts}
    used = set(re.findall(r"(?<![\w-])--[a-z-]+", called))
    assert {"--tasks", "--baseline", "--require", "--junit", "--comment"} <= used <= known
    for file in re.findall(r"--(?:junit|comment|out) (\S+)", called):
        assert text.count(file) > 1, file
    assert "\t" not in text and "pull_request_target" not in text


def test_a_drawn_list_is_gated_by_its_groups(mine, here):
    """The plan names the batch, so that `draw verify --run` knows it; the groups are those of the draw."""
    from errands.draw.batch import draw
    from errands.draw.frame import Entry, Frame
    from errands.draw.rules import Seed, rules
    from errands.tasks.registry import task

    entries = [
        Entry(
            id=f"{name}@sg/0",
            world=world,
            status="ready",
            tags=("reply-only",),
            task=task(name).digest,
        )
        for name, world in ((AUDIT, "mail"), (BOOKING, "calendar"))
    ]
    frame = Frame(kind="errands-frame", format=1, version="0", entries=tuple(entries))
    batch = draw(frame, rules(), Seed(value="9f3c", source="a test"))
    (mine / "batch.json").write_bytes(batch.text)
    said = here("gate", "oracle", "--batch", "batch.json", "--attempts", "2", "--out", "b", "--json").ok()
    assert {t["id"] for t in said.json["tasks"]} == {f"{BOOKING}@sg/0", f"{AUDIT}@sg/0"}
    assert RunFolder(mine / "b").plan().batch == batch.digest
    assert here("gate", "--resume", "b", "--batch", "batch.json", *NO_CROSSING).code == 0
    assert here("gate", "oracle", "--batch", "batch.json", "--tasks", "three.toml").code == 2
    assert here("gate", "oracle", "--batch", "batch.json", "-m", "sg").code == 2


def test_interrupted_it_says_how_to_go_on(mine, here, monkeypatch):
    from errands.exam.run import Run

    def interrupted(self, jobs=1):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(Run, "go", interrupted)
    said = here("gate", "oracle", *SHORT, "--out", "stopped")
    assert said.code == 130
    assert (
        "errands gate --resume stopped --tasks three.toml --baseline main.json --require 'crossed == 0'"
        in said.err
    )
