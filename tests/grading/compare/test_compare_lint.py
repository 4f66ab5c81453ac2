"""Comparators are anchored: no `in`, `.find`, `.count` or unanchored search on an agent's text decides a
verdict."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest

import errands.grading.compare as package
from errands.core.money import Money
from errands.grading.compare import dates, ids, money, texts, times

FOLDER = Path(package.__file__).parent
#: Modules whose work is to scan prose with bounded patterns.
SCANNERS = {"clocks", "dates", "moments", "money", "numbers", "texts", "words"}
AGENT_TEXT = {"text", "value", "given", "prose", "folded", "cell"}
BANNED = {"find", "rfind", "index", "rindex", "count", "startswith", "endswith", "partition", "__contains__"}


def faults(source: str, *, scanner: bool = False) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            if any(isinstance(op, (ast.In, ast.NotIn)) and _agents(right) for op, right in pairs):
                found.append(f"{node.lineno}: `in` on agent text")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, owner = node.func.attr, node.func.value
            if name in BANNED and _agents(owner):
                found.append(f"{node.lineno}: .{name} on agent text")
            if (
                isinstance(owner, ast.Name)
                and owner.id == "re"
                and name in ("search", "findall", "finditer", "match")
            ):
                found.append(f"{node.lineno}: re.{name} without a compiled, named pattern")
            if name in ("search", "findall") and not scanner and any(_agents(arg) for arg in node.args):
                found.append(f"{node.lineno}: unanchored .{name} on agent text")
    return found


def _agents(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in AGENT_TEXT


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_substring_tests(path: Path) -> None:
    allowed = {"addresses": 1}  # `_WORD.findall(text)` cuts an address into words
    assert len(faults(path.read_text("utf-8"), scanner=path.stem in SCANNERS)) <= allowed.get(path.stem, 0)


def test_the_lint_bites() -> None:
    for line in (
        "'MI' in text",
        "text.find('x')",
        "re.search('x', text)",
        "_P.search(text)",
        "given.startswith('x')",
    ):
        assert faults(line), line
    assert not faults("x in {'a'}; _P.fullmatch(text); text.strip()")


def test_import_is_light() -> None:
    modules = ("texts", "tables", "addresses", "quantities")
    imports = "".join(f"import errands.grading.compare.{name}; " for name in modules)
    heavy = ("openpyxl", "phonenumbers", "pydantic", "sqlite3", "asyncio")
    code = f"import sys; {imports}print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_speed() -> None:
    """Typical times are 2 to 90 µs a value and 0.6 ms a page of mail; the limits allow for a busy machine."""
    page = (
        "Hi Wei Ling, the planning review that clashed on Thu, 5 Nov has moved from 10am to 4.30pm on "
        "the same day; the client review stays at 10am (SGT) in Room 3. Rachel is free until 6pm, so "
        "nobody needs to move anything else. The old invite INV-2026-00012 was cancelled and 3 people "
        "were notified. Please reply by Wed, 4 Nov 6pm if this does not work for you and I will look "
        "for another slot next week. Thanks and see you, Cheryl Goh."
    )

    def best(run: object, times_: int = 50) -> float:
        assert callable(run)
        spans = []
        for _ in range(5):
            start = perf_counter()
            for _ in range(times_):
                run()
            spans.append((perf_counter() - start) / times_)
        return min(spans) * 1e6

    assert best(lambda: ids.same_id("INV-1", "INV-1")) < 50
    assert best(lambda: money.same_money("S$1,250.00", Money(125000, "SGD"))) < 100
    assert best(lambda: dates.read_date("12 Nov 2026")) < 150
    assert best(lambda: times.read_datetime("2026-11-05T16:30+08:00", "Asia/Singapore")) < 150
    assert best(lambda: times.read_datetime("5 Nov 2026, 4.30pm", "Asia/Singapore")) < 500
    assert best(lambda: texts.find_times(page, "Asia/Singapore"), 10) < 3000
