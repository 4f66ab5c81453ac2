"""A person's own agent: a function, a coroutine or a class in a file; clear words where it cannot be one."""

import re

import pytest

from .shell import BOOKING, errands

# What the README shows; it must stay this short.
MY_AGENT = '''\
"""my_agent.py: looks for the guideline, moves nothing, and says so."""
import errands


def agent(message, tools):
    hits = tools.mail_search(query="calendar guideline")["messages"]
    try:
        tools.call("calendar_event", event="evt_of_my_dreams")
    except errands.ToolError as why:
        print("the world said:", why)
    return f"I found {len(hits)} mails on the guideline and moved nothing."
'''

OTHERS = '''\
"""Other shapes that an agent may have."""
import asyncio


async def thinks(message, tools):
    await asyncio.sleep(0)
    return f"{len(tools.mail_list(folder='inbox')['messages'])} mails."


class Remembers:
    def __init__(self):
        self.turns = []

    def __call__(self, message, tools):
        self.turns.append(message)
        tools.user_ask_user(question="Which guideline do you mean?")
        return f"This is turn {len(self.turns)}."


def breaks(message, tools):
    tools.mail_drafts()
    raise ValueError("I [bold]lost[/bold] my way")


def leaves(message, tools):
    raise SystemExit(3)


def mumbles(message, tools):
    return {"not": "a text"}


not_callable = 42
'''

AGENTS = {  # spec: how it ends, calls that it makes
    "my_agent.py": ("completed", 2),
    "others.py:thinks": ("completed", 1),
    "others.py:Remembers": ("completed", 1),
    "others.py:breaks": ("agent_error", 1),
    "others.py:leaves": ("agent_error", 0),
    "others.py:mumbles": ("bad_reply", 0),
    "others:thinks": ("completed", 1),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with both files, as the working folder and where modules are looked for."""
    path = tmp_path_factory.mktemp("own")
    (path / "my_agent.py").write_text(MY_AGENT)
    (path / "others.py").write_text(OTHERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.syspath_prepend(path)
        yield path


@pytest.fixture(scope="module")
def my_agent(folder):
    """The example, run by the command in a process of its own."""
    return errands("run", "my_agent.py", *ONE, "--out", "my_agent.py-run", "--json", cwd=folder).ok()


ONE = ["--task", BOOKING, "--market", "sg", "--variant", "0"]


@pytest.mark.parametrize("spec", AGENTS)
def test_it_sits_and_is_graded(spec, folder, my_agent, here):
    reason, calls = AGENTS[spec]
    run = (
        my_agent if spec == "my_agent.py" else here("run", spec, *ONE, "--out", f"{spec}-run", "--json").ok()
    ).json
    assert run["counts"] == {"planned": 1, "graded": 1, "blocked": 0, "invalid": 0, "not_run": 0}
    (a,) = run["attempts"]
    assert (a["status"], a["end_reason"], a["strict"], a["isolation"]) == (
        "graded",
        reason,
        False,
        "in-process",
    )
    assert a["cost_usd"] is None, "what a person's agent costs is unknown, not nothing"
    assert a["agent"] == spec
    told = here("explain", f"{run['path']}:1", "--json").ok().json
    rows = re.findall(r'data-kind="call" id="row-', (folder / told["page"]).read_text("utf-8"))
    assert len(rows) == calls
    if spec == "others.py:breaks":
        assert told["ended"].endswith("ValueError: I [bold]lost[/bold] my way")
        assert "I [bold]lost[/bold] my way" in " ".join(here("explain", f"{run['path']}:1").out.split()), (
            "is no markup"
        )
        assert "agent error" in here("results", run["path"]).out
    here("verify", run["path"]).ok()


def test_the_example_is_short_and_what_it_prints_stays_out_of_the_results(my_agent):
    assert len(MY_AGENT.splitlines()) < 15
    assert "the world said: not_found" in my_agent.err
    assert "the world said" not in my_agent.out


UNUSABLE = {
    "no file": ("missing.py", None, "no such file"),
    "a syntax error": ("mine.py", "def agent(message, tools)\n    return ''\n", "SyntaxError"),
    "no function": ("mine.py", "x = 1\n", "no function 'agent'"),
    "not callable": ("mine.py:agent", "agent = 42\n", "no function 'agent'"),
    "another name": ("mine.py:other", "def agent(message, tools):\n    return ''\n", "no function 'other'"),
    "raises at import": ("mine.py", "1 / 0\n", "ZeroDivisionError"),
    "ends at import": ("mine.py", "import sys\nsys.exit('bye')\n", "loaded"),
    "no module": ("no_such_module:agent", None, "no_such_module"),
    "not a name": ("wat?", None, "file.py[:name]"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_sit_is_said_clearly(case, tmp_path, here, monkeypatch):
    spec, text, words = UNUSABLE[case]
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    said = here("run", spec, "--task", BOOKING, "--market", "sg", "--variant", 0, "--out", "run")
    assert said.code == 2 and words in said.err and spec.partition(":")[0] in said.err
    assert "Traceback" not in said.err and said.out == ""
    assert not (tmp_path / "run").exists(), "the name of the run is free again"
