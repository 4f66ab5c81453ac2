"""Fields that wait for somebody's answer: whatever they are, the server hears of the first input, and only of that."""

from __future__ import annotations

import pytest

from errands.web import Choice, Number, Site, Step, Text, Tick

from . import place as places
from .place import visiting

CLAIMS = (("none", "None"), ("some", "Some"))
watcher = Site(
    "watcher",
    __name__,
    title="Watcher",
    tables="CREATE TABLE watcher_rate (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;",
    steps=(
        Step("all", "All of them", (
            Text(name="name", label="Name"),
            Number(name="number", label="How many", watched=True),
            Choice(name="list", label="From a list", options=CLAIMS, watched=True),
            Choice(name="buttons", label="By buttons", options=CLAIMS, spread=True, watched=True),
            Tick(name="box", label="A box", watched=True),
            Number(name="latest", label="The latest", watched=True, shown_if=("buttons", "some")),
        )),
    ),
)  # fmt: skip
watcher.quotes(lambda rows, said, today: [])


@pytest.fixture
def form(web, browser, monkeypatch):
    monkeypatch.setitem(places.SITES, "watcher", lambda d: None)
    with visiting(web, browser, "watcher") as place:
        place.start()
        yield place
        assert not place.trouble and not place.rows("refused")


def typed(place):
    """What the server has heard of, once the page waits for nothing."""
    place.page.locator("html:not([data-busy])").wait_for(state="attached")
    return [r["item"] for r in place.rows("seen") if r["what"] == "typing"]


def by_keys(page, label, *keys):
    page.get_by_label(label).focus()
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize(
    ("field", "gesture"),
    [
        ("number", lambda p: by_keys(p, "How many", "3")),
        ("list", lambda p: by_keys(p, "From a list", "ArrowDown")),
        ("list", lambda p: p.get_by_label("From a list").select_option("some")),
        ("buttons", lambda p: p.get_by_text("None", exact=True).last.click()),
        ("buttons", lambda p: by_keys(p, "None", "ArrowDown")),
        ("box", lambda p: p.get_by_label("A box").check()),
        ("box", lambda p: by_keys(p, "A box", "Space")),
    ],
)
def test_the_first_input_is_heard_before_anything_is_sent(form, field, gesture):
    form.page.get_by_label("Name").fill("Ines")
    assert typed(form) == []
    gesture(form.page)
    assert typed(form) == [field] and form.said() == {}


def test_looking_at_a_field_is_no_input(form):
    for label in ("How many", "From a list", "None", "A box"):
        by_keys(form.page, label, "Tab")
    assert typed(form) == []


def test_it_is_heard_once_however_often_the_mind_is_changed(form):
    for words in ("None", "Some", "None", "Some"):
        form.page.get_by_text(words, exact=True).last.click()
    form.page.get_by_label("The latest").fill("2024")
    form.page.get_by_label("The latest").fill("2023")
    assert typed(form) == ["buttons", "latest"]


def test_sending_it_tells_nothing_more(form):
    form.page.get_by_label("Name").fill("Ines")
    form.page.get_by_label("How many").fill("1")
    form.page.get_by_label("From a list").select_option("none")
    form.page.get_by_text("None", exact=True).last.click()
    assert typed(form) == ["number", "list", "buttons"]
    form.go_on("Continue")
    assert typed(form)[:3] == ["number", "list", "buttons"] and form.said()["number"] == "1"
