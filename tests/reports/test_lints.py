"""What the code may not do, whoever writes the next errand: reports 5, 12, 20, 21, 28, 33 and 35 as lints.

Each rule is a function from a syntax tree to faults, and each is shown to bite.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from errands.world.app import app

from .bench import SRC, TASKS, modules, named, parsed

Fault = tuple[int, str]
Rule = Callable[[ast.Module], Iterator[Fault]]

# ---- 5: no substring tests on what an agent wrote ----------------------------------------------------------

#: Names, attributes and columns that hold text of an agent.
TEXTS = {
    "text",
    "body",
    "subject",
    "reply",
    "final_reply",
    "prose",
    "sentence",
    "words",
    "said",
    "title",
    "notes",
}
LOOKS = {"find", "rfind", "index", "rindex", "count", "startswith", "endswith", "partition", "rpartition"}
#: Keys of a ledger row's body, which is an object and no text.
KEYS = {"error", "done", "result"}
#: Modules whose patterns are measured on labelled sentences, or which cut text for those.
MEASURED = {
    "choosing",
    "claims",
    "clauses",
    "holds",
    "meetings",
    "picks",
    "prices",
    "register",
    "slots",
    "traits",
}


#: Modules of an errand that write its world or its solutions, and judge nothing.
WRITES = {
    "letters",
    "mails",
    "scene",
    "script",
    "solutions",
    "solver",
    "threads",
    "versions",
    "ics",
    "papers",
    "leave",
}


#: Modules of an errand that read prose by patterns of their own; its test file holds right and wrong prose for each.
READS = {"promises", "reading", "reply", "saying", "telling", "told", "values"}


def text_of(node: ast.AST) -> bool:
    """Whether an expression is text of an agent, by its last name: `note.body.lower()`, `row["subject"]`, `text`."""
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(node.func, ast.Name) and node.func.id in ("str", "plain", "fold") and node.args:
            inner = node.args[0]
        return inner is not None and text_of(inner)
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant):
            return node.slice.value in TEXTS
        return isinstance(node.slice, ast.Slice) and text_of(node.value)
    return named(node).rpartition(".")[2] in TEXTS


def substring_tests(tree: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            left = node.left.value if isinstance(node.left, ast.Constant) else ""
            for op, right in zip(node.ops, node.comparators, strict=True):
                if isinstance(op, (ast.In, ast.NotIn)) and left not in KEYS and text_of(right):
                    yield node.lineno, f"`in` on {ast.unparse(right)}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, owner = node.func.attr, node.func.value
            if name in LOOKS and text_of(owner):
                yield node.lineno, f".{name} on {ast.unparse(owner)}"
            bare = named(owner) == "re" and name in ("search", "match", "findall", "finditer")
            scans = name in ("search", "findall", "finditer") and any(
                text_of(a) and not named(a).endswith(".words")  # the words of one typed mention
                for a in node.args
            )
            if bare or scans:
                yield node.lineno, f"unanchored {ast.unparse(node.func)}"


# ---- 12: nothing of an agent's is run ------------------------------------------------------------------------

RUNS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
LOADS = {"pickle", "marshal", "shelve", "dill", "joblib", "yaml", "subprocess", "ctypes", "code", "runpy"}


def imports(tree: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""


def running_data(tree: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS:
            yield node.lineno, f"{node.func.id}()"
        if isinstance(node, ast.Call) and named(node.func) in ("os.system", "os.popen"):
            yield node.lineno, named(node.func)
    yield from ((at, name) for at, name in imports(tree) if name.split(".")[0] in LOADS)


# ---- 20, 21, 28, 33, 35 ------------------------------------------------------------------------------------------

TYPED = re.compile(r"\b20\d\d-\d\d-\d\d\b|[\w.]+@[\w.]+\.\w+|\b(?:msg|evt|thr|per|dft)_[a-z0-9]{8}\b")
HOST = {
    "os",
    "sys",
    "socket",
    "platform",
    "random",
    "secrets",
    "uuid",
    "tempfile",
    "urllib",
    "http",
    "time",
    "locale",
}
CLOCKS = {"now", "today", "utcnow", "time", "time_ns", "localtime", "gmtime", "monotonic", "perf_counter"}


def typed_answers(tree: ast.Module) -> Iterator[Fault]:
    """Dates, addresses and ids that stand in code; docstrings may."""
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in told else None
        if isinstance(text, str) and TYPED.search(text):
            yield node.lineno, text


def the_host(tree: ast.Module) -> Iterator[Fault]:
    yield from ((at, name) for at, name in imports(tree) if name.split(".")[0] in HOST)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and named(node.func) == "open":
            yield node.lineno, "open()"


def host_clocks(tree: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            owner = named(node.func.value).rpartition(".")[2]
            if owner in ("datetime", "date", "time"):
                yield node.lineno, f"{owner}.{node.func.attr}()"


def floats(tree: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield node.lineno, repr(node.value)
        if isinstance(node, ast.Call) and named(node.func) in ("float", "round"):
            yield node.lineno, ast.unparse(node)
        if (
            isinstance(node, (ast.AnnAssign, ast.arg))
            and named(node.annotation or ast.Constant(0)) == "float"
        ):
            yield node.lineno, ast.unparse(node)


def divisions(tree: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield node.lineno, ast.unparse(node)


MADE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def shared_defaults(tree: ast.Module) -> Iterator[Fault]:
    """Lists, objects and sets that are made once and may be changed by everybody: defaults and class attributes.

    Tools and models of pydantic get a copy (`test_35_every_call_of_a_tool_has_defaults_of_its_own`)."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            marks = [named(getattr(d, "func", d)) for d in getattr(node, "decorator_list", [])]
            if any(m.rpartition(".")[2] in ("read", "write", "commit") for m in marks):
                continue
            defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            yield from ((d.lineno, ast.unparse(d)) for d in defaults if isinstance(d, MADE))
        if isinstance(node, ast.ClassDef) and not {"BaseModel", "_Strict", "_Closed"} & set(
            map(named, node.bases)
        ):
            for line in node.body:
                value = line.value if isinstance(line, (ast.Assign, ast.AnnAssign)) else None
                kind = ast.unparse(line.annotation) if isinstance(line, ast.AnnAssign) else ""
                if isinstance(value, MADE) and not kind.startswith(("Mapping", "ClassVar", "Sequence")):
                    yield line.lineno, ast.unparse(line)


def faults(rule: Rule, files: list[Path]) -> list[str]:
    return [f"{p.relative_to(SRC)}:{at}: {what}" for p in files for at, what in rule(parsed(p))]


#: What judges: the criteria of the errands and what they call. Solutions are agents.
ERRANDS = [p for p in modules("library") if p.name != "solutions.py"]
JUDGES = [*ERRANDS, *(p for p in modules("grading") if "compare" not in p.parts)]
WORLD = modules("world", "apps", "library", "grading", "markets", "people", "tasks", "languages", "core")


def test_05_no_verdict_rests_on_a_substring():
    """The fix for one substring test left three others. Here no criterion looks for words in an agent's text: typed
    comparators and the measured language rules do. (grading/compare has a lint of its own.)"""
    judges = [p for p in JUDGES if p.stem not in MEASURED | WRITES | READS]
    assert faults(substring_tests, judges) == []


def test_12_nothing_that_an_agent_made_is_run_or_unpickled():
    """A grader ran eval() on the answer. Here nothing that judges or keeps worlds can run data."""
    assert faults(running_data, [*WORLD, *modules("evidence")]) == []


def test_20_no_answer_is_typed_in_the_code_of_an_errand():
    assert faults(typed_answers, ERRANDS) == []


def test_21_what_judges_knows_nothing_of_the_host():
    """No address of a page, no environment, no file of the host: rows only."""
    assert faults(the_host, JUDGES) == []


def test_28_no_code_of_a_world_asks_the_host_what_time_it_is():
    assert faults(host_clocks, WORLD) == []


def test_33_no_float_where_money_is():
    """In the code of money, of the comparators of amounts, of scores and of the errands."""
    money = [
        SRC / "core/money.py",
        *(SRC / f"grading/compare/{n}.py" for n in ("money", "numerals", "numbers")),
    ]
    assert faults(floats, [*money, SRC / "grading/contract.py", *ERRANDS]) == []
    assert faults(divisions, money) == []


def test_35_nothing_is_shared_by_default():
    """A default object was a class attribute that all simulations changed."""
    assert faults(shared_defaults, modules(".")) == []


TOOLS = [t for name in TASKS[0].contract.front.apps for t in app(name).tools.values()]
SOME = {"string": "a", "integer": 1, "boolean": True}


def some(schema):
    """A value that fits."""
    if "enum" in schema:
        return schema["enum"][0]
    return [some(schema["items"])] if schema.get("type") == "array" else SOME[schema["type"]]


def test_35_every_call_of_a_tool_has_defaults_of_its_own():
    """What a tool gets for an argument that was left out is no object that another call gets too."""
    seen = 0
    for tool in TOOLS:
        schema = tool.spec.parameters
        args = {f: some(schema["properties"][f]) for f in schema.get("required", ())}
        one, two = tool.check(args), tool.check(args)
        for field, value in one.items():
            if isinstance(value, (list, dict)) and field not in args:
                seen += 1
                assert value is not two[field], f"{tool.name} {field}"
    assert seen >= 5


BITES: list[tuple[Rule, str, str]] = [
    (substring_tests, "if 'MI' in note.body.lower(): pass", "if note.key in {'a'}: pass"),
    (substring_tests, "ok = row['subject'].find('x') >= 0", "ok = rows.index(x) >= 0"),
    (substring_tests, "ok = k.rule in e.final_reply", "ok = 'result' in call.body"),
    (substring_tests, "ok = re.search('x', s)", "ok = PATH.fullmatch(text)"),
    (substring_tests, "ok = PATTERN.search(str(said))", "ok = PATTERN.search(path)"),
    (running_data, "x = eval(reply)", "x = evaluate(reply)"),
    (running_data, "from yaml import load", "from json import load"),
    (typed_answers, "x = '2026-11-12'", "'''A day such as 2026-11-12.'''"),
    (typed_answers, "x = 'a.tan@kenari.example'", "x = 'workspace/list'"),
    (the_host, "import os.path", "import re"),
    (host_clocks, "x = datetime.datetime.now()", "x = clock.now()"),
    (host_clocks, "x = date.today()", "x = b.today"),
    (floats, "x = 0.5", "x = Fraction(1, 2)"),
    (floats, "def f(amount: float): pass", "def f(amount: int): pass"),
    (divisions, "x = a / b", "x = a // b"),
    (shared_defaults, "def f(x=[]): pass", "def f(x=()): pass"),
    (shared_defaults, "class A:\n    x = {}", "class A:\n    x = ()"),
    (shared_defaults, "@cache\ndef f(x={}): pass", "@mail.write('x')\ndef f(x={}): pass"),
]


@pytest.mark.parametrize(
    ("rule", "bad", "good"), BITES, ids=[f"{r.__name__}-{n}" for n, (r, *_) in enumerate(BITES)]
)
def test_every_lint_bites(rule, bad, good):
    assert list(rule(ast.parse(bad))) and not list(rule(ast.parse(good)))
