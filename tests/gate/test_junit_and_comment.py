"""JUnit and the pull request's comment: valid, whatever an agent says, and they say what the gate says."""

from __future__ import annotations

import datetime
import xml.etree.ElementTree as Xml
from pathlib import Path

import junitparser
import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.gate.comment import MARKER, comment
from errands.gate.junit import junit
from errands.gate.listed import Quarantined
from errands.gate.report import Report
from errands.gate.requirements import requirement

from .played import by_hand

# Our own statement of what common readers take; `junitparser` is one of them.
SCHEMA = xmlschema.XMLSchema10(Path(__file__).with_name("junit.xsd"))
NASTY = "x\x00\x1b[31m]]> \"<&' @everyone | `code` </failure>\n\ud800"
KEPT_OUT = Quarantined(id="q@sg/0", since=datetime.date(2026, 10, 1), reason=NASTY[:-1])


def report(judged, *, agent: str = "acme", why: str = "C1: not moved") -> Report:
    """A report with a record such as runs leave."""
    rows = [
        {
            "n": n,
            "task": a.task.partition("@")[0],
            "market": "sg",
            "variant": 0,
            "strict": a.strict,
            "crossed": a.crossed,
            "status": a.status,
            "why": why,
            "end_reason": "completed",
            "criteria": [{"id": "C1", "kind": "required", "result": "unmet", "reason": why}],
            "evidence_path": f"runs/{n}.zip",
            "wall_s": 1.25,
        }
        for n, a in enumerate((a for t in judged.tasks for a in t.now.planned), 1)
    ]
    record = {"run": "r", "path": "errands-runs/r", "attempts": rows, "usage": None, "cost_usd": 0.0}
    record["counts"] = {"planned": len(rows), "not_run": 0}
    return Report(agent, judged, [record], quarantine=[KEPT_OUT], today=datetime.date(2026, 11, 30))


def valid(data: bytes) -> Xml.Element:
    """The file, once schema and another reader have taken it."""
    root = Xml.fromstring(data)
    SCHEMA.validate(root)
    suites = list(junitparser.JUnitXml.fromstring(data))
    for suite in suites:
        counted = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert counted == (suite.tests, suite.failures, suite.errors, suite.skipped)
    assert len(suites) == 1
    return root


letters = st.text("pfxbin", min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(letters, letters, st.text("pfb", min_size=1, max_size=2)), min_size=1, max_size=4),
    st.sampled_from(["crossed == 0", "strict >= 3", "blocked == 0", "coverage >= 90 %"]),
    st.booleans(),
)
def test_failures_where_it_failed_and_errors_where_it_was_not_judged(tasks, wanted, kept_out):
    names = [f"t{k}@sg/0" for k in range(len(tasks))]
    j = by_hand(
        {n: t[0] for n, t in zip(names, tasks, strict=True)} | ({"q@sg/0": "fff"} if kept_out else {}),
        {n: t[1] for n, t in zip(names, tasks, strict=True)},
        {n: t[2] for n, t in zip(names, tasks, strict=True)},
        requirements=[requirement(wanted)],
        quarantine=["q@sg/0"] if kept_out else [],
    )
    root = valid(junit(report(j)))
    failures, errors = int(root.get("failures")), int(root.get("errors"))
    assert (failures > 0) == (j.exit_code == 4)
    assert (failures + errors == 0) == (j.exit_code == 0 and not j.unjudged)
    assert int(root.get("tests")) == len(j.tasks) + 2
    assert comment(report(j)).startswith(MARKER)


def test_every_kind_of_case():
    j = by_hand(
        {"broke@sg/0": "fff", "flaky@sg/0": "ppf", "fine@sg/0": "ppp", "q@sg/0": "fff"},
        {"broke@sg/0": "ppp", "flaky@sg/0": "ppp", "fine@sg/0": "ppp"},
        "f",
        quarantine=["q@sg/0"],
    )
    root = valid(junit(report(j)))
    cases = {c.get("name"): c for c in root.iter("testcase")}
    assert "broke: 3/3 → 0/3, re-run 0/" in cases["broke@sg/0"].find("failure").get("message")
    assert "unsure, does not block" in cases["flaky@sg/0"].find("skipped").get("message")
    assert [e.tag for e in cases["fine@sg/0"]] == []
    assert "60 days" in cases["q@sg/0"].find("skipped").get("message")
    assert cases["broke@sg/0"].get("time") == "3.750"
    assert "errands explain r:1" in cases["broke@sg/0"].find("system-out").text


def test_whatever_an_agent_or_a_person_says_stays_text():
    j = by_hand({"a@sg/0": "fff", "q@sg/0": "fff"}, {"a@sg/0": "ppp"}, "f", quarantine=["q@sg/0"])
    r = report(j, agent=NASTY, why=NASTY)
    root = valid(junit(r))
    assert "]]>" in root.find(".//failure").text and len(list(root.iter("failure"))) == 1
    text = comment(r)
    outside = "".join(text.split("`")[::2])  # what is not in a code span
    assert "@everyone" not in outside and "</failure>" not in outside
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == 2 and all(line.replace("\\|", "").count("|") == 4 for line in rows)


def test_a_comment_has_an_end():
    many = {f"t{k:03d}@sg/0": "fff" for k in range(150)}
    j = by_hand(many, dict.fromkeys(many, "ppp"), "f")
    text = comment(report(j, why="y" * 5000))
    assert "**Broke: 150**" in text and "and 110 more" in text
    assert len(text) < 65_536


def test_the_schema_does_look():
    bad = Xml.fromstring(junit(report(by_hand({"a@sg/0": "ppp"}))))
    bad.find("testsuite").set("surprise", "1")
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        SCHEMA.validate(bad)
