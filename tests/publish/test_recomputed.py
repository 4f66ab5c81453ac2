"""Every figure of a card is worked out again from raw JSON Lines, by arithmetic that knows nothing of Errands."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from . import recompute

BASELINES = ("null", "refuse", "spam", "oracle")


def numbers(value, path=()):
    """Every leaf of a card that is a figure: numbers, and what stands for one (no value, an exact fraction)."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from numbers(v, (*path, k))
    elif isinstance(value, list):
        for n, v in enumerate(value):
            yield from numbers(v, (*path, n))
    elif path[-1] in ("numerator", "denominator") or (
        not isinstance(value, (str, bool)) and path[-1] not in NO_FIGURE
    ):
        yield path, value


# Nothing was withdrawn or normalised, no errand is of the everyday suite, and the series of a card is no figure.
NO_FIGURE = ("format", "with_withdrawn", "normalised", "everyday")


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == pytest.approx(b, rel=1e-7, abs=1e-9)
    return a == b


@pytest.mark.parametrize("agent", ["skilled-80", "skilled-40", "hasty", "oracle", "null"])
def test_every_figure_is_that_of_the_raw_rows(here, sold, card_args, exported, agent):
    told = here("card", agent, *card_args, "--json").ok().json
    again = recompute.card(
        recompute.rows(exported / agent),
        {b: recompute.rows(exported / b) for b in BASELINES},
        sold.home / "batch.json",
    )
    agree(told, again, 300)


def agree(told, again, least):
    """The card and what was worked out again hold the same figures, and the same of each; at least so many."""
    is_, should = dict(numbers(told)), dict(numbers(again))
    assert is_.keys() == should.keys() and len(is_) > least
    wrong = {p: (is_[p], should[p]) for p in is_ if not same(is_[p], should[p])}
    assert not wrong


def test_the_list_is_large_enough_to_show_each_kind_of_figure(sold):
    picks = json.loads((sold.home / "batch.json").read_text())["picks"]
    assert len({p["group"] for p in picks}) >= 10 and any(p["chance"] != "1" for p in picks)


def test_groups_and_chances_of_the_rows_are_the_draws(exported, sold):
    found = recompute.rows(exported / "hasty")
    for a, b in zip(found, recompute.placed(found, sold.home / "batch.json"), strict=True):
        assert (a["group"], a["world"], a["pi"]) == (b["group"], b["world"], str(b["pi"]))


def test_the_arithmetic_is_its_own():
    tree = ast.parse(Path(recompute.__file__).read_text())
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert names <= {"__future__", "json", "fractions", "math", "pathlib", "statistics", "scipy"}
