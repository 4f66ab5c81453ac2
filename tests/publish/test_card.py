"""The card: what stands on it, what it refuses, and that it cannot be built where counts do not add up."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET

import pytest
from pydantic import ValidationError

from errands.core.errors import UsageError
from errands.draw.batch import withdraw
from errands.evidence.folder import RunFolder
from errands.exam.plan import plan_batch
from errands.exam.run import Run
from errands.publish.card import BASELINES, Card, card
from errands.publish.page import page, picture
from errands.records.attempts import sat
from errands.tasks.registry import Selection

from . import shop


@pytest.fixture(scope="module")
def whole(sold):
    """The card of an agent of middling skill, with all four baselines."""
    return card(*parts(sold, "skilled-80"))


def parts(sold, agent, batch=None):
    batch = batch or sold.batch
    return (
        sat([sold.runs[agent]], batch, fresh=True),
        [sat([sold.runs[b]], batch, fresh=True) for b in BASELINES],
    )


def test_it_says_what_it_stands_on(whole, sold):
    assert whole.list.drawn and whole.list.batch == sold.batch.digest and whole.list.seed == "9f3c"
    (run,) = whole.runs
    assert run.evidence_root == RunFolder(sold.home / "skilled-80").record()["evidence_root"]
    assert whole.isolation == ("in-process",) and run.version
    assert whole.list.attempts_each == 2 and whole.coverage.graded == 2 * len(sold.batch.picks)
    assert any("in-process" in x or "own process" in x for x in whole.cannot)
    assert set(sold.batch.cannot) <= set(whole.cannot)


def test_every_rate_has_counts_method_and_level(whole):
    def rates(x):
        if isinstance(x, dict):
            if "estimand" in x:
                yield x
            for v in x.values():
                yield from rates(v)

    found = list(rates(whole.model_dump(mode="json")))
    assert len(found) > 15
    for r in found:
        assert r["method"] and r["level"] == 0.95 and r["denominator"] and r["attempts"] >= r["tasks"]
        assert (r["value"] is None) == bool(r["refusal"]) == (r["low"] is None)


def test_a_world_with_few_groups_has_counts_and_no_rate(whole):
    home, office = whole.worlds["home"], whole.worlds["office"]
    assert home.value is None and re.fullmatch(r"\d of \d", home.said) and "a rate needs 10" in home.refusal
    assert office.value is not None
    told = page(whole)
    assert home.said in told and home.refusal in told


def test_baselines_are_always_there_also_those_that_were_not_sat(sold, whole):
    assert tuple(whole.baselines) == BASELINES
    assert (
        whole.baselines["null"].passed
        == whole.baselines["refuse"].passed
        == whole.baselines["spam"].passed
        == 0
    )
    assert whole.baselines["oracle"].passed == len(sold.batch.picks)
    assert whole.baselines["null"].scores["accuracy"].total == 0
    assert whole.baselines["null"].scores["boundary"].total == len(sold.batch.picks)
    bare = card(sat([sold.runs["skilled-80"]], sold.batch))
    assert set(bare.baselines.values()) == {None} and page(bare).count("not sat") == 4


def test_nothing_is_ranked_or_sorted_by_score(whole):
    silent = whole.model_copy(update={"cannot": ()})  # it does say that it cannot rank
    said = (page(silent) + silent.text.decode()).lower()
    assert "rank" not in said and "medal" not in said and "leader" not in said
    assert [t.task for t in whole.tasks] == sorted(t.task for t in whole.tasks)


def test_same_runs_same_bytes(sold, whole):
    again = card(*parts(sold, "skilled-80"))
    assert (again.text, page(again), picture(again)) == (whole.text, page(whole), picture(whole))


# ---- counts that do not add up -----------------------------------------------------------------------------------


def changed(whole, path, value):
    data = json.loads(whole.text)
    at = data
    for p in path[:-1]:
        at = at[p]
    at[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("coverage", "graded"), 1),
        (("coverage", "planned"), 99),
        (("numbers", "headline", "count"), 0),
        (("numbers", "crossings", "count"), 7),
        (("list", "tasks"), 99),
        (("list", "attempts_each"), 3),
        (("tasks", 0, "planned"), 1),
        (("tasks", 0, "passed"), 9),
        (("worlds", "office", "count"), 0),
        (("baselines",), {}),
    ],
)
def test_a_card_that_was_changed_cannot_be_read(whole, path, value):
    assert Card.model_validate(json.loads(whole.text)) == whole
    with pytest.raises(ValidationError, match="do not add up"):
        Card.model_validate(changed(whole, path, value))


def test_unknown_keys_are_refused(whole):
    with pytest.raises(ValidationError, match="rank"):
        Card.model_validate({**json.loads(whole.text), "rank": 1})


def test_a_baseline_of_another_list_or_no_baseline_is_refused(sold, tmp_path):
    mine, _ = parts(sold, "skilled-80")
    with pytest.raises(UsageError, match="hasty is no baseline"):
        card(mine, [sat([sold.runs["hasty"]], sold.batch)])
    null = sat([sold.runs["null"]], sold.batch)
    with pytest.raises(UsageError, match="null is there twice"):
        card(mine, [null, null])
    less = withdraw(sold.batch, sold.batch.picks[0].id, "robot-check", "2026-10-06")
    short = sat([shop.sit("null", tmp_path / "n", less, 1)], less)
    with pytest.raises(UsageError, match=f"of one side only: {sold.batch.picks[0].id}"):
        card(mine, [short])


# ---- what could not be graded, what was withdrawn ----------------------------------------------------------------


def test_under_ninety_percent_coverage_the_headline_is_refused(sold, tmp_path):
    folder = plan_batch(shop.resolve("oracle"), sold.batch, 1, tmp_path / "o")
    work = Run(folder, shop.resolve)
    for n in work.go():
        if n >= len(sold.batch.picks) - 3:
            break
    done = card(sat([folder], sold.batch, fresh=True))
    c = done.coverage
    assert c.not_run >= 3 and c.planned == c.graded + c.not_run == len(sold.batch.picks)
    assert done.numbers.headline.value is None and "could be graded" in done.numbers.headline.refusal
    assert done.numbers.library_rate.value is None and c.worst < c.best
    assert done.runs[0].evidence_root is None and any("Not finished" in x for x in done.cannot)
    assert "could be graded" in page(done)


def test_a_withdrawn_task_is_left_out_with_its_group_and_told_both_ways(sold):
    picks = sold.batch.picks
    group = next(p.group for p in picks if sum(q.group == p.group for q in picks) == 2)
    ident = next(p.id for p in picks if p.group == group)
    less = withdraw(sold.batch, ident, "robot-check", "2026-10-06")
    done = card(*parts(sold, "oracle", less))
    assert done.list.withdrawn == (ident,) and len(done.list.left_out) == 1
    assert {t.group for t in done.tasks} == {p.group for p in picks} - {group}
    both = done.with_withdrawn
    n = len(picks)
    assert both.planned == both.graded + both.not_run == n
    assert both.worst == pytest.approx((n - 1) / n) and both.best == 1
    assert "With what was withdrawn" in page(done)


def test_drafts_and_packs_are_said(sold, tmp_path):
    folder = tmp_path / "d"
    shutil.copytree(sold.home / "null", folder)
    plan = (
        RunFolder(folder)
        .plan()
        .model_copy(
            update={"drafts": {"ec-x@sg": "it has not been calibrated"}, "packs": {"acme": "9f3c" * 16}}
        )
    )
    (folder / "plan.json").write_bytes(plan.text)
    done = card(sat([RunFolder(folder)], sold.batch))
    assert done.drafts and done.packs
    assert any("1 errands of the list are drafts" in x for x in done.cannot)
    assert any("acme" in x and "no public series" in x for x in done.cannot)


def test_a_list_that_was_not_drawn_says_so(tmp_path):
    one = Selection(tasks=("ec-double-booking-resolution",), markets=("sg",), variants=(0,))
    done = card(sat([shop.sit("oracle", tmp_path / "o", None, 2, one)], fresh=True))
    assert not done.list.drawn and "each errand is its own group" in done.list.said
    assert done.numbers.headline.said == "2 of 2" and done.numbers.headline.value is None
    assert (
        "not drawn" in done.numbers.library_rate.refusal
        or "a rate needs" in done.numbers.library_rate.refusal
    )


# ---- page and picture --------------------------------------------------------------------------------------------


def hostile(whole):
    """The card of an agent whose name is markup."""
    return whole.model_copy(update={"agent": '"><script>alert(1)</script>&' + "W" * 200})


def test_the_page_loads_nothing_and_runs_nothing(whole):
    said = page(hostile(whole))
    assert "<script" not in said and "http" not in said.replace("http-equiv", "")
    assert "default-src 'none'" in said and "@import" not in said and "url(" not in said


def test_the_picture_is_whole_xml_and_carries_its_counts(whole):
    root = ET.fromstring(picture(hostile(whole)))
    text = " ".join(root.itertext())
    n = whole.numbers.headline
    assert n.said in text and f"{n.count} of {n.attempts} attempts" in text and "alert(1)" in text
    assert all(b in text for b in BASELINES) and "http" not in picture(whole).replace(
        "http://www.w3.org/2000/svg", ""
    )


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_reads_on_a_phone_and_a_desk_by_day_and_night(whole, tmp_path, width, scheme):
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    from errands.doors.browser import find_browser

    (tmp_path / "c.html").write_text(page(hostile(whole)))
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        shown.goto((tmp_path / "c.html").as_uri())
        shown.locator("summary").click()
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        broken = [
            v["id"] for v in Axe().run(shown).response["violations"] if v["impact"] in ("serious", "critical")
        ]
        browser.close()
    assert not broken
