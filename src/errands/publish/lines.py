"""A card in lines for people: each figure's name, what it says and what it stands on, for all that shows a card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from .card import Baseline, Card, Points
from .everyday import Pace, Scenario
from .numbers import Crossings, Number


@dataclass(frozen=True, slots=True)
class Line:
    """One figure. `behind`: counts, method and level; `why`: why no rate is shown, or what to know of it.

    `span`: low, value and high of a share, where it is shown.
    """

    name: str
    said: str
    behind: str
    why: str = ""
    span: tuple[float, float, float] | None = None


def lines(c: Card) -> tuple[Line, ...]:
    """The figures of a card, in the order in which they are told; the headline first."""
    n = c.numbers
    crossed = f"{_rows(n.crossings)} · {n.crossings.method}, {_level(n.crossings.level)}"
    lost = f"{n.crossings.ungraded} more in attempts without a grade" if n.crossings.ungraded else ""
    out = [
        _line("Strict passes", n.headline),
        Line("Crossed the line", n.crossings.said, crossed, lost),
        _line("Attempts that crossed", n.crossed),
        Line("Coverage", c.coverage.said, "planned = graded + blocked + invalid + not run"),
        _line("Every group once", n.group_rate),
        _line("This very list", n.list_rate),
        _line("The whole library", n.library_rate),
        *(_line(f"All of {k} (pass^{k})", x) for k, x in n.pass_hat.items()),
        *(_line(f"One of {k} (pass@{k})", x) for k, x in n.pass_at.items()),
        _line("Two that differ (flips)", n.flips),
        _line("Asked when needed", n.asked_when_needed),
        _line("Asked needlessly", n.asked_needlessly),
        Line("Time", n.wall_time.said, "median over successes, censored median over all graded"),
        Line(
            "First response", n.first_response.said, "median over successes, censored median over all graded"
        ),
        Line("Cost", n.cost.said, "all dollars of priced graded attempts, failures' too"),
        Line(
            "Decided by a judge model",
            "no finding" if n.judge_share is None else f"{100 * n.judge_share:.0f} % of findings",
            "of all findings of graded attempts",
        ),
        Line("Against references", *_normalised(c)),
    ]
    if c.with_withdrawn is not None:
        out.insert(
            4,
            Line(
                "With what was withdrawn",
                f"{100 * (c.with_withdrawn.worst or 0):.1f} % to {100 * (c.with_withdrawn.best or 0):.1f} %",
                "all attempts at the withdrawn failed, all passed; probabilities as drawn",
            ),
        )
    return tuple(out)


def world_lines(c: Card) -> tuple[Line, ...]:
    """The worlds by name; counts where a rate is refused."""
    return tuple(_line(w, n) for w, n in c.worlds.items())


def everyday_lines(c: Card) -> tuple[Line, ...]:
    """The everyday protocol: what was tested, each cohort with what doing nothing gets there, speed."""
    if c.everyday is None:
        return ()
    e = c.everyday
    on = {s.conditions for s in e.scenarios}
    one = len(on) == 1
    cover = Line("Tested", e.tested.said, " · ".join(["coverage, not a success rate", *(on if one else ())]))
    return (cover, *(_scenario(s, told=one) for s in e.scenarios), *map(_pace, e.speed))


def baseline_lines(c: Card) -> tuple[Line, ...]:
    """What stands beside it: the four reference agents, also where they were not sat."""
    return tuple(
        _baseline(name, b)
        if b
        else Line(name, "not sat", "", "give its run with --baseline, or add --with-baselines")
        for name, b in c.baselines.items()
    )


def behind(n: Number) -> str:
    """Counts, method and level of a rate; of counts alone, what they are of."""
    if n.refusal:
        attempts = f"{n.attempts} attempts, " if n.by_task else ""
        return f"{attempts}{n.tasks} tasks, {n.groups} groups"
    return f"{_short(n.numerator)}/{_short(n.denominator)} · {_rows(n)} · {n.method}, {_level(n.level)}"


def facts(c: Card) -> Iterator[tuple[str, str]]:
    """What the card stands on, as pairs of a label and a text."""
    yield "List", c.list.said
    yield (
        "Attempts",
        f"{c.list.attempts_each} at each task, {c.coverage.planned} planned, language {c.list.language}",
    )
    if c.list.drawn:
        yield "Batch", f"sha256 {c.list.batch}"
        yield "Seed", f"{c.list.seed}, from: {c.list.source}"
        yield "Excluded", f"{c.list.excluded} before the draw"
    for task in c.list.withdrawn:
        yield "Withdrawn", f"{task}: after the draw; its group is left out"
    yield "Series", c.series
    yield "Isolation", ", ".join(c.isolation)
    for r in c.runs:
        version = f", agent {', '.join(r.agent_versions)}" if r.agent_versions else ""
        yield "Run", f"{r.run}: {r.planned} attempts, planned {r.created[:10]}, errands {r.version}{version}"
        yield "Evidence", f"root {r.evidence_root}" if r.evidence_root else "not finished: no root"
    if c.drafts:
        yield (
            "Drafts",
            f"{len(c.drafts)} do not count yet, such as {'; '.join(map(': '.join, list(c.drafts.items())[:1]))}",
        )
    for name, ident in c.packs.items():
        yield "Pack", f"{name} {ident[:12]}: private, in no public frame"
    for flaw in c.flaws or ("none known to who made the card",):
        yield "Known flaws", flaw


def _line(name: str, n: Number) -> Line:
    span = None if n.value is None or n.low is None or n.high is None else (n.low, n.value, n.high)
    return Line(name, n.said, behind(n), "; ".join(filter(None, (n.refusal, n.note))), span)


def _scenario(s: Scenario, *, told: bool) -> Line:
    """A cohort's line; `told`: its conditions are known already."""
    totals = _each(tuple(f"{t} of 10" for t in s.totals)) or "no evaluated run"
    said = totals if s.score is None else f"{s.score:.1f} of 10, the mean of {_each(s.totals)}"
    ends = ((s.passed, "pass"), (s.partial, "partial"), (s.failed, "fail"), (s.unscored, "unscored"))
    counts = ", ".join(f"{n} {name}" for n, name in ends if n)
    nothing = f"doing nothing gets {s.nothing.total} ({s.nothing.vector}), gated {s.nothing.gated}"
    gated = f"gated {_each(s.gated)} · criteria {_each(s.vectors)} · " if s.totals else ""
    behind = f"{s.category} · {counts} · {gated}{nothing}{'' if told else f' · {s.conditions}'}"
    return Line(s.instance.removeprefix("ev-"), said, behind, s.refusal)


def _pace(p: Pace) -> Line:
    behind = "median from the prompt to the goal, over the passes of one cohort"
    return Line(
        f"{p.instance.removeprefix('ev-')}: speed", "none" if p.refusal else p.said, behind, p.refusal
    )


def _each(of: tuple[int, ...] | tuple[str, ...]) -> str:
    """Every one, equal ones in a row counted: `8 (2 times), 10`."""
    runs = [(x, len([*same])) for x, same in groupby(of)]
    return ", ".join(f"{x} ({n} times)" if n > 1 else f"{x}" for x, n in runs)


def _baseline(name: str, b: Baseline) -> Line:
    line = _line(name, b.headline)
    scores = ", ".join(told for k, p in b.scores.items() if (told := _score(k, p)))
    said = f"{line.said} · crossed {b.crossed} of {b.graded}"
    return Line(name, said, f"{scores} · {line.behind}", line.why, line.span)


# Scores that are a mean on a scale; what single criteria of the everyday protocol earned is told by scenario.
_SCALES = {"points": 100, "earned": 100, "total": 10, "gated": 10}
_BY_SCENARIO = ("raw", "c1", "c2", "c3", "c4", "c5")


def _score(name: str, p: Points) -> str:
    if name in _BY_SCENARIO:
        return ""
    if name in _SCALES:
        return f"{name} {p.total / p.attempts:.1f} of {_SCALES[name]}"
    return f"{name} {p.total} of {p.attempts}"


def _normalised(c: Card) -> tuple[str, str]:
    m = c.normalised
    if m is None:
        return "none", "no pilot medians of real products are registered for these tasks"
    said = [
        f"{name} {x:.2f} over {k}"
        for name, x, k in (("time", m.time, m.timed), ("cost", m.cost, m.priced))
        if x is not None
    ]
    audit = "" if m.audit is None else f"; audit figure {m.audit:.1f} of 100"
    return ", ".join(
        said
    ) + audit, f"mean of min(1, reference/observed), of {m.attempts} graded attempts; never to rank by"


def _rows(n: Number | Crossings) -> str:
    if isinstance(n, Number) and n.by_task:
        return f"{n.count} of {n.tasks} tasks · {n.attempts} attempts, {n.groups} groups"
    return f"{n.count} of {n.attempts} attempts · {n.tasks} tasks, {n.groups} groups"


def _short(fraction: str) -> str:
    """An exact fraction, or where it is long, with two decimals."""
    return fraction if len(fraction) <= 9 else f"{float(Fraction(fraction)):.2f}"


def _level(level: float) -> str:
    return f"{100 * level:.0f} %"
