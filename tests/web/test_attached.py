"""`@playwright/mcp` at a browser of its own: a funnel is finished with it, and what it may not do it cannot."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from errands.agents import resolve
from errands.cli.options import browser_tools
from errands.core.errors import ClosedError, ToolError, UsageError
from errands.doors.attached import (
    ALLOWED,
    INSTALL,
    PACKAGE,
    PROGRAM,
    SETTING,
    TRIED,
    find_program,
    offered,
)
from errands.evidence.regrade import open_bundle
from errands.exam.attempt import sit
from errands.exam.desk import Desk
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.exam.sitting import Limits, Sitting
from errands.exam.terms import PLAYWRIGHT_MCP, Terms
from errands.tasks.registry import Selection
from errands.tasks.registry import task as find_task
from tests import npm

from .hand import ref
from .place import NOW, SITE, world


@pytest.fixture(autouse=True)
def server(monkeypatch) -> None:
    """The package: one of the machine, else installed once."""
    if not os.environ.get(SETTING) and not shutil.which(PROGRAM):
        if not shutil.which("npm"):
            pytest.skip("no npm")
        monkeypatch.setenv(SETTING, str(npm.installed(PROGRAM, PACKAGE, TRIED, PROGRAM) / PROGRAM))


@pytest.fixture
def fresh() -> Iterator[Sitting]:
    """A sitting whose browser may be lost."""
    sitting = Sitting(world(), Limits(calls=1_000), PLAYWRIGHT_MCP)
    yield sitting
    sitting.let_go()


@pytest.fixture(scope="module")
def seat() -> Iterator[Sitting]:
    """A sitting for all that leaves its browser as it was."""
    sitting = Sitting(world(), Limits(calls=1_000), PLAYWRIGHT_MCP)
    yield sitting
    sitting.let_go()


def in_page(sitting: Sitting, script: str) -> Any:
    """What a script finds in the page that is open."""
    tabs = sitting.browsing.tabs
    return tabs._browser.run(tabs._context.pages[-1].evaluate(script))


class Driver:
    """Uses a site by the server's tools and what they say; `page` is the snapshot that came last."""

    def __init__(self, call: Any):
        self._call = call
        self.page = ""

    def do(self, tool: str, **args: Any) -> str:
        text = self._call(f"browser_{tool}", args)["text"]
        if "### Snapshot" in text:
            self.page = text.partition("### Snapshot")[2]
        return text

    def click(self, role: str, name: str) -> None:
        self.do("click", element=name, target=ref(self.page, role, name))

    def slide(self, name: str, to: int, step: int) -> None:
        """Click the slider (it goes to about its middle), and set it with the arrow keys."""
        self.click("slider", name)
        stands = int(re.search(rf'slider "{name}[^\n]*: "?(\d+)', self.page)[1])
        for _ in range(abs(to - stands) // step):
            self.do("press_key", key="ArrowRight" if to > stands else "ArrowLeft")


class Scripted:
    """Sits `qf-home-sliders` by the tools of `@playwright/mcp`; what the papers say it has from the key."""

    name, isolation, trusted, cost_usd, own_word = "scripted", "in-process", True, 0.0, False
    preload: tuple[str, ...] = ()

    def applies(self, task: Any) -> bool:
        return True

    def check(self) -> None: ...

    def load(self) -> None: ...

    def sit(self, sitting: Sitting, instance: Any, desk: Desk) -> None:
        from errands.library.funnels.quotes.home_sliders.solutions import HARBOR, house

        key, v = instance.key, Driver(sitting.call)
        sitting.next()
        v.do("navigate", url=SITE)
        v.click("button", "Get started")
        fields = []
        for label, value in house(key).items():
            kind = {"Roof": "combobox"}.get(label, "radio" if value == "yes" else "textbox")
            value = "true" if value == "yes" else value
            fields.append({"target": ref(v.page, kind, label), "name": label, "type": kind, "value": value})
        v.do("fill_form", fields=fields)
        v.click("button", "Continue")
        v.slide("Dwelling coverage", key.best["dwelling"], 5_000)
        v.slide("Deductible", key.best["deductible"], 250)
        v.click("button", "See prices")
        offer = v.page[v.page.index(f'article "{HARBOR}"') :]
        premium = re.search(r"\$([\d,]+\.\d\d)", offer)[1]
        v.click("button", f"Save quote: {HARBOR}")
        answer = {
            "coverage": key.best["dwelling"],
            "deductible": key.best["deductible"],
            "premium": premium,
        }
        sitting.call("files_write", {"path": "workspace/answer.json", "text": json.dumps(answer)})
        sitting.reply("The quote is saved.")


def test_a_funnel_is_finished_by_it():
    verdict = sit(Scripted(), find_task("qf-home-sliders").instance("us", 0), browser=PLAYWRIGHT_MCP).verdict
    assert verdict.end_reason == "completed" and verdict.scores["points"] == 100
    assert verdict.strict, [c for c in verdict.criteria if c.result != "met"]


def test_only_the_tools_and_arguments_of_the_list_are_there(seat):
    specs = {s.name: s for s in seat.tools if s.name.startswith("browser_")}
    assert list(specs) == list(ALLOWED)
    assert not any(w in " ".join(specs) for w in ("evaluate", "run_code", "network", "upload", "install"))
    for name, spec in specs.items():
        assert spec.parameters["additionalProperties"] is False
        assert set(spec.parameters["properties"]) == set(ALLOWED[name])
    for tool in ("browser_evaluate", "browser_run_code_unsafe", "browser_network_requests", "browser_close"):
        with pytest.raises(ToolError, match="unknown_tool"):
            seat.call(tool, {"function": "() => 1", "code": "1"})


class Tool:
    def __init__(self, name: str, args: tuple[str, ...], needed: tuple[str, ...] = ()):
        self.name, self.description = name, "does something"
        self.input_schema = {
            "type": "object",
            "properties": {a: {"type": "string"} for a in args},
            "required": needed,
        }


def test_what_another_edition_adds_is_not_offered_and_what_it_changes_is_said():
    same = [Tool(name, args) for name, args in ALLOWED.items()]
    more = [*same, Tool("browser_do_anything", ("code",)), Tool("browser_hover", ("target", "filename"))]
    assert [s.name for s in offered(more)] == list(ALLOWED)
    assert "filename" not in str(offered(more))
    for other in (same[1:], [*same[1:], Tool("browser_navigate", ("address",), ("address",))]):
        with pytest.raises(UsageError, match="browser_navigate"):
            offered(other)


REFUSED = (
    ("browser_navigate", {"url": "https://example.com"}, SITE),
    ("browser_navigate", {"url": "file:///etc/passwd"}, SITE),
    ("browser_navigate", {"url": "chrome://version"}, SITE),
    ("browser_navigate", {"url": ["x"]}, "url"),
    ("browser_tabs", {"action": "new", "url": "https://example.com"}, SITE),
    ("browser_snapshot", {"filename": "/tmp/x"}, "filename"),
    ("browser_take_screenshot", {"filename": "x.png"}, "filename"),
    ("browser_click", {"target": "e999"}, "e999"),
    ("browser_click", {}, "target"),
    ("browser_click", "e1", "one object"),
    ("browser_press_key", {"key": "NoSuchKey"}, "NoSuchKey"),
)


def test_what_cannot_be_done_is_the_worlds_answer(seat):
    seat.call("browser_navigate", {"url": SITE})
    for tool, args, said in REFUSED:
        with pytest.raises(ToolError) as why:
            seat.call(tool, args)
        assert said in f"{why.value.body()}", (tool, args)


def test_pages_see_the_worlds_date_and_zone_and_nothing_tells_the_hosts(seat):
    said = [seat.call("browser_navigate", {"url": SITE})["text"]]
    assert "Tue Nov 17 2026 09:30" in in_page(seat, "new Date().toString()")
    zone = "[Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language].join()"
    assert in_page(seat, zone) == "America/Chicago,en-US"
    seat.world.advance(NOW + 3 * 86_400_000)
    in_page(seat, "console.error('seen')")
    said.append(seat.call("browser_snapshot")["text"])
    assert "Fri Nov 20 2026 09:30" in in_page(seat, "new Date().toString()")
    said.append(seat.call("browser_tabs", {"action": "new", "url": SITE})["text"])
    assert "Fri Nov 20 2026 09:30" in in_page(seat, "new Date().toString()")
    assert seat.call("browser_tabs", {"action": "close"})["text"].count(SITE) == 1
    said.append(seat.call("browser_wait_for", {"text": "Hearthline"})["text"])
    picture = seat.call("browser_take_screenshot", {"scale": "css"})
    assert picture.keys() == {"mime", "data"} and picture["mime"] == "image/png"
    assert base64.b64decode(picture["data"]).startswith(b"\x89PNG")
    assert not re.search(r"\.playwright-mcp|\.yml|\.log", "".join(said))
    assert all("### Snapshot\n```yaml\n- " in text for text in said)


def test_two_attempts_at_once_share_nothing(seat):
    other = Sitting(world(), Limits(), PLAYWRIGHT_MCP)
    try:
        for each in (seat, other):
            each.call("browser_navigate", {"url": SITE})
        mine, theirs = (s.browsing.tabs for s in (seat, other))
        a, b = (t._browser.run(t._context.cookies()) for t in (mine, theirs))
        assert len(a) == len(b) == 1 and a[0]["value"] != b[0]["value"]
        assert [len(t._context.pages) for t in (mine, theirs)] == [1, 1]
        listed = other.call("browser_tabs", {"action": "list"})["text"]
        assert theirs.homes[SITE] in listed and mine.homes[SITE] not in listed
        with pytest.raises(ToolError, match="cannot be reached"):
            other.call("browser_navigate", {"url": mine.homes[SITE]})
        from playwright.async_api import Error

        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):  # nor by what no tool would let through
            theirs._browser.run(theirs._context.pages[0].goto(mine.homes[SITE]))
    finally:
        other.let_go()


def test_dialogs_are_the_agents_to_answer(seat):
    v = Driver(seat.call)
    v.do("navigate", url=SITE)
    ask = "e => { e.preventDefault(); document.title = 'said ' + confirm('Sure?') }"
    in_page(seat, f"void document.querySelector('form button').addEventListener('click', {ask})")
    told = v.do("click", target=ref(v.page, "button", ""))
    assert '"Sure?"' in told and "### Modal state" in told and "### Snapshot" not in told
    v.do("handle_dialog", accept=True)
    assert "Page Title: said true" in v.do("snapshot")


def test_a_dead_browser_is_no_fault_of_the_agents(fresh):
    fresh.call("browser_navigate", {"url": SITE})
    tabs = fresh.browsing.tabs
    tabs._browser.run(tabs._context.close())
    with pytest.raises(ClosedError, match="server_fault"):
        fresh.call("browser_snapshot")
    assert fresh.ended == "server_fault"
    fresh.let_go()
    assert not tabs._room.exists()


def test_neither_is_a_dead_server(fresh, tmp_path, monkeypatch):
    starter = tmp_path / "starter"
    starter.write_text(f'#!/bin/sh\necho $$ > "$HOME/pid"\nexec "{find_program()}" "$@"\n')
    starter.chmod(0o700)
    monkeypatch.setenv(SETTING, str(starter))
    fresh.call("browser_navigate", {"url": SITE})
    os.kill(int((fresh.browsing.tabs._room / "pid").read_text()), signal.SIGKILL)
    with pytest.raises(ClosedError, match="server_fault"):
        fresh.call("browser_snapshot")


AGENT = """
def agent(message, tools):
    page = tools.browser_navigate(url="hearthline")["text"]
    return ", ".join(sorted(t.name for t in tools.tools if t.name.startswith("browser_"))) + page[-40:]
"""
SLIDERS = Selection(tasks=("qf-home-sliders",), variants=(0,))


def test_a_run_says_whose_tools_it_had(tmp_path):
    file = tmp_path / "my_agent.py"
    file.write_text(AGENT)
    agent = resolve(str(file))
    folder = plan_run(agent, SLIDERS, 1, tmp_path / "run", terms=Terms(browser=PLAYWRIGHT_MCP))
    list(Run(folder, resolve).go())
    record = run_record(folder)
    assert folder.plan().terms == record["terms"] == {"browser": "playwright-mcp"}
    (row,) = record["attempts"]
    opened = open_bundle(folder.bundle(1).read_bytes())
    assert row["end_reason"] == "completed", opened.evidence.ledger[-1].body
    assert opened.host["browser"].startswith("@playwright/mcp of Playwright 1.")
    said = [e for e in opened.evidence.ledger if e.name == "reply"]
    assert ", ".join(sorted(ALLOWED)) in said[0].body["text"]


def test_what_is_missing_is_said_before_anything_is_sat(tmp_path, monkeypatch):
    agent = resolve("json:dumps")
    terms = Terms(browser=PLAYWRIGHT_MCP)
    with pytest.raises(UsageError, match="own or playwright-mcp"):
        browser_tools("selenium")
    with pytest.raises(UsageError, match="own browser tools"):
        plan_run(resolve("oracle"), SLIDERS, 1, tmp_path / "run", terms=terms)
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o700)
    for named in ("/no/such/program", str(broken)):
        monkeypatch.setenv(SETTING, named)
        with pytest.raises(UsageError) as why:
            plan_run(agent, SLIDERS, 1, tmp_path / "run", terms=terms)
        assert named in str(why.value) and INSTALL in str(why.value)
    assert not (tmp_path / "run").exists()


def test_a_server_that_went_missing_is_not_the_agents_doing(fresh, monkeypatch):
    monkeypatch.setenv(SETTING, "/no/such/program")
    with pytest.raises(ClosedError, match="server_fault"):
        fresh.call("browser_navigate", {"url": SITE})
    assert fresh.ended == "server_fault"
