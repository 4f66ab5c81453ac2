"""A gate as a comment for a pull request, in Markdown. Whatever an agent could have put there stands in code spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .judge import Outcome, Task
from .report import Report

# By this line a workflow finds the comment of an earlier gate and replaces it.
MARKER = "<!-- errands-gate -->"
# A comment of a pull request has a limit; JUnit and JSON hold everything.
LONGEST = 40
_SECTIONS: tuple[tuple[Outcome, str], ...] = (
    ("broke", "Broke"),
    ("unconfirmed", "May have broken, re-runs not graded"),
    ("unsure", "Unsure, does not block"),
    ("ungraded", "Not graded"),
    ("fixed", "Fixed"),
    ("quarantined", "Quarantined"),
)
_MARKS = {"holds": "✅", "failed": "❌", "not judged": "⚠️"}


def comment(r: Report) -> str:
    """The comment."""
    return "\n".join([MARKER, *_lines(r)]) + "\n"


def _lines(r: Report) -> Iterator[str]:
    j = r.judged
    yield f"### {_MARKS[j.verdict]} {_plain(r.outcome_words.partition(':')[0])}"
    yield ""
    graded = f"{j.coverage.graded} of {j.coverage.planned} attempts graded"
    cost = f" · {r.cost}" if r.cost else ""
    yield f"{_code(r.agent)} · {r.sample} · {graded}{cost}"
    if r.baseline:
        gone = f"; {j.gone} of its instances are not in this gate" if j.gone else ""
        yield f"Baseline: {_code(r.baseline.agent)}, {r.baseline.date}{gone}"
    yield ""
    yield from _table(
        ("requirement", "seen", ""),
        ((f"`{m.requirement.text}`", str(m.seen), f"{m.state}; {_plain(m.trips)}") for m in j.requirements),
    )
    for why in r.unjudged:
        yield f"- Could not be judged: {_code(why)}"
    if r.unjudged:
        yield ""
    for outcome, title in _SECTIONS:
        found = j.of(outcome)
        if found:
            yield f"**{title}: {len(found)}**"
            yield ""
            yield from _table(("instance", "passed", ""), _rows(found, _told(r)))
    if r.change_words:
        yield f"Paired change, told and not decided on: {_plain(r.change_words)}."
    if r.rule_words:
        yield f"A break: {r.rule_words}."


def _told(r: Report) -> Callable[[Task], str]:
    def told(t: Task) -> str:
        if t.outcome == "quarantined":
            return _code(r.quarantined(t))
        note = r.notes.get(t.id)
        return f"{_code(note.why)} {_code(f'errands explain {note.attempt}')}" if note else ""

    return told


def _rows(found: tuple[Task, ...], told: Callable[[Task], str]) -> Iterator[tuple[str, ...]]:
    for t in found[:LONGEST]:
        yield f"`{t.id}`", t.said, told(t)
    if len(found) > LONGEST:
        yield f"and {len(found) - LONGEST} more", "", ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        yield f"| {' | '.join(head)} |"
        yield "|" + "---|" * len(head)
        yield from lines
        yield ""


def _code(text: str) -> str:
    """Text that may hold anything, so that it neither breaks a table nor calls anybody."""
    flat = " ".join(text.split()).replace("`", "'").replace("|", "\\|")[:300]
    return f"`{flat}`" if flat else ""


def _plain(text: str) -> str:
    """Our own words, in which an agent's name may stand."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|@#" else c for c in text)
