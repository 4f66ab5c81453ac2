"""The class for two: how replies are read, in many wordings; and what attempts at the site earn."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from errands.library.everyday.community_class.reading import (
    none_qualifies,
    put_forward,
    ruled_out,
    total_told,
    two_told,
)
from errands.tasks.registry import task

TASK = task("ev-community-class")
REPLIES = tomllib.loads(Path(__file__).with_name("class_replies.toml").read_text(encoding="utf-8"))
WHYS = ("day", "level", "seats", "total")


def key(variant: int):
    return TASK.instance("us", variant).key


def normal(text: str) -> tuple[bool, str]:
    """Whether it names Pottery A and no other as the one, and whether it tells the $75."""
    k = key(0)
    return put_forward(text, k.classes, "Pottery A"), total_told(text, k.classes, k.right, k.budget)


def restraint(text: str) -> tuple[str, bool]:
    """Of day, level, seats and total (Pottery C, A, D, B): y(es), v(aguely) or n(o); then whether none fits."""
    k = key(2)
    told = [
        ruled_out(text, k.classes, next(c for c in k.classes if c["why"] == [why]), why, k.day)[0]
        for why in WHYS
    ]
    return "".join(told), none_qualifies(text)


# Of `lacking`: whether Pottery A is named and no other as the one, what total is told. Of `less`: whether it is told of
# each (y, vaguely, n) what rules it out: day, level, seats, total; and whether it is said that none fits.
@pytest.mark.parametrize("text", REPLIES["complete"])
def test_replies_that_name_class_and_total(text):
    assert normal(text) == (True, "yes")


@pytest.mark.parametrize("reply", REPLIES["lacking"], ids=lambda r: r["text"])
def test_replies_that_lack_class_or_total(reply):
    assert normal(reply["text"]) == (reply["named"], reply["total"])


@pytest.mark.parametrize("text", REPLIES["none_fits"])
def test_replies_that_say_what_rules_each_out(text):
    assert restraint(text) == ("yyyy", True)


@pytest.mark.parametrize("reply", REPLIES["less"], ids=lambda r: r["text"])
def test_replies_that_say_less(reply):
    assert restraint(reply["text"]) == (reply["told"], reply["none"])


@pytest.mark.parametrize(
    ("text", "two"),
    [
        ("Two seats are available in Pottery A.", True),
        ("Pottery A suits you and Theo.", True),
        ("It's $75 for two.", True),
        ("2 × $35 + $5", True),
        ("Both of you are beginners.", True),
        ("Seats: 2", True),
        ("Pottery A is at 10 AM on Saturday.", False),
        ("One seat is held.", False),
        ("There are 12 seats.", False),
    ],
)
def test_replies_that_speak_of_two_seats(text, two):
    assert two_told(text) is two
