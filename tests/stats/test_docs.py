"""The page about the numbers runs, and says what it prints."""

from __future__ import annotations

import re
from pathlib import Path

from errands.stats.gate import break_rule

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_the_example_prints_what_stands_beside_it(capsys):
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    exec(code, {})
    printed = capsys.readouterr().out.splitlines()
    lines = [line for line in code.splitlines() if line.startswith("print")]
    assert len(lines) == len(printed)
    said = [(line.split("# ")[1], out) for line, out in zip(lines, printed, strict=True) if "# " in line]
    assert len(said) == 4 and all(a == b for a, b in said), said


def test_the_table_of_reruns():
    rows = [
        line.strip("|").split("|")
        for line in PAGE.read_text().splitlines()
        if line.startswith(("| attempts n", "| re-runs r"))
    ]
    for n, r in zip(rows[0][1:], rows[1][1:], strict=True):
        assert break_rule(24, int(n)).reruns == int(r)
    rule = break_rule(24)
    assert round(rule.caught(1, 0.27), 2) == 0.09 and rule.caught(1, 0.5) < 0.01
