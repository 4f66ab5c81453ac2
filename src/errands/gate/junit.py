"""A gate as a JUnit file: one test an instance, one a requirement, and one that says whether it could be judged.

Elements and attributes are those that common readers know (tests/gate/junit.xsd states them). There is a failure
exactly where the gate failed, and an error exactly where something could not be judged; what went wrong without
blocking is skipped, with its reason.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from errands import __version__

from .judge import Task
from .report import Report
from .session import row_name

# What XML 1.0 cannot hold.
_BARRED = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SUITE = "errands.gate"


def junit(r: Report) -> bytes:
    """The file."""
    suite = Xml.Element("testsuite", name=_clean(f"errands gate {r.agent}"))
    properties = Xml.SubElement(suite, "properties")
    for name, value in _properties(r):
        if value:
            Xml.SubElement(properties, "property", name=name, value=_clean(value))
    seconds = _seconds(r)
    for t in r.judged.tasks:
        case = _case(suite, t.id.partition("@")[0], t.id, seconds.get(t.id, 0.0))
        _task(case, t, r)
    for m in r.judged.requirements:
        case = _case(suite, f"{_SUITE}.requirements", m.requirement.text)
        said = f"{m.requirement.text}: {m.seen} seen; {m.trips}"
        if m.state == "fails" and not m.requirement.of_harness:
            _mark(case, "failure", said, "requirement")
        elif m.state != "holds":
            _mark(case, "error", said, "requirement")
    case = _case(suite, _SUITE, "it could be judged")
    if r.unjudged:
        _mark(case, "error", "; ".join(r.unjudged), "not judged")
    counts = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
    }
    for name, n in counts.items():
        suite.set(name, str(n))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    total = f"{sum(seconds.values()):.3f}"
    suite.set("time", total)
    root = Xml.Element("testsuites", {"name": "errands gate", "time": total})
    for name, n in counts.items():
        root.set(name, str(n))
    root.append(suite)
    Xml.indent(root)
    data: bytes = Xml.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + data + b"\n"


def _properties(r: Report) -> list[tuple[str, str]]:
    held = r.baseline
    return [
        ("errands", __version__),
        ("agent", r.agent),
        ("verdict", r.judged.verdict),
        ("baseline", f"{held.agent}, {held.date}" if held else ""),
        ("break", r.rule_words),
        ("change", r.change_words),
        ("cost", r.cost),
    ]


def _seconds(r: Report) -> dict[str, float]:
    out: dict[str, float] = {}
    for record in r.records:
        for row in record["attempts"]:
            name = row_name(row)
            out[name] = out.get(name, 0.0) + (row["wall_s"] or 0.0)
    return out


def _task(case: Xml.Element, t: Task, r: Report) -> None:
    note = r.notes.get(t.id)
    why = f" ({note.why})" if note else ""
    if t.outcome == "broke":
        _mark(case, "failure", f"broke: {t.said}{why}", "broke")
    elif t.outcome == "unconfirmed":
        _mark(case, "error", f"may have broken: {t.said}{why}", "unconfirmed")
    elif t.outcome == "quarantined":
        _mark(case, "skipped", f"quarantined {r.quarantined(t)}; {t.said}", "quarantined")
    elif not t.clean:
        words = {
            "unsure": "unsure, does not block",
            "ungraded": "no attempt could be graded",
            "new": "not in the baseline, does not block",
        }.get(t.outcome, "not a break, does not block")
        _mark(case, "skipped", f"{words}: {t.said}{why}", t.outcome)
    if note and t.outcome != "quarantined":
        out = Xml.SubElement(case, "system-out")
        out.text = _clean(f"errands explain {note.attempt}\n{note.path}")


def _case(suite: Xml.Element, classname: str, name: str, seconds: float = 0.0) -> Xml.Element:
    return Xml.SubElement(
        suite, "testcase", classname=_clean(classname), name=_clean(name), time=f"{seconds:.3f}"
    )


def _mark(case: Xml.Element, what: str, said: str, kind: str) -> None:
    Xml.SubElement(case, what, message=_clean(said), type=kind).text = _clean(said)


def _clean(text: str) -> str:
    return _BARRED.sub("\ufffd", text)
