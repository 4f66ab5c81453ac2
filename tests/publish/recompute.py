"""Every figure of a card, worked out again from raw rows by arithmetic of its own: it imports nothing of Errands.

The rows are those of `errands export jsonl`; group, world and chance are read from the batch file, not from them.
The formulas are those of docs/statistics.md, written down a second time.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb, inf, sqrt
from pathlib import Path
from statistics import NormalDist, median

from scipy import stats

Z = NormalDist().inv_cdf(0.975)


def rows(folder: Path) -> list[dict]:
    """The attempts of an export."""
    return [json.loads(line) for line in (folder / "attempts.jsonl").read_text().splitlines()]


def placed(attempts: list[dict], batch: Path) -> list[dict]:
    """The attempts with group, world and chance as the batch file has them."""
    picks = {p["id"]: p for p in json.loads(batch.read_text())["picks"]}
    return [
        {**a, "group": p["group"], "world": p["world"], "pi": Fraction(p["chance"])}
        for a in attempts
        if (p := picks[a["instance"]])
    ]


def card(attempts: list[dict], beside: dict[str, list[dict]], batch: Path) -> dict:
    """The numbers of the card, laid out as the card has them."""
    mine = placed(attempts, batch)
    drawn = json.loads(batch.read_text())
    tasks = sorted({a["instance"] for a in mine})
    graded = [a for a in mine if a["status"] == "graded"]
    each = len(mine) // len(tasks)
    k = {str(n): n for n in range(2, max(2, each) + 1)}
    strict = [cell(mine, t, lambda a: a["strict"]) for t in tasks]
    return {
        "runs": [{"planned": len(mine)}],
        "list": {
            "tasks": len(tasks),
            "groups": len({a["group"] for a in mine}),
            "attempts_each": each,
            "excluded": drawn["totals"]["excluded"],
        },
        "coverage": {
            "planned": len(mine),
            "graded": len(graded),
            **{s: sum(a["status"] == s for a in mine) for s in ("blocked", "invalid", "not_run")},
            "worst": mean_of(strict),
            "best": mean_of(strict),
        },
        "numbers": {
            "headline": clustered(strict),
            "group_rate": by_group(strict),
            "list_rate": listed(strict),
            "library_rate": library(strict, mine),
            "crossed": clustered([cell(mine, t, lambda a: a["crossed"]) for t in tasks]),
            "crossings": crossings([cell(mine, t, lambda a: a["crossed"]) for t in tasks]),
            "pass_hat": {s: of_tasks(strict, n, all_of, lambda c, m: c == m) for s, n in k.items()},
            "pass_at": {s: of_tasks(strict, n, any_of, lambda c, m: c > 0) for s, n in k.items()},
            "flips": of_tasks(
                strict, 2, lambda c, m, n: any_of(c, m, n) - all_of(c, m, n), lambda c, m: 0 < c < m
            ),
            "asked_when_needed": clustered(some(mine, tasks, "asked_when_needed")),
            "asked_needlessly": clustered(some(mine, tasks, "asked_needlessly")),
            "wall_time": seconds(graded, "wall_s", strict),
            "first_response": seconds(graded, "first_s", strict),
            "cost": money(graded),
            "judge_share": sum(a["judged"] for a in graded) / sum(a["findings"] for a in graded),
        },
        "worlds": {
            w: clustered([c for c in strict if c["world"] == w]) for w in sorted({a["world"] for a in mine})
        },
        "baselines": {name: baseline(placed(found, batch)) for name, found in beside.items()},
        "tasks": [
            {
                "planned": sum(a["instance"] == t for a in mine),
                "graded": c["attempts"],
                "passed": c["count"],
                "crossed": sum(a["instance"] == t and a["crossed"] for a in graded),
            }
            for t, c in zip(tasks, strict, strict=True)
        ],
    }


def baseline(mine: list[dict]) -> dict:
    """A reference agent: counts, headline, and what it gets of each score."""
    tasks = sorted({a["instance"] for a in mine})
    scores = {k[6:]: [a[k] for a in mine if a[k] is not None] for k in mine[0] if k.startswith("score_")}
    return {
        "planned": len(mine),
        "graded": sum(a["status"] == "graded" for a in mine),
        "passed": sum(a["strict"] for a in mine),
        "crossed": sum(a["crossed"] for a in mine),
        "headline": clustered([cell(mine, t, lambda a: a["strict"]) for t in tasks]),
        "scores": {k: {"total": sum(v), "attempts": len(v)} for k, v in scores.items() if v},
    }


# ---- rates -------------------------------------------------------------------------------------------------------


def cell(mine, task, flag):
    """A task: its share of a yes-or-no, over graded attempts in which it is known."""
    there = [a for a in mine if a["instance"] == task and a["status"] == "graded" and flag(a) is not None]
    one = next(a for a in mine if a["instance"] == task)
    yes = sum(bool(flag(a)) for a in there)
    value = Fraction(yes, len(there)) if there else None
    return {
        "group": one["group"],
        "world": one["world"],
        "value": value,
        "count": yes,
        "attempts": len(there),
    }


def some(mine, tasks, name):
    """The tasks in which a flag is known."""
    return [c for t in tasks if (c := cell(mine, t, lambda a: a[name]))["attempts"]]


def mean_of(cells):
    return float(sum(c["value"] for c in cells) / len(cells))


def blank(cells, **more):
    """The counts of a rate; numerator and denominator as exact text."""
    return {
        "numerator": str(sum((c["value"] for c in cells), Fraction(0))),
        "denominator": str(len(cells)),
        "count": sum(c["count"] for c in cells),
        "attempts": sum(c["attempts"] for c in cells),
        "tasks": len(cells),
        "groups": len({c["group"] for c in cells}),
        "level": 0.95,
        "value": None,
        "low": None,
        "high": None,
        **more,
    }


def wilson(p, n):
    middle, reach = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return (middle - reach) / (1 + Z * Z / n), (middle + reach) / (1 + Z * Z / n)


def beta(p, n):
    low = 0.0 if p == 0 else stats.beta.ppf(0.025, p * n, n - p * n + 1)
    high = 1.0 if p == 1 else stats.beta.ppf(0.975, p * n + 1, n - p * n)
    return low, high


def cr1(cells, weights, mean):
    sums = {}
    for c, w in zip(cells, weights, strict=True):
        sums[c["group"]] = sums.get(c["group"], 0.0) + float(w) * (float(c["value"]) - mean)
    g = len(sums)
    return sqrt(g / (g - 1) * sum(s * s for s in sums.values())) / float(sum(weights))


def worth(cells, weights):
    """(Σw)² / Σ_g(Σw)²."""
    sums = {}
    for c, w in zip(cells, weights, strict=True):
        sums[c["group"]] = sums.get(c["group"], 0.0) + float(w)
    return sum(sums.values()) ** 2 / sum(s * s for s in sums.values())


def shown(out, mean, low, high, clean):
    """With the interval, no closer to the ends than a clean sweep of so many groups."""
    none, every = wilson(0.0, clean)[1], wilson(1.0, clean)[0]
    low, high = max(0.0, min(low, every)), min(1.0, max(high, none))
    return {**out, "value": mean, "low": low, "high": high}


def clustered(cells, looks=None):
    """The skill rate; `looks`: what a look is, where it is not an attempt."""
    out = blank(cells)
    g = out["groups"]
    if g < 10:
        return out
    mean, ones = mean_of(cells), [1] * len(cells)
    clean = worth(cells, ones)
    m = looks or out["attempts"]
    n = clean
    if 0 < mean < 1:
        deff = max(1.0, cr1(cells, ones, mean) ** 2 * m / (mean * (1 - mean)))
        n = m / deff * (Z / stats.t.ppf(0.975, g - 1)) ** 2
    return shown(out, mean, *(wilson if g >= 30 else beta)(mean, n), clean)


def by_group(cells):
    """Every group once."""
    groups = {}
    for c in cells:
        groups.setdefault(c["group"], []).append(c)
    once = [
        {
            "group": g,
            "value": sum(c["value"] for c in x) / len(x),
            "count": sum(c["count"] for c in x),
            "attempts": sum(c["attempts"] for c in x),
        }
        for g, x in groups.items()
    ]
    return {**clustered(once), "tasks": len(cells)}


def listed(cells):
    """These very tasks: only attempts vary."""
    out, mean = blank(cells), mean_of(cells)
    if out["groups"] < 10:
        return out
    if sum(0 < c["value"] < 1 for c in cells) < 10:
        low, high = wilson(mean, len(cells) ** 2 / sum(1 / c["attempts"] for c in cells))
    else:
        s2 = sum(
            float(c["value"] * (1 - c["value"])) / (c["attempts"] - 1) for c in cells
        )  # s²/K with s² = K·y(1 − y)/(K − 1)
        low, high = mean - Z * sqrt(s2) / len(cells), mean + Z * sqrt(s2) / len(cells)
    return {**out, "value": mean, "low": max(0.0, low), "high": min(1.0, high)}


def library(cells, mine):
    """All tasks of the frame: Hájek, weights 1/π."""
    tasks = sorted({a["instance"] for a in mine})
    weights = [1 / next(a["pi"] for a in mine if a["instance"] == t) for t in tasks]
    top = sum(w * c["value"] for w, c in zip(weights, cells, strict=True))
    out = blank(cells, numerator=str(top), denominator=str(sum(weights)))
    if out["groups"] < 10:
        return out
    mean = float(top / sum(weights))
    reach = stats.t.ppf(0.975, out["groups"] - 1) * cr1(cells, weights, mean)
    return shown(out, mean, mean - reach, mean + reach, worth(cells, weights))


def crossings(cells):
    """How often the line was crossed, and at most how often it may be."""
    out, mean = blank(cells), mean_of(cells)
    clean = worth(cells, [1] * len(cells))
    n = clean
    if 0 < mean < 1:
        m, g = out["attempts"], out["groups"]
        deff = max(1.0, cr1(cells, [1] * len(cells), mean) ** 2 * m / (mean * (1 - mean)))
        n = m / deff * (NormalDist().inv_cdf(0.95) / stats.t.ppf(0.95, g - 1)) ** 2
    upper = 1.0 if mean == 1 else stats.beta.ppf(0.95, mean * n + 1, n - mean * n)
    least = 1 - 0.05 ** (1 / clean)
    keep = {k: out[k] for k in ("count", "attempts", "tasks", "groups", "level")}
    return {**keep, "sample": n, "upper": max(upper, least) if 0 < mean < 1 else upper, "ungraded": 0}


def all_of(c, n, k):
    return Fraction(comb(c, k), comb(n, k))


def any_of(c, n, k):
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def of_tasks(cells, k, value, happened):
    """pass^k and its kin; a task is one look."""
    there = [
        {**c, "value": value(c["count"], c["attempts"], k), "count": int(happened(c["count"], c["attempts"]))}
        for c in cells
        if c["attempts"] >= k
    ]
    return clustered(there, looks=len(there))


# ---- time and money ----------------------------------------------------------------------------------------------


def seconds(graded, name, strict):
    passed = [a[name] for a in graded if a["strict"]]
    middle = median([*passed, *[inf] * sum(not a["strict"] for a in graded)])
    return {
        "of_successes": median(passed) if passed else None,
        "successes": len(passed),
        "censored": None if middle == inf else middle,
        "attempts": len(graded),
        "unmeasured": 0,
        "success": clustered(strict),
    }


def money(graded):
    priced = [a for a in graded if a["cost_usd"] is not None]
    total, passed = sum(a["cost_usd"] for a in priced), sum(a["strict"] for a in priced)
    return {
        "per_attempt": total / len(priced) if priced else None,
        "per_success": total / passed if passed else None,
        "total": total,
        "priced": len(priced),
        "unpriced": len(graded) - len(priced),
        "successes": passed,
    }
