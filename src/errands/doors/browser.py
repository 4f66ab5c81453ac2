"""A real browser for attempts with sites: one process, a context for each attempt, and tools by which an agent uses it.

The tools are harness tools: they run outside the world's lock, for the page that a click loads comes in by the same
door. Before each, the page's clock is set to the world's; a page never sees the host's date. Cookies are the session's.
"""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import os
import shutil
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from annotated_types import Ge, Le

from errands.core import clock
from errands.core.errors import ToolError, UsageError
from errands.core.values import plain
from errands.world import App

KNOWN = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable", "chrome")
INSTALL = "pip install 'errands[browser]' && playwright install --only-shell chromium"
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
AT_ONCE = 2  # contexts: on two cores, more of them only queue
WAIT_MS = 5_000  # for an element that an agent names
PAGE_MS = 60_000  # for a page of ours to come: how fast that is is not the agent's doing
LONGEST_S = 150  # of one tool: longer than all that it waits for
MAX_SNAPSHOT = 30_000  # characters

T = TypeVar("T")
Work = Coroutine[Any, Any, T]


def find_browser() -> str:
    """The browser to use: `ERRANDS_BROWSER`, one of the machine, or "" for Playwright's own."""
    named = os.environ.get("ERRANDS_BROWSER", "")
    if named:
        file = shutil.which(named)
        if file is None:
            raise UsageError(
                f"there is no browser {named!r}", where="ERRANDS_BROWSER", expected="a program or its path"
            )
        return file
    return next((file for name in KNOWN if (file := shutil.which(name))), "")


def flags() -> list[str]:
    """How a browser is started here."""
    return [*FLAGS, *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]


def can_browse() -> bool:
    """Whether there are a driver and a browser to drive (nothing is started)."""
    if importlib.util.find_spec("playwright") is None or importlib.util.find_spec("uvicorn") is None:
        return False
    if find_browser():
        return True
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    usual = (".cache/ms-playwright", "Library/Caches/ms-playwright", "AppData/Local/ms-playwright")
    homes = [Path(named)] if named else [Path.home() / folder for folder in usual]
    return any(any(home.glob("chromium*")) for home in homes)


class BrowserGone(Exception):
    """The browser's process is gone, or let nothing more be done with it: no fault of the agent's."""


class Browser:
    """One browser process, driven from a thread of its own. `context` and `stop` may be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="errands-browser", daemon=True)
        self._room = threading.BoundedSemaphore(AT_ONCE)
        self._playwright: Any = None
        self._browser: Any = None

    def start(self) -> Self:
        """Launch it. `UsageError` with the line that installs one where there is none."""
        try:
            import playwright.async_api  # noqa: F401
        except ModuleNotFoundError:
            raise UsageError("sites need a browser driver", do=INSTALL) from None
        self._thread.start()
        self.run(self._launch())
        return self

    async def _launch(self) -> None:
        from playwright.async_api import Error, async_playwright

        self._playwright = await async_playwright().start()
        file = find_browser()
        try:
            self._browser = await self._playwright.chromium.launch(executable_path=file or None, args=flags())
        except Error as why:
            await self._playwright.stop()
            said = str(why).splitlines()[0]
            raise UsageError(
                f"no browser could be started ({said})", where=file or "Playwright's own", do=INSTALL
            ) from why

    def stop(self) -> None:
        """Close it."""
        if self._thread.is_alive():
            self.run(self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(5)

    async def _end(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, work: Work[T]) -> T:
        """Do something in the browser's thread, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def alive(self) -> bool:
        """Whether its process is there."""
        return self._browser is not None and bool(self._browser.is_connected())

    def context(
        self,
        now: Callable[[], int],
        zone: str,
        homes: dict[str, str],
        *,
        given_up: Callable[[], bool] = lambda: False,
    ) -> Tabs:
        """A context of its own for an attempt. `now`: the world's time in UTC ms; `homes`: site -> its address.

        Waits while as many are open as may be, until `given_up`: then `BrowserGone`.
        """
        while not self._room.acquire(timeout=0.1):
            if given_up():
                raise BrowserGone("nobody waits for it any more")
        try:
            return self.run(self._open(now, zone, homes))
        except BaseException:
            self._room.release()
            raise

    async def _open(self, now: Callable[[], int], zone: str, homes: dict[str, str]) -> Tabs:
        context = await self._browser.new_context(
            viewport={"width": 1280, "height": 900}, timezone_id=zone, locale="en-US"
        )
        context.set_default_timeout(WAIT_MS)
        context.set_default_navigation_timeout(PAGE_MS)
        return Tabs(self, context, await context.new_page(), now, homes)


class Tabs:
    """What an attempt has of the browser: a context with its tabs. Its tools are those of `TOOLS`."""

    def __init__(
        self, browser: Browser, context: Any, page: Any, now: Callable[[], int], homes: dict[str, str]
    ):
        self._browser, self._context, self.page, self._now, self.homes = browser, context, page, now, homes
        self._closed = False
        context.on("page", self._opened)

    def _opened(self, page: Any) -> None:
        self.page = page

    def call(self, name: str, args: Any = None) -> Any:
        """Call a tool; its JSON result, or `ToolError`. `BrowserGone` where the browser is no more."""
        tool = TOOLS.tools[name]
        if args is not None and type(args) is not dict:
            raise ToolError("invalid", "arguments must be one object", field="arguments")
        clean = tool.check(plain(args or {}))
        return self._browser.run(self._act(tool.run, clean))

    async def _act(self, run: Callable[..., Any], args: dict[str, Any]) -> Any:
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as Late

        try:
            await self._context.clock.set_fixed_time(clock.from_ms(self._now(), "UTC"))
            return await asyncio.wait_for(run(self, **args), LONGEST_S)
        except (TimeoutError, Late):
            raise ToolError(
                "not_found",
                "the page did not come to it in time",
                field=next(iter(args), ""),
                expected="an element of the newest snapshot that can be seen and used",
            ) from None
        except Error as why:
            if not self._browser.alive:
                raise BrowserGone("the browser is gone") from why
            said = str(why).splitlines()[0]
            if "aria-ref" in said:
                raise ToolError(
                    "not_found",
                    "there is no such element on the page now",
                    field="ref",
                    value=args.get("ref"),
                    expected="a ref of the newest snapshot",
                ) from None
            raise ToolError(
                "invalid", said.partition(": ")[2][:200] or said[:200], expected="see browser_snapshot"
            ) from None

    async def seen(self) -> dict[str, Any]:
        """Where the tab is, and what stands there."""
        await self.page.wait_for_load_state("load")
        # Not by a function: while it waits it would be evaluated in the page, which the page's policy forbids.
        await self.page.locator("html:not([data-busy])").wait_for(state="attached", timeout=PAGE_MS)
        text = await self.page.aria_snapshot(mode="ai")
        return {"url": self.page.url, "title": await self.page.title(), "snapshot": text[:MAX_SNAPSHOT]}

    def at(self, ref: str) -> Any:
        """The element of a snapshot's `ref`."""
        if not ref.isalnum():
            raise ToolError(
                "invalid", "this is no element", field="ref", value=ref, expected="a ref such as e12"
            )
        return self.page.locator(f"aria-ref={ref}")

    def close(self) -> None:
        """Close the context; another attempt may have its place."""
        if not self._closed:
            self._closed = True
            try:
                self._browser.run(self._context.close())
            finally:
                self._browser._room.release()


def reachable(homes: dict[str, str], url: str) -> str:
    """The address that is meant: a page of these sites, or a site's name. `ToolError` for any other."""
    to = homes.get(url, url)
    if not any(to == home or to.startswith(f"{home}/") for home in homes.values()):
        raise ToolError(
            "not_found", "this address cannot be reached", field="url", value=url, expected=", ".join(homes)
        )
    return to


# ---- the tools ----------------------------------------------------------------------------------------------------

TOOLS = App("browser", schema="")
Ref = Annotated[str, "an element's ref in the newest snapshot, such as e12"]
Share = Annotated[float, "0 is the left or upper edge of the element, 1 the right or lower", Ge(0), Le(1)]


@TOOLS.write()
async def navigate(t: Tabs, url: Annotated[str, "the address of a page, or a site's name"]) -> dict[str, Any]:
    """Open a page. Returns its address, title and a snapshot: its elements by role, name and ref."""
    await t.page.goto(reachable(t.homes, url))
    return await t.seen()


@TOOLS.write()
async def back(t: Tabs) -> dict[str, Any]:
    """Go back to the page before."""
    await t.page.go_back()
    return await t.seen()


@TOOLS.write()
async def snapshot(t: Tabs) -> dict[str, Any]:
    """What stands on the page now: its elements by role, name and ref."""
    return await t.seen()


@TOOLS.write()
async def click(t: Tabs, ref: Ref) -> dict[str, Any]:
    """Click an element."""
    await t.at(ref).click()
    return await t.seen()


@TOOLS.write()
async def hover(t: Tabs, ref: Ref) -> dict[str, Any]:
    """Hold the pointer over an element."""
    await t.at(ref).hover()
    return await t.seen()


@TOOLS.write()
async def type_(t: Tabs, ref: Ref, text: str, submit: bool = False) -> dict[str, Any]:
    """Write into a field, in place of what it holds; `submit` presses Enter after it."""
    await _enter(t.at(ref), text)
    if submit:
        await t.at(ref).press("Enter")
    return await t.seen()


@TOOLS.write()
async def fill(
    t: Tabs,
    fields: Annotated[
        dict[str, str],
        "the ref of each field, and what to enter: a text, a list's option, or yes or no for a box or button to tick",
    ],
) -> dict[str, Any]:
    """Fill in several fields of a form, one after the other. Nothing is submitted."""
    for ref, value in fields.items():
        await _enter(t.at(ref), value)
    return await t.seen()


_SHAPES = {"date": "a date as 2026-11-30", "time": "a time as 16:30", "month": "a month as 2026-11"}


async def _enter(field: Any, value: str) -> None:
    kind = await field.evaluate("el => el.type || ''")
    if kind in ("radio", "checkbox"):
        await field.set_checked(value.casefold() in ("yes", "on", "true"))
    elif kind == "select-one":
        await field.select_option(label=value)
    else:
        await field.fill(value)
        if kind in _SHAPES and value and not await field.input_value():  # the browser drops it without a word
            raise ToolError("invalid", "the field took nothing of this", value=value, expected=_SHAPES[kind])


@TOOLS.write()
async def select(
    t: Tabs, ref: Ref, option: Annotated[str, "the option, as the list shows it"]
) -> dict[str, Any]:
    """Choose an option of a list to pull down."""
    await t.at(ref).select_option(label=option)
    return await t.seen()


@TOOLS.write()
async def press(
    t: Tabs,
    key: Annotated[str, "a key such as Enter, Tab, ArrowRight, Home"],
    ref: Annotated[str, "the element that gets it; without one, what has the focus"] = "",
    times: Annotated[int, "how often, at most 500"] = 1,
) -> dict[str, Any]:
    """Press a key once or several times."""
    if not 1 <= times <= 500:
        raise ToolError(
            "invalid", "this many times cannot be pressed", field="times", value=times, expected="1 to 500"
        )
    if ref:
        await t.at(ref).focus()
    for _ in range(times):
        await t.page.keyboard.press(key)
    return await t.seen()


@TOOLS.write()
async def drag(
    t: Tabs, ref: Ref, from_x: Share, to_x: Share, from_y: Share = 0.5, to_y: Share = 0.5
) -> dict[str, Any]:
    """Press the pointer on an element at one place, move it to another, and let go (a slider's knob, a card)."""
    await t.at(ref).scroll_into_view_if_needed()
    box = await t.at(ref).bounding_box()
    if box is None:
        raise ToolError("not_found", "this element cannot be seen", field="ref", value=ref)
    mouse = t.page.mouse
    await mouse.move(box["x"] + box["width"] * from_x, box["y"] + box["height"] * from_y)
    await mouse.down()
    await mouse.move(box["x"] + box["width"] * to_x, box["y"] + box["height"] * to_y, steps=8)
    await mouse.up()
    return await t.seen()


@TOOLS.write()
async def screenshot(t: Tabs) -> dict[str, Any]:
    """A picture of what can be seen, as PNG in base64."""
    picture = await t.page.screenshot()
    return {"url": t.page.url, "mime": "image/png", "data": base64.b64encode(picture).decode()}


@TOOLS.write()
async def tabs(
    t: Tabs, go_to: Annotated[int, "which tab to go on with, from 1; 0 only lists them"] = 0
) -> dict[str, Any]:
    """The open tabs, and which one is in use."""
    pages = t._context.pages
    if not 0 <= go_to <= len(pages):
        raise ToolError(
            "not_found", "there is no such tab", field="go_to", value=go_to, expected=f"1 to {len(pages)}"
        )
    if go_to:
        t.page = pages[go_to - 1]
        await t.page.bring_to_front()
    return {"tabs": [p.url for p in pages], "in_use": pages.index(t.page) + 1}
