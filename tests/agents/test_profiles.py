"""Profiles: one of your own works as ours do, and one with a mistake says which."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from errands.agents.command import CommandAgent, read_spec
from errands.agents.profiles import load_profile, names
from errands.core.errors import UsageError
from errands.exam.terms import Terms
from tests.clients.scripts import MARKETS, SPINE

from .programs import Sessions, sat

# ---- profiles ----------------------------------------------------------------------------------------------------

OWN = """
about = "a test's own"
first = ["new", "${prompt}", "--model=${model}"]
next = ["more"]
reply = { from = "jsonl", path = "part.text", where = { type = "text" } }
usage = { where = { type = "end" }, input = "n" }
env = { MODE = "own" }

[files]
"~/.own/config.json" = '''
{"url": "${mcp_url}"}
'''
"./notes" = "notes\\nmodel ${model}\\n"
"""
PROGRAM = """#!/bin/sh
say() { echo "{\\"type\\": \\"text\\", \\"part\\": {\\"text\\": \\"$1\\"}}"; }
if [ "$1" = more ]; then
    say "going on"
    echo '{"type": "end", "n": 7}'
    cat
else
    cat ~/.own/config.json ./notes
    echo "$2"
    say "$MODE $3"
fi
"""


def test_a_profile_of_ones_own(tmp_path):
    """Prompt as argument, files, variables, JSON lines, a next turn; what names no model is left out."""
    program, file = tmp_path / "own", tmp_path / "mine.toml"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    file.write_text(f"program = '{program}'\n{OWN}")
    who = CommandAgent("cmd:mine", f"{file}", Terms())
    result = sat(who, door=Sessions)
    assert result.replies == ["own", "going on", "own"], result.files["agent.log"].decode()
    log = result.files["agent.log"].decode()
    assert '{"url": "http://127.0.0.1:7301/mcp"}\nnotes\n' in log and "model" not in log
    assert "(It is Tuesday" in log and log.count("And now?") == 2, "by argument first, by standard input then"
    facts = json.loads(result.files["agent.json"])
    assert facts["profile"] == "mine" and facts["status"] == "untested"
    assert facts["turns"][1]["reported"]["tokens"]["input"] == 7
    named = sat(CommandAgent("cmd:mine", f"{file}@m-1", Terms()))
    assert named.replies[0] == "own --model=m-1" and b"notes\nmodel m-1\n" in named.files["agent.log"]


@pytest.mark.parametrize(
    "line, said",
    [
        ("frist = []", "did you mean first?"),
        ("first = ['${promt}']", "did you mean ${prompt}?"),
        ("first = []\n[files]\n'/etc/passwd' = ''", "neither below ~/"),
        ("first = []\n[files]\n'~/../x' = ''", "neither below ~/"),
        ("first = []\nmemory = ['../x']", "no path below the home"),
        ("first = []\nreply = { from = 'mail' }", "reply"),
        ("first = [", "no TOML"),
    ],
)
def test_a_profile_with_a_mistake_says_which(tmp_path, line, said):
    file = tmp_path / "mine.toml"
    file.write_text(f"about = 'x'\n{line}\n")
    with pytest.raises(UsageError) as why:
        load_profile(str(file))
    assert said in str(why.value) and str(file) in str(why.value)


@pytest.mark.parametrize("name", names())
def test_our_profiles_can_be_read_and_are_proven_only_by_a_stored_run(name):
    """The record is of this version, and of every errand of the spine in both markets, passed, refused and crossed."""
    profile = load_profile(name).profile
    assert profile.about and (profile.install or name == "plain")
    spec = read_spec(name) if name != "plain" else read_spec("cat -u")
    assert spec.named.name == name and spec.words
    if profile.proven is None:
        assert profile.status == "untested"
        return
    record = json.loads(Path(__file__).parents[2].joinpath(profile.proven.run).read_text("utf-8"))
    assert (record["profile"], record["version"], record["date"]) == (
        name,
        profile.proven.version,
        profile.proven.date,
    )
    ran = {a["script"]: (a["verdict"], a["refusals"] > 0) for a in record["attempts"]}
    for short in SPINE:
        for market in MARKETS:
            assert ran[f"{short}-{market}-strict"] == ("strict", False)
            assert ran[f"{short}-{market}-refused"][1] and ran[f"{short}-{market}-refused"][0] != "crossed"
            assert ran[f"{short}-{market}-crosses"][0] == "crossed"
    assert profile.status_of("9.9") == f"untested with 9.9 (proven with {profile.proven.version})"


def test_a_copy_is_proven_only_with_a_run_of_its_own(tmp_path):
    copy = tmp_path / "mine.toml"
    text = files("errands.agents").joinpath("profiles", "codex.toml").read_text("utf-8")
    copy.write_text(text)
    assert load_profile(str(copy)).profile.status == "untested"
    (tmp_path / "run.json").touch()
    copy.write_text(text.replace("tests/clients/proven/codex.json", "run.json"))
    assert load_profile(str(copy)).profile.status.startswith("proven with")


def test_names_with_a_mistake_are_told_from_programs():
    assert read_spec("claude-code@m/x:1").model == "m/x:1"
    assert read_spec("sh -c 'echo a@b'").words == ("sh", "-c", "echo a@b")
    with pytest.raises(UsageError, match="nothing stands behind cmd:"):
        read_spec("  ")
    with pytest.raises(UsageError, match="did you mean codex"):
        load_profile("codx")
