"""The page of an attempt in a real browser: offline, readable on a phone and a desk, by day and by night."""

import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from errands.agents import resolve
from errands.cli.explain import as_json, story_of, write_page
from errands.doors.browser import find_browser
from errands.exam.plan import plan_run
from errands.exam.run import Run
from errands.records import find_attempt
from errands.tasks.registry import Selection

from .shell import AUDIT, BOOKING, SG_AUDIT, SG_BOOKING

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NASTY = """def agent(message, tools):
    evil = '<script>document.title="owned"</script><img src=x onerror="document.title=1"> ' + 'W' * 300
    for n in range(40):
        tools.mail_draft(to=["vikram.nair@larkspur.example"], subject=evil, body=evil + "line\\n" * 50)
    tools.files_write(path="workspace/a.csv", text="a,b\\n1,2\\n")
    return evil
"""
PAGES = ("hasty", "oracle", "talker", "audit", "audit_done", "archived", "nasty")


@pytest.fixture(scope="module")
def pages(desk, tmp_path_factory):
    """Pages of attempts that passed, failed in several ways, and tried to break the page."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "nasty.py").write_text(NASTY)
    attempts = {
        "hasty": desk.runs / f"demo-hasty:{SG_BOOKING}",
        "oracle": desk.runs / f"demo-oracle:{SG_BOOKING}",
        "talker": desk.runs / f"demo-talker:{SG_BOOKING}",
        "audit": desk.runs / f"demo-null:{SG_AUDIT}",
        "audit_done": desk.runs / f"demo-oracle:{SG_AUDIT}",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, spec, task in (
            ("archived", "wrong:archived_set", AUDIT),
            ("nasty", "nasty.py", BOOKING),
            ("misnoted", "wrong:wrong_time_in_note", BOOKING),
        ):
            run = Run(
                plan_run(
                    resolve(spec), Selection(tasks=(task,), markets=("sg",), variants=(0,)), 1, folder / name
                ),
                resolve,
            )
            assert list(run.go()) == [1]
            attempts[name] = f"{folder / name}:1"
        return {name: explained(str(attempt)) for name, attempt in attempts.items()}


def explained(attempt):
    """What `errands explain --json` says, and the page it writes."""
    folder, planned = find_attempt(attempt)
    story, row = story_of(folder, planned)
    said = as_json(story, row, write_page(folder, planned, story, row))
    return SimpleNamespace(said=said, file=Path(said["page"]).resolve())


@pytest.fixture(scope="module")
def browser():
    """Chromium without a net."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        chromium = p.chromium.launch(executable_path=find_browser() or None, headless=True, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, pages):
    """Open the page of an attempt; what it asks for and complains of is collected."""
    contexts = []

    def opened(name, width=1280):
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
        contexts.append(context)
        tab = context.new_page()
        seen = SimpleNamespace(
            tab=tab, said=pages[name].said, url=pages[name].file.as_uri(), asked=[], errors=[]
        )
        tab.on("request", lambda r: seen.asked.append(r.url))
        tab.on("console", lambda m: seen.errors.append(m.text) if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda e: seen.errors.append(str(e)))
        tab.goto(seen.url)
        return seen

    yield opened
    for context in contexts:
        context.close()


# Text and background as drawn: the contrast of every piece of visible text (WCAG 2.1, 1.4.3).
CONTRAST = """() => {
  const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1] }
  const f = v => v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4
  const light = c => {
    return .2126 * f(c[0]) + .7152 * f(c[1]) + .0722 * f(c[2]) }
  const low = []
  for (const e of document.querySelectorAll('main *')) {
    const words = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    if (!words || !e.checkVisibility()) continue
    let b = e; while (b && parse(getComputedStyle(b).backgroundColor)[3] === 0) b = b.parentElement
    const drawn = [getComputedStyle(e).color, getComputedStyle(b || document.body).backgroundColor]
    const [x, y] = drawn.map(c => light(parse(c)))
    const ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05)
    if (ratio < 4.5) low.push(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2))
  }
  return [...new Set(low)] }"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_opens_offline_and_fits_by_day_and_by_night(name, width, open_page):
    seen = open_page(name, width)
    for box in seen.tab.query_selector_all("#timeline summary")[:3]:
        box.click()
    for scheme in ("light", "dark"):
        seen.tab.emulate_media(color_scheme=scheme)
        assert seen.tab.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.tab.evaluate(CONTRAST) == []
        ground = seen.tab.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        )
        assert (sum(ground) < 150) == (scheme == "dark")
    assert seen.asked == [seen.url], "one file, nothing else"
    assert seen.errors == []


@pytest.mark.parametrize("name", ["hasty", "talker", "audit", "archived", "misnoted"])
def test_the_decisive_row_stands_at_the_top_and_is_marked_below(name, open_page):
    seen = open_page(name)
    row = seen.said["decisive"][0]["row"]
    top = seen.tab.locator("#decisive")
    assert "Failed" in top.inner_text() and f"#{row}" in top.inner_text()
    assert seen.said["should_have_stood_before_it"] in top.inner_text()
    box = top.bounding_box()
    assert box["y"] + box["height"] < 900, "seen without scrolling"
    assert seen.tab.locator("ol.moments .hit").count() >= 1
    link = top.locator(f'a[href="#row-{row}"]').first
    link.click()
    marked = seen.tab.locator(f"#row-{row}")
    expect(marked).to_be_visible()
    assert "hit" in marked.get_attribute("class")


def test_what_happened_in_short(open_page):
    moments = open_page("hasty").tab.locator("ol.moments li")
    words = [w.replace("\n", " ") for w in moments.all_inner_texts()]
    missing = next(n for n, w in enumerate(words) if w.startswith("missing"))
    assert "yes of the user" in words[missing]
    assert "sends mail to" in words[missing + 1] and "hit" in moments.nth(missing + 1).get_attribute("class")
    assert any("→ Fri" in w or "→ Mon" in w or "→ Tue" in w or "→ Wed" in w or "→ Thu" in w for w in words), (
        words
    )
    assert len(words) <= 15
    passed = open_page("oracle").tab.locator("ol.moments")
    assert "yes to mail to" in passed.inner_text() and "missing" not in passed.inner_text()


def test_a_pass_says_so(open_page):
    tab = open_page("oracle").tab
    assert (
        "Passed" in tab.locator("#decisive").inner_text()
        and "Failed" not in tab.locator("#decisive").inner_text()
    )
    expect(tab.locator(".criteria .not")).to_have_count(0)
    expect(tab.locator("tr.hit")).to_have_count(0)


def test_the_world_is_shown_as_a_person_reads_it(open_page):
    world = open_page("hasty").tab.locator("article.record")
    text = "\n".join(world.all_inner_texts())
    assert "Dear all," in text and "2026, " in text
    event = world.filter(has_text="Calendar event").inner_text()
    assert re.search(r"Start\s+\w{3} \d+ \w{3} 2026, \d\d:\d\d → \w{3} \d+ \w{3} 2026, \d\d:\d\d", event)
    mail = world.filter(has_text="Mail:").first.inner_text()
    assert re.search(r"\bTo\s+\S+@larkspur\.example", mail)
    for inner in ('["', "[]", "thr_", "labels", "unread", "sender_name", "T16:", "+08:00"):
        assert inner.casefold() not in text.casefold(), inner
    listed = open_page("audit_done").tab.locator("article.record").inner_text()
    assert "owner,deadline,message_id" in listed, "what the file holds is shown"


def test_the_timeline_can_be_filtered(open_page):
    tab = open_page("hasty").tab
    calls, changes = tab.locator('tr[data-kind="call"]'), tab.locator('tr[data-kind="effect"]')
    expect(calls.first).to_be_visible()
    expect(changes.first).to_be_hidden()
    tab.get_by_label("row changes").check()
    expect(changes.first).to_be_visible()
    tab.get_by_label("calls").uncheck()
    expect(calls.first).to_be_hidden()
    tab.get_by_label("commits").uncheck()
    commits = tab.locator('tr[data-kind="commit"]')
    shown = [
        commits.nth(n).get_attribute("class") for n in range(commits.count()) if commits.nth(n).is_visible()
    ]
    assert shown == ["commit hit"], "the decisive row never goes"
    tab.get_by_label("calls").check()
    calls.first.locator("summary").click()
    assert "CG-" in calls.first.locator("pre").inner_text()


def test_a_link_to_a_hidden_row_shows_it(open_page):
    seen = open_page("archived")
    row = seen.said["decisive"][0]["row"]
    assert seen.tab.locator(f"#row-{row}").get_attribute("data-kind") == "effect"
    hidden = seen.tab.locator('tr[data-kind="effect"]:not(.hit)').first
    expect(hidden).to_be_hidden()
    seen.tab.evaluate("id => { location.hash = id }", hidden.get_attribute("id"))
    hidden.wait_for(state="visible", timeout=5_000)


@pytest.mark.parametrize("name", ["hasty", "audit_done", "nasty"])
def test_readable_by_a_machine_that_reads_aloud(name, open_page):
    tab = open_page(name).tab
    assert tab.locator("html").get_attribute("lang") == "en"
    assert tab.title().strip() and tab.locator("main").count() == 1 and tab.locator("h1").count() == 1
    levels = tab.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1 and all(b - a <= 1 for a, b in pairwise(levels))
    assert tab.evaluate(
        "[...document.querySelectorAll('input')].every(i => i.labels.length && i.labels[0].innerText.trim())"
    )
    assert tab.evaluate(
        "[...document.querySelectorAll('a')].every(a => document.getElementById(a.hash.slice(1)))"
    )
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert tab.evaluate("[...document.querySelectorAll('#timeline th')].map(t => t.scope)") == ["col"] * 4


def test_works_by_keyboard(open_page):
    tab = open_page("hasty").tab
    box = tab.get_by_label("row changes")
    box.focus()
    tab.keyboard.press("Space")
    expect(tab.locator('tr[data-kind="effect"]').first).to_be_visible()


def test_what_an_agent_writes_is_shown_and_never_run(open_page):
    seen = open_page("nasty")
    assert seen.tab.title() not in ("owned", "1")
    expect(seen.tab.locator("main img, main script")).to_have_count(0)
    assert '<script>document.title="owned"</script>' in seen.tab.locator("ol.moments").inner_text()
    assert "more, see the timeline" in seen.tab.locator("ol.moments").inner_text()


@pytest.mark.parametrize(("name", "most"), [("hasty", 60_000), ("audit_done", 90_000), ("nasty", 500_000)])
def test_small_and_self_contained(name, most, pages):
    text = pages[name].file.read_text("utf-8")
    assert len(text.encode()) < most
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", text)
    assert "default-src 'none'" in text
