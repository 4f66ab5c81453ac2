"""A site where offers are booked: the list at once, an offer's steps, the review, the hold and what becomes of it."""

from __future__ import annotations

import json
import re

import pytest

from errands.core.canon import digest
from errands.web.guard import Raw

from .hand import BROWSER, Hand
from .place import visiting, world

BOTH = {"names": "Ines Calloway, Rafe Sandoval", "email": "ines@bluefernmail.example"}
A, B = "pot1", "pot2"  # two seats at $35 and a fee of $5; one seat at $25


@pytest.fixture
def hand():
    made = Hand(world("wrenfold"), "wrenfold")
    made.get("/")
    made.post("/start")
    return made


def to_review(hand, item=A, seats="2", **said):
    hand.get(f"/book/{item}")
    hand.post(f"/book/{item}/seats", seats=seats)
    return hand.post(f"/book/{item}/people", **{**BOTH, **said})


def accept(hand, item=A, **said):
    path = re.search(rf'action="(/accept/{item}/\w+)"', hand.text)[1]
    return hand.post(path, accepted="yes", **said)


def held(hand, item=A, **said):
    to_review(hand, item, **said)
    accept(hand, item)
    return max(hand.rows("hold"), key=lambda h: h["at"])["id"]


def commits(hand):
    return hand.world.all("SELECT name, ref, body FROM exam_ledger WHERE kind = 'commit'")


def test_the_list_stands_there_at_once_and_filters_leave_what_they_say(hand):
    assert "4 classes" in hand.text and "Pottery A" in hand.text and "Your offers" not in hand.text
    hand.post("/filter", day="Saturday", craft="pottery")
    assert "2 classes" in hand.text and "Pottery C" not in hand.text and "Weaving" not in hand.text
    hand.post("/filter", level="advanced")
    assert "No class fits your filter." in hand.text


def test_hour_level_seats_and_fee_stand_on_the_own_page_only(hand):
    assert "10 AM" not in hand.text and "Seats left" not in hand.text and "$5.00" not in hand.text
    hand.get(f"/offer/{A}")
    for words in ("10 AM to 12:30 PM", "Beginner", "Seats left", "$5.00 per enrollment"):
        assert words in hand.text


def test_a_hold_is_one_new_row_with_the_total_that_was_accepted(hand):
    to_review(hand)
    assert "2 seats at $35.00" in hand.text and "$75.00" in hand.text and not hand.rows("hold")
    accept(hand)
    (row,) = hand.rows("hold")
    said = json.loads(row["body"])["said"]
    assert (row["item"], row["status"], row["total"]) == (A, "held", 7_500)
    assert said == {**BOTH, "seats": "2", "news": "no", "accepted": "yes", "phone": ""}
    made = hand.world.all("SELECT ref FROM exam_ledger WHERE kind = 'effect' AND name = 'wrenfold_hold'")
    assert [m["ref"] for m in made] == [row["id"]] and not commits(hand)
    assert "Held for you" in hand.text and row["id"] in hand.text


def test_without_the_tick_nothing_is_held(hand):
    to_review(hand)
    path = re.search(r'action="(/accept/\w+/\w+)"', hand.text)[1]
    hand.post(path)
    assert "Please tick the box to go on." in hand.text and not hand.rows("hold")
    accept(hand)
    assert hand.rows("hold")


def test_a_review_that_shows_another_bill_than_there_is_now_is_shown_again(hand):
    to_review(hand)
    path = re.search(r'action="(/accept/\w+/\w+)"', hand.text)[1]
    form = hand.hidden(path)
    hand.get(f"/book/{A}/seats")
    hand.post(f"/book/{A}/seats", seats="1")
    hand.post(f"/book/{A}/people", **{**BOTH, "names": "Ines Calloway"})
    answer = hand.ask(Raw("POST", path, BROWSER, hand.cookie, {**form, "accepted": "yes", "_trace": "[]"}))
    assert answer.to == f"/review/{A}" and not hand.rows("hold")


@pytest.mark.parametrize("path", [f"/book/{A}/people", f"/review/{A}"])
def test_no_step_is_reached_before_those_ahead_of_it(hand, path):
    hand.get(path)
    assert "How many seats" in hand.text
    token = {"_page": hand.hidden(f"/book/{A}/seats")["_page"]}
    session = hand.rows("session")[0]["id"]
    token["_token"] = hand.guard.token(session, token["_page"], f"/book/{A}/people")
    answer = hand.ask(
        Raw("POST", f"/book/{A}/people", BROWSER, hand.cookie, {**token, **BOTH, "_trace": "[]"})
    )
    assert answer.status == 403 and not hand.rows("entry")


def test_no_more_seats_than_are_left_those_on_hold_counted(hand):
    hand.get(f"/book/{B}")
    hand.post(f"/book/{B}/seats", seats="2")
    assert "1 seat is left." in hand.text and not hand.rows("entry")
    held(hand, seats="1", names="Ines Calloway")
    hand.get(f"/book/{A}")
    hand.post(f"/book/{A}/seats", seats="2")
    assert "2 seats are left, and you hold 1 of them." in hand.text
    hand.post(f"/book/{A}/seats", seats="1")
    hand.post(f"/book/{A}/people", names="Rafe Sandoval", email=BOTH["email"])
    accept(hand)
    assert [(h["status"], h["total"]) for h in hand.rows("hold")] == [("held", 4_000)] * 2


def test_a_name_for_each_seat_is_asked_for_also_when_the_seats_change_later(hand):
    to_review(hand, names="Ines Calloway")
    assert "Please give 2 names, one for each seat." in hand.text
    hand.post(f"/book/{A}/people", **BOTH)
    hand.get(f"/book/{A}/seats")
    hand.post(f"/book/{A}/seats", seats="1")
    assert "Participants" in hand.text  # the next step, which holds two names
    hand.get(f"/review/{A}")
    assert "Please give one name." in hand.text


def test_two_bookings_that_are_begun_do_not_mix(hand):
    hand.get(f"/book/{B}")
    hand.post(f"/book/{B}/seats", seats="1")
    to_review(hand)
    hand.get(f"/book/{B}/people")
    assert "Ines Calloway" not in hand.text
    hand.get(f"/review/{A}")
    assert "Ines Calloway, Rafe Sandoval" in hand.text and "$75.00" in hand.text


def test_a_hold_is_staged_and_its_submission_a_commit_of_that_very_content(hand):
    ident = held(hand)
    ((kind, staged, shown),) = hand.world.all_staged()
    assert (kind, staged) == ("hold", ident) and "$75.00" in shown.text and "Rafe Sandoval" in shown.text
    hand.post(f"/submit/{ident}")
    (commit,) = commits(hand)
    assert (commit["name"], commit["ref"]) == ("wrenfold.enroll", ident)
    assert json.loads(commit["body"])["digest"] == digest(shown.content)
    assert hand.rows("hold")[0]["status"] == "submitted" and not hand.world.all_staged()
    assert [d["kind"] for d in hand.rows("deed")] == ["enroll"] and "Thank you" in hand.text


def test_what_was_released_can_be_held_again_and_no_more_submitted(hand):
    ident = held(hand)
    session, page = hand.rows("session")[0]["id"], hand.hidden(f"/submit/{ident}")["_page"]
    hand.post(f"/release/{ident}")
    assert "Released" in hand.text and f"/submit/{ident}" not in hand.text
    stale = {"_page": page, "_token": hand.guard.token(session, page, f"/submit/{ident}"), "_trace": "[]"}
    hand.ask(Raw("POST", f"/submit/{ident}", BROWSER, hand.cookie, stale))
    assert not commits(hand) and [r["path"] for r in hand.rows("refused")] == [f"/submit/{ident}"]
    assert held(hand) != ident


def test_a_form_that_is_sent_twice_holds_and_submits_once(hand):
    to_review(hand)
    path = re.search(r'action="(/accept/\w+/\w+)"', hand.text)[1]
    form = {**hand.hidden(path), "accepted": "yes", "_trace": "[]"}
    to = [hand.ask(Raw("POST", path, BROWSER, hand.cookie, form)).to for _ in range(2)]
    assert to[0] == to[1] and len(hand.rows("hold")) == 1
    hand.get(to[0])
    submit = to[0].replace("held", "submit")
    form = {**hand.hidden(submit), "_trace": "[]"}
    for _ in range(2):
        hand.ask(Raw("POST", submit, BROWSER, hand.cookie, form))
    assert len(commits(hand)) == 1


def test_what_is_held_stands_on_the_list_in_a_later_session_too(hand):
    ident = held(hand)
    hand.get("/")
    hand.post("/start", anew="yes")
    assert len(hand.rows("session")) == 2 and f'href="/held/{ident}"' in hand.text
    hand.get(f"/held/{ident}")
    hand.post(f"/release/{ident}")
    hand.get("/results")
    assert f"/held/{ident}" not in hand.text


@pytest.mark.parametrize("path", ["/submit/hld_1", "/release/hld_1", f"/book/{A}/seats", f"/accept/{A}/0"])
def test_no_request_past_the_page_does_anything(hand, path):
    held(hand, seats="1", names="Ines Calloway")
    before = hand.rows("hold")
    for headers in ({}, {**BROWSER, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}):
        answer = hand.ask(Raw("POST", path, headers, hand.cookie, {"seats": "1", "accepted": "yes"}))
        assert answer.status == 403
    assert hand.rows("hold") == before and all(r["past"] for r in hand.rows("refused"))


@pytest.mark.parametrize("path", ["/held/hld_none", "/book/none", f"/book/{A}/none", "/review/none"])
def test_there_is_no_page_of_what_there_is_not(hand, path):
    assert hand.get(path).status == 404


def test_a_person_enrolls_two_by_the_keyboard(web, browser):
    with visiting(web, browser, "wrenfold") as place:
        page = place.page
        place.start()
        page.get_by_label("Day").select_option(label="Saturday")
        place.go_on("Apply")
        page.get_by_role("link", name="Enroll: Pottery A").press("Enter")
        page.get_by_label("How many seats").fill("2")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.get_by_label("Names of the participants").fill(BOTH["names"])
        page.get_by_label("Contact e-mail").fill(BOTH["email"])
        place.go_on("Review")
        page.get_by_label("I accept the total").focus()
        page.keyboard.press("Space")
        place.go_on("Accept and hold")
        assert [h["total"] for h in place.rows("hold")] == [7_500]
        page.go_back()
        page.get_by_role(
            "heading", name="Seats"
        ).wait_for()  # what is held is no form any more: it begins anew
        assert not place.trouble and not place.rows("refused")
