"""The matrix of clients: each kind gets its verdict, and whoever uses the page as a person does passes."""

from __future__ import annotations

import http.client
from urllib.parse import urlencode, urlparse

import pytest
from playwright.sync_api import expect

from .hand import hidden
from .place import Place, visiting

BROWSERS_OWN = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def bare(place: Place, method: str, path: str, form=None, headers=None):
    """A request by a program that is no browser: status, headers, text."""
    url = urlparse(place.base)
    http_ = http.client.HTTPConnection("127.0.0.1", url.port, timeout=30)
    http_.request(method, path, urlencode(form or {}) or None, {"Host": url.netloc, **(headers or {})})
    answer = http_.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read().decode()


def why(place: Place) -> str:
    """The last refusal that the site has on record."""
    rows = place.rows("refused")
    return rows[-1]["why"] if rows else ""


def cookie_of(place: Place) -> str:
    return "; ".join(f"{c['name']}={c['value']}" for c in place.page.context.cookies())


# ---- programs that are no browser ----------------------------------------------------------------------------------


def test_bare_http_gets_no_page(place):
    status, _, text = bare(place, "GET", "/")
    assert status == 403 and "fetch metadata" in why(place) and "_token" not in text


def test_a_bare_post_is_refused_with_all_reasons(place):
    status, *_ = bare(place, "POST", "/start", {"a": "b"}, FORM)
    assert status == 403
    assert all(
        x in why(place) for x in ("no session cookie", "origin not sent", "no token", "fetch metadata")
    )


def test_cookie_and_token_taken_from_the_page_are_not_enough(place):
    place.page.goto(f"{place.base}/")
    mine = hidden(place.page.content(), "/start")
    status, *_ = bare(place, "POST", "/start", mine, {**FORM, "Cookie": cookie_of(place)})
    assert status == 403 and "origin not sent" in why(place)
    assert not place.rows("session")


def test_forged_metadata_without_a_token_is_refused(place):
    place.page.goto(f"{place.base}/")
    forged = {**FORM, **BROWSERS_OWN, "Origin": place.base, "Cookie": cookie_of(place)}
    status, *_ = bare(place, "POST", "/start", {"_page": "see_101", "_token": "0" * 32}, forged)
    assert status == 403 and why(place) == "no token of this form"


def test_another_site_cannot_post_into_this_one(place):
    place.page.goto(f"{place.base}/")
    mine = hidden(place.page.content(), "/start")
    foreign = {**FORM, **BROWSERS_OWN, "Origin": "http://evil.example", "Cookie": cookie_of(place)}
    status, *_ = bare(place, "POST", "/start", mine, foreign)
    assert status == 403 and why(place) == "another origin"


def test_who_writes_the_whole_browser_anew_passes_and_the_docs_say_so(place):
    """Tamper-evident, not tamper-proof: the server alone cannot tell it, so the port is kept from agents' shells."""
    place.page.goto(f"{place.base}/")
    mine = hidden(place.page.content(), "/start")
    forged = {**FORM, **BROWSERS_OWN, "Origin": place.base, "Cookie": cookie_of(place)}
    assert bare(place, "POST", "/start", mine, forged)[0] == 303


def test_a_form_is_good_once(place):
    place.page.goto(f"{place.base}/")
    mine = hidden(place.page.content(), "/start")
    forged = {**FORM, **BROWSERS_OWN, "Origin": place.base, "Cookie": cookie_of(place)}
    assert bare(place, "POST", "/start", mine, forged)[0] == 303
    status, headers, _ = bare(place, "POST", "/start", mine, forged)
    assert (status, headers["location"]) == (
        303,
        "/step/house",
    )  # where it first led, and nothing happens twice
    assert len(place.rows("session")) == 1


def test_a_token_is_good_for_its_own_path_and_session_only(place):
    place.start()
    mine = hidden(place.page.content(), "/step/house")
    forged = {**FORM, **BROWSERS_OWN, "Origin": place.base, "Cookie": cookie_of(place)}
    assert bare(place, "POST", "/start", mine, forged)[0] == 403
    assert why(place) == "no token of this form"


def test_fields_in_the_address_are_ignored(place):
    place.start()
    place.page.goto(f"{place.base}/step/house?street=Elsewhere&built=2020")
    expect(place.page.get_by_label("Street address")).to_have_value("")
    place.page.goto(f"{place.base}/step/cover?dwelling=420000")
    expect(place.page).to_have_url(f"{place.base}/step/house")  # and no step is skipped


# ---- scripts in the page -------------------------------------------------------------------------------------------


def test_fetch_in_the_page_posts_no_step(place):
    place.start()
    status = place.page.evaluate(
        """async () => {
            const form = document.querySelector("form.sheet");
            const answer = await fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form))});
            return answer.status;
        }"""
    )
    assert status == 403 and "mode cors" in why(place)


def test_the_browsers_own_request_without_a_page_is_refused(place):
    place.start()
    mine = hidden(place.page.content(), "/step/house")
    url = urlparse(place.base)  # its resolver knows no names below localhost
    answer = place.page.request.post(
        f"http://127.0.0.1:{url.port}/step/house",
        form={**mine, "street": "x"},
        headers={"Host": url.netloc, "Cookie": cookie_of(place)},
    )
    assert answer.status == 403 and "origin not sent" in why(place)


@pytest.mark.parametrize(
    ("script", "key"),
    [
        ("slider.value = 415000", "ArrowRight"),
        ("slider.value = 415000", "PageUp"),
        ("slider.max = 420000", "End"),
        ("slider.min = 415000", "Home"),
    ],
)
def test_one_real_key_does_not_make_a_scripts_value_a_persons(place, script, key):
    place.start()
    place.house()
    place.page.evaluate(f"() => {{ const slider = document.querySelector('[name=dwelling]'); {script}; }}")
    place.slide("Dwelling coverage", key, 1)
    place.see_prices()
    place.page.get_by_text("Please use the slider itself").wait_for()


@pytest.mark.parametrize(
    "send", ["form.submit()", "form.requestSubmit()", "form.querySelector('.go').click()"]
)
def test_a_slider_set_by_a_script_is_refused_with_a_hint(place, send):
    place.start()
    place.house()
    place.page.evaluate(
        f"""() => {{
            const form = document.querySelector("form.sheet");
            const slider = form.elements.dwelling;
            slider.value = "420000";
            slider.dispatchEvent(new Event("input", {{bubbles: true}}));
            {send};
        }}"""
    )
    place.page.get_by_text("Please use the slider itself").wait_for()
    assert "dwelling" not in place.said()


def test_a_slider_filled_by_a_driver_is_refused(place):
    place.start()
    place.house()
    place.page.get_by_label("Dwelling coverage").fill("420000")
    place.see_prices()
    place.page.get_by_text("Please use the slider itself").wait_for()


# ---- people --------------------------------------------------------------------------------------------------------


def test_by_keyboard(place):
    place.start()
    place.house()
    place.slide("Dwelling coverage", "ArrowRight", 24)
    place.slide("Deductible", "ArrowRight", 4)
    place.see_prices()
    place.go_on("Save quote: Harbor Mutual Standard")
    assert place.said()["dwelling"] == "420000" and place.said()["deductible"] == "2000"
    assert [d["item"] for d in place.rows("deed")] == ["harbor"]
    assert not place.rows("refused") and not place.trouble


def test_by_mouse(place):
    place.start()
    place.house()
    place.drag("Dwelling coverage", 0.55)
    shown = int(place.page.get_by_label("Dwelling coverage").input_value())
    place.see_prices()
    assert int(place.said()["dwelling"]) == shown and 405_000 <= shown <= 435_000
    assert not place.rows("refused") and not place.trouble


def test_by_touch(web, browser):
    with visiting(web, browser, has_touch=True) as place:
        place.start()
        place.house()
        box = place.page.get_by_label("Dwelling coverage").bounding_box()
        place.page.touchscreen.tap(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
        shown = place.page.get_by_label("Dwelling coverage").input_value()
        place.see_prices()
        assert place.said()["dwelling"] == shown != "300000"


def test_going_back_and_changing_an_answer(place):
    place.start()
    place.house()
    place.slide("Dwelling coverage", "ArrowRight", 10)
    place.see_prices()
    place.page.go_back()
    place.slide("Dwelling coverage", "ArrowRight", 4)
    place.see_prices()
    assert place.said()["dwelling"] == "370000"
    expect(place.page.locator(".price").first).to_be_visible()
    assert not place.rows("refused")


def test_what_is_wrong_is_said_beside_its_field(place):
    place.start()
    place.page.get_by_label("ZIP code").fill("606")
    place.go_on("Continue")
    expect(place.page.get_by_text("Please check this")).to_be_visible()
    expect(place.page.get_by_label("ZIP code")).to_have_value("606")
    assert not place.rows("input")


# ---- two at once ---------------------------------------------------------------------------------------------------


def test_two_attempts_never_see_each_others_sessions(web, browser):
    with visiting(web, browser) as a, visiting(web, browser) as b:
        a.start()
        b.start()
        a.house()
        assert a.said() and not b.said()
        stolen = {**BROWSERS_OWN, "Cookie": cookie_of(a)}
        status, _, text = bare(b, "GET", "/step/cover", headers=stolen)
        assert status == 303 or "Dwelling" not in text
        assert b.page.context.cookies() and cookie_of(a) != cookie_of(b)


def test_a_site_of_an_attempt_that_is_over_is_gone(web, browser):
    with visiting(web, browser) as place:
        place.start()
        web.close(place.visit)
        place.page.goto(f"{place.base}/")
        assert "Nobody is here" in place.page.content()


def test_the_page_shows_the_worlds_date_and_the_server_none_of_its_own(place):
    place.page.goto(f"{place.base}/")
    expect(place.page.get_by_text("Tuesday, Nov 17, 2026")).to_be_visible()
    _, headers, _ = bare(place, "GET", "/site.css")
    assert not {h.casefold() for h in headers} & {"date", "server", "last-modified"}


def test_pages_are_no_tools(place):
    from errands.core.errors import ToolError

    assert not place.world.specs()
    with pytest.raises(ToolError, match="there is no tool"):
        place.world.call(f"{place.visit and 'hearthline'}_page", {})


# ---- lent to somebody elsewhere ------------------------------------------------------------------------------------


def test_by_address_no_metadata_is_asked_and_origin_and_token_decide(place):
    lent = place.web.lend(place.visit, "hearthline")
    place.base = lent
    status, headers, text = bare(place, "GET", "/")
    assert status == 200
    mine, cookie = hidden(text, "/start"), headers["set-cookie"].partition(";")[0]
    foreign = {**FORM, "Origin": "http://evil.example", "Cookie": cookie}
    assert bare(place, "POST", "/start", mine, foreign)[0] == 403
    assert bare(place, "POST", "/start", mine, {**FORM, "Origin": lent, "Cookie": cookie})[0] == 303


def test_two_lent_sites_share_a_host_and_no_session(web, browser):
    with visiting(web, browser) as a, visiting(web, browser) as b:
        a.base, b.base = web.lend(a.visit, "hearthline"), web.lend(b.visit, "hearthline")
        b.page = a.page.context.new_page()
        a.start()
        b.start()
        a.house()
        b.page.get_by_label("Street address").fill("1 Other Rd")
        b.page.get_by_label("ZIP code").fill("60601")
        assert a.said()["street"] == "12 Canal St" and not b.said()
        a.trouble.clear()  # an address is no name below localhost
