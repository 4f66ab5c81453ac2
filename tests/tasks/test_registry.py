"""Selections: globs, near matches in errors, and parts that have nothing in common."""

from __future__ import annotations

from itertools import pairwise

import pytest

from errands.core.errors import UsageError
from errands.tasks.registry import Choice, Selection, select, task, tasks

DOUBLE, AUDIT = "ec-double-booking-resolution", "ec-inbox-commitment-audit"


def names(**parts) -> list[tuple[str, int]]:
    return [(c.task, c.variant) for c in select(Selection(**parts))]


def test_nothing_chosen_means_everything_in_a_fixed_order():
    found = select(Selection())
    assert found == [
        Choice(t.contract.front.number, t.id, m, v, "en")
        for t in tasks()
        for m in t.contract.front.markets
        for v in range(t.contract.front.variants)
    ]
    assert all(a < b for a, b in pairwise(found))
    assert {c.task for c in found} >= {DOUBLE, AUDIT}


def test_tasks_are_found_in_order_of_number_and_once():
    assert [t.contract.front.number for t in tasks()] == sorted(t.contract.front.number for t in tasks())
    assert len({t.id for t in tasks()}) == len(tasks())
    assert task(DOUBLE) is task(DOUBLE)
    assert all(t.contract.front.suite == t.package.split(".")[2] for t in tasks())


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        ((DOUBLE,), {DOUBLE}),
        (("ec-double*",), {DOUBLE}),
        (("*commitment-audit", "*double-booking*"), {DOUBLE, AUDIT}),
        (("ec-*",), {t.id for t in tasks() if t.contract.front.suite == "consumer"}),
        (("ec-?ouble-booking-resolution",), {DOUBLE}),
        (("ec-[id]*-[bc]o*",), {DOUBLE, AUDIT}),
        (("*",), {t.id for t in tasks()}),
        ((AUDIT, AUDIT), {AUDIT}),
    ],
)
def test_globs(patterns, found):
    assert {t for t, _ in names(tasks=patterns)} == found
    chosen = select(Selection(tasks=patterns))
    assert len(chosen) == len(set(chosen))


def test_parts_narrow_each_other():
    assert names(tasks=(DOUBLE,), markets=("sg",), variants=(2, 0)) == [(DOUBLE, 0), (DOUBLE, 2)]
    assert names(
        suites=("consumer",),
        domains=("email-calendar",),
        markets=("sg",),
        variants=(1,),
        tasks=("ec-[id]*-[bc]o*",),
    ) == [(AUDIT, 1), (DOUBLE, 1)]
    assert {t for t, _ in names(tags=("holiday",))} >= {DOUBLE, AUDIT}
    both = {t.id for t in tasks() if {"holiday", "policy"} <= set(t.contract.front.tags)}
    assert DOUBLE in both and {t for t, _ in names(tags=("holiday", "policy"))} == both  # all tags, not any


def test_language():
    assert {c.language for c in select(Selection())} == {"en"}
    assert {c.language for c in select(Selection(language="local", markets=("sg",)))} == {"en"}


@pytest.mark.parametrize(
    ("parts", "where", "words"),
    [
        (
            {"tasks": ("ec-duble-booking",)},
            "--task",
            ["'ec-duble-booking'", f"perhaps {DOUBLE}", "errands list"],
        ),
        ({"tasks": (DOUBLE, "double")}, "--task", ["'double'", f"perhaps {DOUBLE}"]),
        ({"tasks": ("EC-*",)}, "--task", ["'EC-*'"]),
        ({"tasks": ("",)}, "--task", ["''", "one of", AUDIT]),
        ({"tasks": ("zzz*",)}, "--task", ["'zzz*'", "one of", AUDIT, DOUBLE]),
        ({"suites": ("consumers",)}, "--suite", ["'consumers'", "perhaps consumer"]),
        ({"suites": ("consumer", "office")}, "--suite", ["'office'"]),
        ({"domains": ("email-calender",)}, "--domain", ["'email-calender'", "perhaps email-calendar"]),
        ({"markets": ("zz",)}, "--market", ["'zz'", "sg"]),
        ({"markets": ("SG",)}, "--market", ["'SG'", "sg"]),
        ({"variants": (99,)}, "--variant", ["'99'", "perhaps 9"]),
        ({"variants": (1, 30)}, "--variant", ["'30'"]),
        ({"variants": (-1,)}, "--variant", ["'-1'"]),
        ({"tags": ("holidays",)}, "--tag", ["'holidays'", "perhaps holiday"]),
        ({"tags": ("holiday", "poilcy")}, "--tag", ["'poilcy'", "policy"]),
    ],
)
def test_what_matches_nothing_is_named_with_what_is_near(parts, where, words):
    with pytest.raises(UsageError) as caught:
        select(Selection(**parts))
    told = str(caught.value)
    assert caught.value.where == where
    assert all(w in told for w in words), told


@pytest.mark.parametrize(
    "parts",
    [{"tasks": (AUDIT,), "tags": ("policy",)}, {"tags": ("policy", "tracing")}],
)
def test_parts_with_nothing_in_common_are_an_error(parts):
    with pytest.raises(UsageError, match=r"selection is empty.*errands list"):
        select(Selection(**parts))


def test_a_task_by_name():
    with pytest.raises(UsageError) as caught:
        task("ec-inbox-comitment-audit")
    assert f"perhaps {AUDIT}" in str(caught.value)
    with pytest.raises(UsageError, match="one of"):
        task("")
