"""The browser's tools, as an agent calls them: a whole way through a site, two at once, the world's clock."""

from __future__ import annotations

import threading

import pytest

from errands.core.errors import ClosedError, ToolError, UsageError
from errands.doors.browser import TOOLS, Browser
from errands.exam.sitting import Limits, Sitting

from .hand import ref
from .place import HOUSE, NOW, SITE, Place, world


@pytest.fixture
def seat():
    """A sitting in a world with a site: its tools are the browser's."""
    sitting = Sitting(world(), Limits(calls=1_000))
    sitting.place = Place(sitting.world, None, None, sitting.browsing.tabs.homes[SITE], None)
    yield sitting
    sitting.let_go()


def in_page(seat: Sitting, script: str) -> str:
    """What a script finds in the page."""
    tabs = seat.browsing.tabs
    return tabs._browser.run(tabs.page.evaluate(script))


def test_a_whole_way_through_a_site(seat):
    now = seat.call("browser_navigate", {"url": SITE})["snapshot"]
    now = seat.call("browser_click", {"ref": ref(now, "button", "Get started")})["snapshot"]
    for label, text in HOUSE.items():
        now = seat.call("browser_type", {"ref": ref(now, "textbox", label), "text": text})["snapshot"]
    now = seat.call("browser_click", {"ref": ref(now, "radio", "Brick")})["snapshot"]
    now = seat.call("browser_select", {"ref": ref(now, "combobox", "Roof"), "option": "Metal"})["snapshot"]
    now = seat.call("browser_click", {"ref": ref(now, "button", "Continue")})["snapshot"]
    slider = ref(now, "slider", "Dwelling coverage")
    now = seat.call("browser_press", {"ref": slider, "key": "ArrowRight", "times": 24})["snapshot"]
    slider = ref(now, "slider", "Deductible")
    now = seat.call("browser_drag", {"ref": slider, "from_x": 0.12, "to_x": 0.34})["snapshot"]
    now = seat.call("browser_click", {"ref": ref(now, "button", "See prices")})["snapshot"]
    done = seat.call("browser_click", {"ref": ref(now, "button", "Save quote: Harbor Mutual Standard")})
    assert "Thank you" in done["title"]
    assert seat.place.said()["dwelling"] == "420000" and int(seat.place.said()["deductible"]) > 1_000
    assert [d["item"] for d in seat.place.rows("deed")] == ["harbor"]
    assert not seat.place.rows("refused")


def test_the_tools_are_listed_beside_the_worlds_and_say_what_they_take(seat):
    names = [spec.name for spec in seat.tools]
    assert names == [f"browser_{n}" for n in (
        "navigate", "back", "snapshot", "click", "hover", "type", "fill", "select", "press", "drag", "screenshot",
        "tabs",
    )]  # fmt: skip
    assert all(spec.description and spec.parameters["type"] == "object" for spec in seat.tools)
    assert set(names) == set(TOOLS.tools)


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("browser_navigate", {"url": "https://example.com"}, SITE),
        ("browser_navigate", {"url": "file:///etc/passwd"}, SITE),
        ("browser_click", {"ref": "e999"}, "newest snapshot"),
        ("browser_click", {"ref": "f9e1"}, "no such element"),
        ("browser_click", {"ref": "e1 >> nth=0"}, "a ref such as e12"),
        ("browser_press", {"key": "Enter", "times": 0}, "1 to 500"),
        ("browser_tabs", {"go_to": 9}, "1 to 1"),
        ("browser_click", {}, "ref"),
        ("browser_click", ["e1"], "one object"),
        ("browser_click", "e1", "one object"),
        ("browser_drag", {"ref": "e1", "from_x": 1e300, "to_x": 0.5}, "from_x"),
    ],
)
def test_what_cannot_be_done_is_the_worlds_answer(seat, tool, args, expected):
    seat.call("browser_navigate", {"url": SITE})
    seat.browsing.tabs._context.set_default_timeout(300)
    with pytest.raises(ToolError) as why:
        seat.call(tool, args)
    assert expected in f"{why.value.body()} {why.value}"


@pytest.mark.parametrize("tool", ["browser_fill", "browser_type"])
def test_a_date_that_the_field_drops_is_said(tool):
    sitting = Sitting(world("drivewell"), Limits())
    try:
        now = sitting.call("browser_navigate", {"url": "drivewell"})["snapshot"]
        now = sitting.call("browser_click", {"ref": ref(now, "button", "Get started")})["snapshot"]
        field = ref(now, "textbox", "Date of birth")

        def enter(text: str) -> str:
            args = {"fields": {field: text}} if tool == "browser_fill" else {"ref": field, "text": text}
            return sitting.call(tool, args)["snapshot"]

        with pytest.raises(ToolError, match="took nothing of this"):
            enter("05/09/1984")
        assert "1984-05-09" in enter("1984-05-09")
    finally:
        sitting.let_go()


def test_pages_see_the_worlds_date_and_zone_as_time_passes(seat):
    seat.call("browser_navigate", {"url": SITE})

    def date() -> str:
        return in_page(seat, "new Date().toString()")

    assert "Tue Nov 17 2026 09:30" in date() and "GMT-0600" in date()
    seat.place.world.advance(NOW + 3 * 86_400_000)
    seat.call("browser_snapshot")
    assert "Fri Nov 20 2026 09:30" in date()


def test_two_attempts_share_no_cookie(seat):
    other = Sitting(world(), Limits())
    try:
        seat.call("browser_navigate", {"url": SITE})
        other.call("browser_navigate", {"url": SITE})
        mine, theirs = (s.browsing.tabs for s in (seat, other))
        a, b = (t._browser.run(t._context.cookies()) for t in (mine, theirs))
        assert a and b and a[0]["domain"] != b[0]["domain"]
        with pytest.raises(ToolError):
            other.call("browser_navigate", {"url": mine.homes[SITE]})
    finally:
        other.let_go()


def test_after_the_end_no_tool_answers(seat):
    seat.call("browser_navigate", {"url": SITE})
    seat.close("completed")
    with pytest.raises(ClosedError):
        seat.call("browser_snapshot")


def test_a_page_too_many_ends_the_sitting():
    short = Sitting(world(), Limits(calls=3))  # the tool is a call, and so is the page that it loads
    try:
        short.call("browser_navigate", {"url": SITE})
        with pytest.raises(ClosedError, match="call_limit"):
            short.call("browser_navigate", {"url": SITE})
    finally:
        short.let_go()


def test_a_picture_is_a_png(seat):
    import base64

    seat.call("browser_navigate", {"url": SITE})
    assert base64.b64decode(seat.call("browser_screenshot")["data"]).startswith(b"\x89PNG")


def test_a_browser_that_is_not_there_is_named_with_what_to_do(monkeypatch):
    monkeypatch.setenv("ERRANDS_BROWSER", "/no/such/browser")
    with pytest.raises(UsageError, match="no browser"):
        Browser().start()


def test_what_is_closed_while_it_waits_gives_its_place_back():
    first, second, third = (Sitting(world(), Limits()) for _ in range(3))
    try:
        first.call("browser_navigate", {"url": SITE})
        second.call("browser_navigate", {"url": SITE})
        ended: list[str] = []

        def waits() -> None:
            try:
                third.call("browser_navigate", {"url": SITE})
            except ClosedError as why:
                ended.append(str(why))

        waiting = threading.Thread(target=waits)
        waiting.start()
        third.close("timeout")
        third.let_go()
        waiting.join(10)
        assert not waiting.is_alive() and ended
        second.let_go()
        fourth = Sitting(world(), Limits())
        assert "Hearthline" in fourth.call("browser_navigate", {"url": SITE})["title"]
        fourth.let_go()
    finally:
        for sitting in (first, second, third):
            sitting.let_go()


def test_a_browser_that_died_is_no_fault_of_the_agents_and_is_replaced():
    sitting = Sitting(world(), Limits())
    sitting.call("browser_navigate", {"url": SITE})
    browser = sitting.browsing.tabs._browser
    browser.run(browser._browser.close())
    with pytest.raises(ClosedError, match="server_fault"):
        sitting.call("browser_snapshot")
    assert sitting.ended == "server_fault"
    sitting.let_go()
    after = Sitting(world(), Limits())
    assert "Hearthline" in after.call("browser_navigate", {"url": SITE})["title"]
    after.let_go()


def test_back_hover_and_tabs(seat):
    now = seat.call("browser_navigate", {"url": SITE})["snapshot"]
    assert "Hearthline" in seat.call("browser_hover", {"ref": ref(now, "button", "Get started")})["title"]
    seat.call("browser_click", {"ref": ref(now, "button", "Get started")})
    assert ref(seat.call("browser_back", {})["snapshot"], "link", "Continue where you were")
    assert seat.call("browser_tabs", {"go_to": 1})["in_use"] == 1


def test_a_site_can_be_opened_by_a_browser_that_is_not_ours():
    """By name on this machine, where browsers say who asks; lent at an address, where they say nothing of it."""
    from http.client import HTTPConnection
    from urllib.parse import urlparse

    def home(url: str, reach: str) -> tuple[int, str]:
        where = urlparse(url)
        http = HTTPConnection(reach, where.port, timeout=10)
        http.request("GET", "/", headers={"Host": where.netloc})
        answer = http.getresponse()
        return answer.status, answer.read().decode()

    sitting = Sitting(world(), Limits())
    try:
        (by_name,) = sitting.browsing.addresses().values()
        (lent,) = sitting.browsing.addresses("127.0.0.2").values()
        assert by_name.endswith(f".localhost:{urlparse(by_name).port}") and lent.startswith(
            "http://127.0.0.2:"
        )
        assert home(by_name, "127.0.0.1")[0] == 403
        status, page = home(lent, "127.0.0.2")
        assert status == 200 and "Home insurance, side by side" in page
        sitting.let_go()
        assert "Nobody is here" in home(by_name, "127.0.0.1")[1]
    finally:
        sitting.let_go()
