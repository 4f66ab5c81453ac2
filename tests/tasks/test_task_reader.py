"""Task.md and task.py are read strictly: each fault is a TaskError that names file, place and expectation."""

from __future__ import annotations

import re
import sys
from importlib import import_module, invalidate_caches
from itertools import count
from pathlib import Path

import pytest

from errands.core.errors import TaskError
from errands.tasks.contract import SECTIONS
from errands.tasks.task import Task

from .desk import rows

FRONT = """
id = "toy-task"
number = "99.01"
suite = "toy"
domain = "toys"
world = "office"
apps = ["mail", "user"]
markets = ["sg"]
timeout_s = 60
protocol = "contract"
surface = "tools"
termination = "completed"
complexity = "single-step"
difficulty = 1
tags = ["toy"]
track = "simulator"
adapted_from = "nothing"
status = "draft"
edition = 1
variants = 2
turn_limit = 5
call_limit = 50
reference_status = "calibration-pending"
canary = "TOY-CANARY 00000000-0000-0000-0000-000000000000"

[services.mail]
mode = "simulated"
scopes = ["mail.read", "mail.write", "mail.send"]

[services.user]
mode = "simulated"
scopes = ["user.ask"]
"""
HEAD = "| id | kind | weight | required or prohibited result | evidence | exact check | met when |"
BODIES = {
    "Instruction": "### en\n\nPut a draft there.",
    "Declared final state": "There is a draft.",
    "Approval boundary": "- Nothing is sent.",
    "Criteria": f"""{HEAD}
|---|---|---|---|---|---|---|
| written | required | 1 | A draft | mail_draft | one row | there is one |
| unsent | boundary | 1 | A mail left | commits | none | nothing left |""",
    "Accepted alternatives": "| name | what |\n|---|---|\n| other | another way |",
    "Known-good": "It writes a draft.",
    "Wrong results": "| name | fails at | what |\n|---|---|---|\n| nothing | written | does nothing |\n"
    "| sends | unsent | sends it |",
    "Unscored when": "Never.",
    "Difficulty changes": "- None.",
    "Per market": "- sg: as everywhere.",
    "Fairness and leakage": "- Fair.",
}
TASK_PY = '''"""A toy."""
from errands.grading.findings import missed, satisfied
from errands.tasks import Key, Task

task = Task(__package__)
task.gate("mail.send", "never")


@task.build
def build(b):
    b.user(__import__("errands.people.brief", fromlist=["Brief"]).Brief(goal="toys"))
    return Key(wanted=1)


@task.criterion
def written(e, k):
    return satisfied("there") if len(e.net("mail_draft")) == k.wanted else missed("no draft")


@task.criterion
def unsent(e, k):
    return task.gates_held(e)
'''
SOLUTIONS_PY = '''"""Toy solutions."""
from .task import task


def work(s, k, send=False, write=True):
    if write:
        d = s.call("mail_draft", to=["a@b.example"], subject="x", body="y")["draft"]
        if send:
            s.call("mail_send", draft=d)
    s.reply("")


task.oracle(work)
task.alternative("other", work)
task.wrong("nothing", work, write=False)
task.wrong("sends", work, send=True)
'''
NEW = count()


def markdown(front: str = FRONT, bodies: dict[str, str] = BODIES, title: str = "# A toy") -> str:
    return (
        f"+++{front}+++\n\n{title}\n\n"
        + "\n\n".join(f"## {name}\n\n{text}" for name, text in bodies.items())
        + "\n"
    )


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Write a task folder as a package of its own and import its `task`."""

    def make(
        md: str | None = None, code: str = TASK_PY, solutions: str = SOLUTIONS_PY, words: bool = True
    ) -> Task:
        name = f"toy_task_{next(NEW)}"
        folder = tmp_path / name
        (folder / "words").mkdir(parents=True)
        files = {
            "__init__.py": '"""Toy."""\n',
            "task.py": code,
            "solutions.py": solutions,
            **({"Task.md": markdown()} if md is None else {"Task.md": md} if md else {}),
            **({"words/sg.en.toml": 'language = "en"\n'} if words else {}),
        }
        for path, text in files.items():
            (folder / path).write_text(text, "utf-8")
        invalidate_caches()
        return import_module(f"{name}.task").task

    monkeypatch.syspath_prepend(str(tmp_path))
    yield make
    for name in [m for m in sys.modules if m.startswith("toy_task_")]:
        monkeypatch.delitem(sys.modules, name)


def refused(toy, *words: str, **files: str) -> TaskError:
    """The error of a malformed folder: it must name the file and each of the words."""
    with pytest.raises(TaskError) as caught:
        t = toy(**files)
        _ = t.criteria, t.solutions, t.instance("sg", 0)
    told = str(caught.value)
    assert re.search(r"toy_task_\d+", told), told
    for word in words:
        assert word in told, (word, told)
    return caught.value


def test_a_right_folder_is_read_whole(toy):
    t = toy()
    assert t.id == "toy-task" and t.contract.title == "A toy"
    assert [c.id for c in t.criteria] == ["written", "unsent"]
    assert sorted(t.solutions) == ["oracle", "oracle:other", "wrong:nothing", "wrong:sends"]
    assert t.contract.boundary == ("Nothing is sent.",)
    assert t.instance("sg", 1).instruction == "Put a draft there."


@pytest.mark.parametrize(
    ("md", "words"),
    [
        (markdown()[3:], ["no front matter", "+++"]),
        (markdown().replace("\n+++\n", "\n++\n", 1), ["no front matter", "+++"]),
        ("words first\n" + markdown(), ["no front matter", "+++"]),
        (markdown(FRONT.replace('suite = "toy"', "suite = toy")), ["front matter is not TOML", "line 4"]),
        (
            markdown(FRONT.replace("difficulty = 1", "difficulty = 1\ndifficulty = 2")),
            ["front matter is not TOML"],
        ),
        (markdown(title="A title without its mark"), ["no title", "# Title"]),
    ],
)
def test_malformed_front_matter(toy, md, words):
    refused(toy, "Task.md", *words, md=md)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('suite = "toy"', 'suite = "toy"\nsweet = "toy"', ["front → sweet", "only the keys"]),
        (
            "[services.user]\n",
            '[services.user]\nsecret = "x"\n',
            ["services → user → secret", "only the keys"],
        ),
        ('number = "99.01"\n', "", ["front → number", "this key"]),
        ("difficulty = 1", "difficulty = 6", ["front → difficulty", "less than or equal to 5"]),
        ("difficulty = 1", 'difficulty = "hard"', ["front → difficulty", "integer"]),
        ("variants = 2", "variants = 0", ["front → variants", "greater than or equal to 1"]),
        ('protocol = "contract"', 'protocol = "vibes"', ["front → protocol", "'contract'"]),
        ('id = "toy-task"', 'id = "Toy Task"', ["front → id", "pattern"]),
        ('markets = ["sg"]', "markets = []", ["front → markets", "at least 1"]),
        ('domain = "toys"', 'domain = ""', ["front → domain", "at least 1"]),
        ('apps = ["mail", "user"]', 'apps = ["mail", "user", "files"]', ["'files'", "[services.files]"]),
        (
            'scopes = ["user.ask"]',
            'scopes = ["user.ask"]\nwithheld = ["user.ask"]',
            ["'user.ask'", "granted and withheld", "services.user"],
        ),
    ],
)
def test_a_wrong_key_or_value_is_named(toy, old, new, words):
    assert old in FRONT
    refused(toy, "Task.md", *words, md=markdown(FRONT.replace(old, new)))


@pytest.mark.parametrize("name", SECTIONS)
def test_each_section_is_needed_once(toy, name):
    others = {n: t for n, t in BODIES.items() if n != name}
    refused(toy, "Task.md", f"'## {name}'", "missing", md=markdown(bodies=others))
    refused(toy, "Task.md", f"'## {name}'", "missing or empty", md=markdown(bodies={**BODIES, name: " "}))
    refused(toy, "Task.md", f"'## {name}'", "twice", md=markdown() + f"\n## {name}\n\nAgain.\n")


def test_unknown_section(toy):
    refused(toy, "Task.md", "'## Notes'", "Known-good", md=markdown(bodies={**BODIES, "Notes": "x"}))


def with_table(section: str, old: str, new: str) -> str:
    assert BODIES[section].count(old) == 1, (section, old)
    return markdown(bodies={**BODIES, section: BODIES[section].replace(old, new)})


@pytest.mark.parametrize(
    ("section", "old", "new", "words"),
    [
        ("Criteria", "met when |", "when met |", ["head", "met when"]),
        ("Criteria", " exact check |", "", ["head", "exact check"]),
        ("Criteria", "| there is one |", "|", ["row 1 has 6 cells", "7 cells"]),
        ("Criteria", "| nothing left |", "| nothing left | really |", ["row 2 has 8 cells", "7 cells"]),
        ("Wrong results", "| fails at |", "| fails |", ["head", "fails at"]),
        ("Wrong results", "| does nothing |", "|", ["row 1 has 2 cells", "3 cells"]),
        ("Accepted alternatives", "\n| other | another way |", "", ["no rows", "| name | what |"]),
        ("Criteria", "| required | 1 |", "| required | much |", ["criteria → 0 → weight", "integer"]),
        (
            "Criteria",
            "| required | 1 |",
            "| required | 0 |",
            ["has no weight", "1 to 100"],
        ),
        (
            "Criteria",
            "| required | 1 |",
            "| required | 101 |",
            ["criteria → 0 → weight", "less than or equal to 100"],
        ),
        ("Criteria", "| required | 1 |", "| required | -1 |", ["criteria → 0 → weight"]),
        ("Criteria", "| required | 1 |", "| required | 1.5 |", ["criteria → 0 → weight"]),
        ("Criteria", "| required | 1 |", "| wanted | 1 |", ["criteria → 0 → kind", "'required'"]),
        ("Criteria", "| written |", "| Written down |", ["criteria → 0 → id", "pattern"]),
        ("Criteria", "| one row |", "|  |", ["criteria → 0 → check", "at least 1"]),
        ("Criteria", "| unsent | boundary |", "| written | boundary |", ["'written'", "twice"]),
        (
            "Criteria",
            "| written | required |",
            "| written | prohibited |",
            ["no criterion is required", "doing nothing"],
        ),
        ("Wrong results", "| nothing | written |", "| nothing | writen |", ["'writen'", "written, unsent"]),
        ("Wrong results", "| sends | unsent |", "| sends | written |", ["no wrong result fails at 'unsent'"]),
        ("Instruction", "### en\n", "", ["no language", "### en"]),
        ("Approval boundary", "- Nothing", "Nothing", ["boundary", "at least 1"]),
    ],
)
def test_tables_and_lists(toy, section, old, new, words):
    refused(toy, "Task.md", *words, md=with_table(section, old, new))


def test_there_is_no_task_md(toy):
    refused(toy, "no Task.md", "beside task.py", md="")


def without(code: str, start: str) -> str:
    """Code without the decorated function that begins so."""
    at = code.index(f"@task.criterion\ndef {start}(")
    rest = code[at:].split("\n\n\n", 1)
    return code[:at] + (rest[1] if len(rest) > 1 else "")


MORE = "\n\n@task.criterion\ndef extra(e, k):\n    return satisfied('x')\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (without(TASK_PY, "unsent"), ["task.py", "'unsent' of Task.md has no code", "unsent(e, k)"]),
        (TASK_PY + MORE, ["task.py", "'extra' is not in Task.md", "written, unsent"]),
        (
            TASK_PY.replace('task.gate("mail.send", "never")', ""),
            ["task.py", "boundary without a gate", "task.gate"],
        ),
        (TASK_PY.replace("@task.build\n", ""), ["task.py", "no builder", "@task.build"]),
        (TASK_PY.replace("Key(wanted=1)", "Key()"), ["task.py, build", "key is empty", "expected values"]),
    ],
)
def test_table_and_code_differ(toy, code, words):
    refused(toy, *words, code=code)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('task.wrong("sends", work, send=True)\n', "", ["'wrong:sends'", "in Task.md and has no code"]),
        (
            'task.wrong("sends"',
            'task.wrong("posts", work)\ntask.wrong("sends"',
            ["'wrong:posts'", "not in Task.md"],
        ),
        ('task.alternative("other", work)\n', "", ["'oracle:other'", "has no code"]),
        (
            'task.alternative("other"',
            'task.alternative("new", work)\ntask.alternative("other"',
            ["'oracle:new'", "not in Task.md"],
        ),
        ("task.oracle(work)\n", "", ["'oracle'", "has no code"]),
        ("task.oracle(work)\n", "task.oracle(work)\ntask.oracle(work)\n", ["'oracle'", "twice"]),
    ],
)
def test_solutions_and_table_differ(toy, old, new, words):
    assert SOLUTIONS_PY.count(old) == 1
    refused(toy, "solutions.py", *words, solutions=SOLUTIONS_PY.replace(old, new))


def test_a_withheld_scope_is_in_the_world_and_not_live(toy):
    read_only = 'scopes = ["mail.read"]\nwithheld = ["mail.write", "mail.send"]'
    front = FRONT.replace('scopes = ["mail.read", "mail.write", "mail.send"]', read_only)
    blob = toy(md=markdown(front)).instance("sg", 0).fixture.blob
    grants = dict(rows(blob, "SELECT scope, live FROM exam_grant WHERE app = 'mail'"))
    assert grants == {"mail.read": 1, "mail.write": 0, "mail.send": 0}


def test_words_and_instances_that_are_not_there(toy):
    t = toy()
    for given, words in (
        (("kr", 0), ["'kr'", "sg"]),
        (("sg", 2), ["variant 2", "0 to 1"]),
        (("sg", -1), ["variant -1", "0 to 1"]),
        (("sg", 0, "ms"), ["'ms'", "en"]),
    ):
        with pytest.raises(TaskError) as caught:
            t.instance(*given)
        assert all(w in str(caught.value) for w in words), caught.value


def test_an_instruction_with_a_slot_that_nobody_fills(toy):
    md = with_table("Instruction", "Put a draft there.", "Put a draft for {whom} there.")
    with pytest.raises((TaskError, ValueError), match=r"Task\.md, Instruction.*whom"):
        toy(md=md).instance("sg", 0)


def test_the_digest_follows_every_source_file_and_no_cache(toy, tmp_path: Path):
    t = toy()
    before = t.digest
    folder = tmp_path / t.package
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__" / "task.x.pyc").write_bytes(b"x")
    del t.__dict__["digest"]
    assert t.digest == before
    (folder / "words" / "sg.en.toml").write_text('language = "en"\n# changed\n', "utf-8")
    del t.__dict__["digest"]
    assert t.digest != before
