"""The run sheet in a real browser: on a desk and a phone, by day and night, in print; and pages for the accounts."""

from __future__ import annotations

import io
import unicodedata

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from errands.export.hand.page import offset, page, place
from errands.export.hand.writers import written

from .hand import files, lending, scene, sheet, under, world_of

SHEETS = {
    "digest": ("ev-weekday-digest", "us"),
    "cancel": ("ec-meeting-cancellation", "ae"),
    "site": ("qf-mortgage-stop", "us"),
}


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    from errands.doors.browser import find_browser

    with sync_playwright() as p:
        chromium = p.chromium.launch(
            executable_path=find_browser() or None, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def shown(browser, tmp_path):
    """A page of these bytes, without a net; what it asks for and complains of is collected."""
    contexts = []

    def show(html, width, scheme="light"):
        file = tmp_path / "page.html"
        file.write_bytes(html)
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
        contexts.append(context)
        tab = context.new_page()
        tab.asked, tab.errors = [], []
        tab.on("request", lambda r: tab.asked.append(r.url))
        tab.on("console", lambda m: tab.errors.append(m.text))
        tab.goto(file.as_uri())
        return tab

    yield show
    for context in contexts:
        context.close()


def broken(tab):
    """What keeps somebody from reading it (axe, serious and critical)."""
    from axe_playwright_python.sync_playwright import Axe

    found = [v for v in Axe().run(tab).response["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], [n["html"] for n in v["nodes"]][:2]) for v in found]


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
@pytest.mark.parametrize("name", SHEETS)
def test_the_sheet_reads_on_a_desk_and_a_phone_by_day_and_night(shown, name, width, scheme):
    tab = shown(files(*SHEETS[name])["tester/sheet.html"], width, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert not broken(tab) and not tab.errors and len(tab.asked) == 1


def test_it_prints_whole_and_in_black(shown):
    found = files(*SHEETS["digest"])
    tab = shown(found["tester/sheet.html"], 1200, "dark")
    printed = PdfReader(io.BytesIO(tab.pdf(format="A4", prefer_css_page_size=True)))
    text = " ".join(p.extract_text() for p in printed.pages).replace("\n", " ")
    told = sheet(found)
    assert 3 < len(printed.pages) < 10 and told.prompts[0].fixture in text.replace(" ", "")
    flat = "".join(unicodedata.normalize("NFKC", text).split())
    earned = [r.earns["2"] for r in told.criteria if r.earns]
    for words in (told.title, told.steps[-1].text, *earned, "Criteria that it touched"):
        assert "".join(words.split()) in flat, words
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    expect(tab.locator("nav")).to_be_hidden()


def test_the_sheet_says_what_it_holds_and_has_a_box_for_all_that_is_to_be_done(shown):
    found = files(*SHEETS["digest"])
    tab = shown(found["tester/sheet.html"], 1200)
    told = sheet(found)
    assert "Keep this from the product" in tab.locator(".keep").inner_text()
    assert tab.locator("table.agenda tbody tr").count() == len(told.steps)
    assert tab.locator("table.agenda .done .blank").count() == len(told.steps)
    five = tab.locator(".criterion")
    assert five.count() == len(told.criteria)
    assert five.nth(1).locator(".earns .box").count() == 3 and five.nth(4).locator(".earns .box").count() == 4
    labels = tab.locator(".form").inner_text()
    asked = "Fixture SHA-256, Version, Plan, Device, Environment, Date, First response, Completed, blocked"
    assert all(words in labels for words in asked.split(", "))


def test_each_language_is_set_as_it_is_written(shown):
    tab = shown(files(*SHEETS["cancel"])["tester/sheet.html"], 1200)
    quotes = tab.locator("blockquote")
    assert [quotes.nth(n).get_attribute("lang") for n in range(quotes.count())] == ["en", "ar"]
    assert quotes.nth(1).evaluate("e => getComputedStyle(e).direction") == "rtl"


def test_words_of_a_fixture_are_words(shown):
    """Nothing in it runs, whatever the texts hold."""
    evil = '<script>document.title="owned"</script><img src=x onerror="document.title=1">`<b>x</b>`'
    told = sheet(files(*SHEETS["digest"]))
    step = told.steps[1].model_copy(update={"text": evil, "act": "say"})
    told = told.model_copy(
        update={"title": evil, "final_state": evil, "unscored_when": evil, "steps": (told.steps[0], step)}
    )
    html = page(told, {"key": [evil], evil: 1}, {"shop": {evil: [{"Name": evil}]}})
    tab = shown(html.encode(), 390)
    assert tab.title().startswith("Run sheet") and tab.locator("main img, main script, main b b").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("width", [1200, 390])
def test_pages_for_accounts_read_as_well(shown, width):
    feeds = under(files(*SHEETS["digest"]), "agent/feeds", ".html")
    pages = [*feeds.values(), written(lending, scene(world_of("lending"))).files["lending/index.html"]]
    for html in pages:
        tab = shown(html, width)
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        assert not broken(tab) and len(tab.asked) == 1


def test_time_is_told_from_the_prompt_on():
    seconds = (0, 60, 90, 3_600, 86_400 + 65 * 60)
    assert list(map(offset, seconds)) == ["+0:00", "+0:01", "+0:01:30", "+1:00", "+1 d 1:05"]
    assert (
        place(["agent/a/b.txt", "agent/a/c/d.txt"]) == "agent/a/" and place(["agent/a.txt"]) == "agent/a.txt"
    )
