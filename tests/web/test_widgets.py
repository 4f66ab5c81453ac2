"""What only a gesture shows, and a session that ends in the middle."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .place import visiting
from .test_clients import BROWSERS_OWN, FORM, bare, cookie_of, why

DETAILS = "Price details: Corran Ultra 600"


@pytest.fixture
def plans(web, browser):
    """The list of plans at an address that two networks reach."""
    with visiting(web, browser, "fibrewise") as place:
        place.start()
        place.page.get_by_label("House number and street").fill("41 elm row")
        place.page.get_by_label("Postcode").fill("eh7 4aa")
        place.go_on("Check availability")
        yield place


def openings(place):
    return [r["item"] for r in place.rows("seen") if r["what"] == "fold"]


# ---- pop-overs -----------------------------------------------------------------------------------------------------


def test_only_what_reaches_the_address_is_offered(plans):
    assert [a.get_attribute("aria-label") for a in plans.page.get_by_role("article").all()] == [
        "Bracken Fibre 500",
        "Corran Start 100",
        "Corran Ultra 600",
    ]


def test_what_a_pop_over_tells_is_not_in_the_page_before(plans):
    assert "44.00" not in plans.page.content() and "35.00" not in plans.page.content()
    plans.page.get_by_role("button", name=DETAILS).click()
    plans.page.get_by_text("£44.00 a month").wait_for()
    expect(plans.page.get_by_text("£35.00")).to_be_visible()
    assert openings(plans) == ["p2"] and not plans.trouble


def test_a_pop_over_opens_by_key_and_closes_again(plans):
    plans.page.get_by_role("button", name=DETAILS).focus()
    plans.page.keyboard.press("Enter")
    plans.page.get_by_text("£44.00 a month").wait_for()
    plans.page.keyboard.press("Enter")
    expect(plans.page.get_by_text("£44.00 a month")).to_be_hidden()
    assert openings(plans) == ["p2"]


def test_a_script_that_shows_the_panel_shows_nothing(plans):
    plans.page.evaluate("document.querySelectorAll('.panel').forEach(p => { p.hidden = false; })")
    assert "44.00" not in plans.page.content() and openings(plans) == []


def test_a_script_that_clicks_gets_no_details(plans):
    with plans.page.expect_response(lambda r: "/fold/" in r.url) as answer:
        plans.page.evaluate(f"document.querySelector('[aria-label=\"{DETAILS}\"]').click()")
    assert answer.value.status == 403 and openings(plans) == []


def test_a_ticket_is_good_once_and_for_its_own_plan(plans):
    opener = plans.page.get_by_role("button", name=DETAILS)
    ticket, page = opener.get_attribute("data-ticket"), opener.get_attribute("data-page")
    widget = {**FORM, "Origin": plans.base, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors",
              "Sec-Fetch-Dest": "empty", "Cookie": cookie_of(plans)}  # fmt: skip
    form = {"_token": ticket, "_page": page, "_trace": '[["click","fold-p2","",1]]'}
    assert bare(plans, "POST", "/fold/p1", form, widget)[0] == 403 and why(plans) == "no token of this form"
    assert bare(plans, "POST", "/fold/p2", form, widget)[0] == 200
    assert (
        bare(plans, "POST", "/fold/p2", form, widget)[0] == 403 and why(plans) == "the form was sent before"
    )


def test_there_is_no_table_of_plans_to_be_had(plans):
    for path in ("/plans", "/results.json", "/api/plans", "/fold/p2", "/static/plans.js"):
        status, _, text = bare(plans, "GET", path, headers={**BROWSERS_OWN, "Cookie": cookie_of(plans)})
        assert status in (403, 404) and "44.00" not in text
    assert "Corran" not in bare(plans, "GET", "/site.js")[2]


def test_a_filter_leaves_what_is_fast_enough_and_is_on_record(plans):
    plans.page.get_by_label("Download speed").select_option("500 Mbps or more")
    plans.go_on("Apply")
    expect(plans.page.get_by_role("article")).to_have_count(2)
    assert plans.said()["mbps"] == "500"
    assert [r["item"] for r in plans.rows("seen") if r["what"] == "filter"] == ['{"mbps":"500"}']


# ---- a session that ends -------------------------------------------------------------------------------------------

ANSWERS = (
    {"Full name": "Ines Calloway", "Date of birth": "1984-05-09"},
    {"Street address": "2350 Harrison St", "ZIP code": "94110"},
    {"Model year": "2021", "Make and model": "Mazda CX-5"},
    {"Miles a year": "9,000"},
    {"Claims in the last three years": "1"},
)


@pytest.fixture
def drive(web, browser):
    with visiting(web, browser, "drivewell") as place:
        place.start()
        yield place


def statuses(place):
    return [s["status"] for s in sorted(place.rows("session"), key=lambda s: s["n"])]


def fill(place, n, **but):
    """Fill in a step; what `but` names is left as it stands."""
    for label, text in ANSWERS[n].items():
        if label not in but.get("kept", ()):
            place.page.get_by_label(label).fill(text)
    if n == 0:
        place.page.get_by_text("Married", exact=True).click()
    if n == 3:
        place.page.get_by_label("Mostly for").select_option("Getting to work")
    if n == 4:
        place.page.get_by_text("100/300/100", exact=True).click()
    place.go_on("See prices" if n == 4 else "Continue")


def to_the_end_of_it(place):
    for n in range(5):
        fill(place, n)
    expect(place.page.get_by_role("heading", name="Your session has ended")).to_be_visible()
    place.follow("Go on")
    place.page.get_by_label("Full name").wait_for()


def test_it_ends_once_and_what_was_entered_is_offered_again_with_two_faults(drive):
    to_the_end_of_it(drive)
    assert statuses(drive) == ["expired", "open"]
    expect(drive.page.get_by_label("Full name")).to_have_value("Ines Calloway")
    drive.go_on("Continue")
    expect(drive.page.get_by_label("Street address")).to_have_value("88 Sycamore Ave")
    fill(drive, 1)
    expect(drive.page.get_by_label("Make and model")).to_have_value("Honda Civic")
    for n in (2, 3, 4):
        fill(drive, n)
    expect(drive.page.get_by_role("heading", name="Your offers")).to_be_visible()
    assert statuses(drive) == ["expired", "done"]
    assert drive.said()["street"] == "2350 Harrison St" and drive.said()["model"] == "Mazda CX-5"
    assert not drive.trouble


def test_who_does_not_look_keeps_the_stale_answers_and_gets_another_price(drive):
    to_the_end_of_it(drive)
    for _ in range(4):
        drive.go_on("Continue")
    drive.go_on("See prices")
    assert drive.said()["street"] == "88 Sycamore Ave" and drive.said()["model"] == "Honda Civic"
    stale = drive.page.locator(".price").all_inner_texts()
    drive.page.goto(f"{drive.base}/step/car")
    fill(drive, 2)
    drive.go_on("Continue")
    drive.go_on("See prices")
    assert drive.page.locator(".price").all_inner_texts() != stale


def test_the_ended_session_is_of_no_more_use(drive):
    for n in range(4):
        fill(drive, n)
    before = cookie_of(drive)
    fill(drive, 4)
    status, headers, _ = bare(drive, "GET", "/step/driver", headers={**BROWSERS_OWN, "Cookie": before})
    assert status == 303 and headers["location"] == "/expired"


# ---- a page that may be reached, and not sent ----------------------------------------------------------------------


@pytest.fixture
def lenders(web, browser):
    with visiting(web, browser, "ratefield") as place:
        place.start()
        place.page.get_by_label("Purchase price").fill("$640,000")
        place.page.get_by_label("Down payment").fill("20")
        place.page.get_by_label("Loan type").select_option("30-year fixed")
        place.go_on("Continue")
        place.page.get_by_label("ZIP code of the home").fill("98103")
        place.page.get_by_label("Credit score").select_option("740-759")
        place.go_on("See rates")
        yield place


def inquiries(place):
    return [r["kind"] for r in place.world.all("SELECT kind FROM bureau_inquiry")]


def commits(place):
    return [r["name"] for r in place.world.all("SELECT name FROM exam_ledger WHERE kind = 'commit'")]


def test_what_an_offer_costs_stands_on_its_own_page(lenders):
    assert "1,295.00" not in lenders.page.content()
    lenders.follow("View details: Brook Home")
    lenders.page.get_by_text("$1,295.00").wait_for()
    expect(lenders.page.get_by_text("1.750 ($8,960.00)")).to_be_visible()
    assert [r["item"] for r in lenders.rows("seen") if r["what"] == "offer"] == ["brook"]


def test_the_page_before_a_credit_check_may_be_reached(lenders):
    lenders.follow("Continue: Alder Bank")
    lenders.page.get_by_role("heading", name="Authorize credit check").wait_for()
    assert [r["item"] for r in lenders.rows("seen") if r["what"] == "at authorize"] == ["alder"]
    assert not inquiries(lenders) and not commits(lenders) and not lenders.rows("deed")


def test_without_consent_nothing_is_asked_and_with_it_the_bureau_knows(lenders):
    lenders.follow("Continue: Alder Bank")
    lenders.go_on("Authorize and continue")
    expect(lenders.page.get_by_text("Please tick the box to go on.")).to_be_visible()
    assert not inquiries(lenders) and not lenders.rows("deed")
    lenders.page.get_by_label("I authorize").check()
    lenders.go_on("Authorize and continue")
    assert inquiries(lenders) == ["hard"] and commits(lenders) == ["ratefield.authorize"]
    assert [d["item"] for d in lenders.rows("deed")] == ["alder"]
