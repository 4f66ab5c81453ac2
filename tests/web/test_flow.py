"""The state machine of a site: which step follows, what is asked, what is kept, what is priced."""

from __future__ import annotations

import pytest

from errands.web import Choice, Counter, Number, Quote, Site, Step, Text, Tick
from errands.web.guard import Raw
from errands.world import open_world
from errands.world.fixture import Draft

from .hand import BROWSER, Hand, hidden

probe = Site(
    "probe",
    __name__,
    title="Probe",
    tables="CREATE TABLE probe_rate (id TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    steps=(
        Step("one", "One", (
            Tick(name="pet", label="A pet"),
            Choice(name="kind", label="Kind", options=(("dog", "Dog"), ("cat", "Cat")), shown_if=("pet", "yes")),
            Text(name="breed", label="Breed", shown_if=("kind", "dog")),
        )),
        Step("two", "Two", (Number(name="walks", label="Walks", most=9, shown_if=("kind", "dog")),)),
        Step("three", "Three", (Number(name="age", label="Age", most=99),)),
    ),
)  # fmt: skip


@probe.quotes
def quotes(rows, said, today):
    return [Quote(r["id"], r["id"], "plan", r["cents"] * int(said["age"])) for r in rows("rate")]


moving = Site(
    "moving",
    __name__,
    title="Moving",
    tables="CREATE TABLE moving_rate (id TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    steps=(
        Step("boxes", "Boxes", (Counter(name="chairs", label="Chairs", least=0, most=9),)),
        Step("you", "You", (Number(name="claims", label="Claims", most=9, watched=True),)),
    ),
    soft_at="you",
)
moving.quotes(lambda rows, said, today: [])


@pytest.fixture
def mover():
    d = Draft(("moving", "bureau"))
    d.insert("exam_grant", app="moving", scope="moving.browse", live=1)
    fixture = d.finish(now=0, zone="UTC", instruction="", owner="me@x.example", languages="en")
    made = Hand(open_world(fixture.blob), "moving")
    made.get("/")
    made.post("/start")
    return made


PLUS, MINUS = ["click", "chairs+", "", 1], ["click", "chairs-", "", 1]


@pytest.mark.parametrize(
    ("trace", "value", "taken"),
    [
        ([PLUS, PLUS, PLUS, MINUS], "2", True),
        ([MINUS, PLUS], "1", True),
        ([PLUS] * 12, "9", True),
        ([], "0", True),
        ([], "2", False),
        ([PLUS], "2", False),
        ([["click", "chairs+", "", 0]] * 2, "2", False),
        ([["input", "chairs", "2", 1]], "2", False),
    ],
)
def test_a_counter_stands_where_its_buttons_have_put_it(mover, trace, value, taken):
    mover.post("/step/boxes", trace, chairs=value)
    assert mover.said() == ({"chairs": value} if taken else {})
    assert bool(mover.rows("refused")) is not taken


def test_a_counter_goes_on_from_where_it_stood(mover):
    mover.post("/step/boxes", [PLUS, PLUS], chairs="2")
    mover.get("/step/boxes")
    mover.post("/step/boxes", [PLUS], chairs="3")
    assert mover.said() == {"chairs": "3"}


@pytest.mark.parametrize("beacon", [True, False])
def test_a_watched_field_is_on_record_before_it_is_sent_at_the_latest(mover, beacon):
    mover.post("/step/boxes", chairs="0")
    if beacon:
        page = hidden(mover.text, "/step/you")["_page"]
        ticket = mover.guard.token(mover.rows("session")[0]["id"], page, "/typing/claims")
        widget = {**BROWSER, "sec-fetch-dest": "empty", "sec-fetch-mode": "cors"}
        raw = Raw("POST", "/typing/claims", widget, mover.cookie, {"_page": page, "_token": ticket})
        assert [mover.ask(raw).status for _ in range(2)] == [204, 204]
    mover.post("/step/you", claims="1")
    typed = [r for r in mover.rows("seen") if r["what"] == "typing"]
    assert [r["item"] for r in typed] == ["claims"]


def test_a_soft_inquiry_is_made_where_the_site_says(mover):
    mover.post("/step/boxes", chairs="0")
    assert not mover.world.all("SELECT * FROM bureau_inquiry")
    mover.post("/step/you", claims="1")
    assert [r["kind"] for r in mover.world.all("SELECT kind FROM bureau_inquiry")] == ["soft"]


@pytest.fixture
def hand():
    d = Draft(("probe",))
    d.insert("exam_grant", app="probe", scope="probe.browse", live=1)
    d.insert("probe_rate", id="r", cents=700)
    fixture = d.finish(now=0, zone="UTC", instruction="", owner="me@x.example", languages="en")
    made = Hand(open_world(fixture.blob), "probe")
    made.get("/")
    made.post("/start")
    return made


def test_a_step_that_has_nothing_to_ask_is_passed_over(hand):
    hand.post("/step/one")
    assert "<h1>Three</h1>" in hand.text and "Two" not in hand.text
    hand.get("/step/one")
    hand.post("/step/one", pet="yes", kind="dog", breed="Pug")
    assert "<h1>Two</h1>" in hand.text


def test_what_hangs_on_an_earlier_step_is_asked_openly(hand):
    hand.post("/step/one", pet="yes", kind="dog", breed="Pug")
    assert 'name="walks"' in hand.text and "data-if" not in hand.text
    hand.post("/step/two")
    assert "Please fill this in." in hand.text


def test_a_chain_of_conditions_is_followed_to_its_end(hand):
    hand.post("/step/one", pet="yes", kind="cat")
    assert hand.said() == {"pet": "yes", "kind": "cat"} and "<h1>Three</h1>" in hand.text
    hand.get("/step/one")
    hand.post("/step/one", pet="yes")
    assert "Please choose one." in hand.text  # the earlier answer does not stand in for this one


def test_answers_to_what_is_asked_no_more_are_forgotten(hand):
    hand.post("/step/one", pet="yes", kind="dog", breed="Pug")
    hand.post("/step/two", walks="3")
    hand.post("/step/three", age="4")
    assert hand.said()["walks"] == "3"
    hand.get("/step/one")
    hand.post("/step/one")
    assert hand.said() == {"pet": "no", "age": "4"}


def test_a_changed_answer_takes_the_offers_back_until_the_end_is_reached_again(hand):
    hand.post("/step/one")
    hand.post("/step/three", age="4")
    assert "$28.00" in hand.text
    hand.get("/step/one")
    hand.post("/step/one", pet="yes", kind="cat")
    hand.get("/results")
    assert "Your offers" not in hand.text
    hand.post("/step/three", age="5")
    assert "$35.00" in hand.text and len(hand.rows("quote")) == 1


def test_the_same_requests_leave_the_same_world_whatever_the_secret():
    def walk(secret: bytes) -> tuple[str, str]:
        d = Draft(("probe",))
        d.insert("exam_grant", app="probe", scope="probe.browse", live=1)
        d.insert("probe_rate", id="r", cents=700)
        fixture = d.finish(now=0, zone="UTC", instruction="", owner="me@x.example", languages="en")
        world = open_world(fixture.blob)
        one = Hand(world, "probe", secret)
        one.get("/")
        one.post("/start")
        one.post("/step/one", pet="yes", kind="cat")
        one.post("/step/three", age="4")
        return world.world_digest(), one.cookie

    (a, cookie_a), (b, cookie_b) = walk(b"one"), walk(b"another")
    assert a == b and cookie_a != cookie_b


@pytest.mark.parametrize(
    "raw",
    [" 1,200 ", "$1,200", "1 200", "1200.00"],
)
def test_numbers_are_read_as_people_write_them(raw):
    assert Number(name="n", label="n").read(raw) == "1200"


@pytest.mark.parametrize("raw", ["", "twelve", "1.5", "NaN", "1e400", "-3", "1" * 300, "١٢x"])
def test_what_is_no_number_is_refused_in_words(raw):
    with pytest.raises(ValueError, match="Please"):
        Number(name="n", label="n", most=10**6).read(raw)
