"""`@playwright/mcp` in place of our browser tools: for each attempt a browser and a server of its own, attached to it.

By the debugging port it reaches a browser's *default* context, so a browser that attempts share would be shared by
their agents too. Tools and arguments are taken by a list of ours: none that runs scripts, reads the network or writes
files. What it says that an agent cannot use is cut: links to files here, whose names hold the host's date.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from errands.core import clock
from errands.core.errors import ToolError, UsageError
from errands.core.types import ToolSpec
from errands.core.values import plain

from .browser import (
    LONGEST_S,
    MAX_SNAPSHOT,
    PAGE_MS,
    WAIT_MS,
    Browser,
    BrowserGone,
    Tabs,
    find_browser,
    flags,
    reachable,
)

PACKAGE, TRIED = "@playwright/mcp", "0.0.83"
PROGRAM, SETTING = "playwright-mcp", "ERRANDS_PLAYWRIGHT_MCP"
INSTALL = f"npm install -g {PACKAGE}@{TRIED}"
LIBRARIES = "pip install 'errands[browser,mcp]'"
OPTIONS = (
    *("--timeout-settle", "0"),  # we wait for the page ourselves
    *("--timeout-action", "10000"),
    *("--timeout-navigation", str(PAGE_MS)),
    *("--cdp-timeout", "90000"),  # it connects at the first call, which is ours: see `start`
    *("--snapshot-mode", "none"),  # it would write them to files
    *("--image-responses", "only"),
    "--no-webmcp",
)
START_S = 120  # for a server to be there: a machine that is busy is not the agent's doing
LAST_S = 10  # for a browser to say that it is there, and to end

# Each tool that is offered, and its arguments that are. Left out on purpose: `filename` everywhere (files of this
# machine), evaluate, run_code, network, console, upload, drop, close, resize, emulate_media.
_ON = ("element", "target")
ALLOWED: dict[str, tuple[str, ...]] = {
    "browser_navigate": ("url",),
    "browser_navigate_back": (),
    "browser_snapshot": ("target", "depth", "boxes"),
    "browser_find": ("text", "regex"),
    "browser_click": (*_ON, "doubleClick", "button", "modifiers"),
    "browser_hover": _ON,
    "browser_type": (*_ON, "text", "submit", "slowly"),
    "browser_fill_form": ("fields",),
    "browser_select_option": (*_ON, "values"),
    "browser_press_key": ("key",),
    "browser_drag": ("startElement", "startTarget", "endElement", "endTarget"),
    "browser_take_screenshot": (*_ON, "type", "fullPage", "scale"),
    "browser_tabs": ("action", "index", "url"),
    "browser_wait_for": ("time", "text", "textGone"),
    "browser_handle_dialog": ("accept", "promptText"),
}
# After these it shows the page, and so do we; after others where the arguments may lead to another page.
_SHOWS = {
    f"browser_{t}"
    for t in ("navigate", "navigate_back", "click", "hover", "select_option", "drag", "wait_for")
}
_SECTIONS = ("Error", "Result", "Ran Playwright code", "Open tabs", "Page", "Modal state", "Snapshot")
_COLOUR = re.compile(r"\x1b?\[\d+m")


def find_program() -> str:
    """The server's program: `ERRANDS_PLAYWRIGHT_MCP`, one on the path, or one of a project here. Nothing is downloaded.

    `UsageError` with the line that installs it.
    """
    named = os.environ.get(SETTING, "")
    file = shutil.which(named or PROGRAM) or (None if named else shutil.which(f"node_modules/.bin/{PROGRAM}"))
    if file is None:
        raise UsageError(
            f"there is no {named or PROGRAM!r}",
            where=SETTING if named else "--browser playwright-mcp",
            expected=f"the program of {PACKAGE}, on the path or named by {SETTING}",
            do=INSTALL,
        )
    return str(Path(file).absolute())


def offered(tools: Sequence[Any]) -> list[ToolSpec]:
    """What of the server's tools is offered, in the order of `ALLOWED`. `UsageError` where one is not as it was."""
    there, specs = {t.name: t for t in tools}, []
    for name, args in ALLOWED.items():
        schema = there[name].input_schema if name in there else {}
        needed = [*schema.get("required", ())]
        if not schema or not set(needed) <= set(args):
            raise UsageError(
                f"this edition of {PACKAGE} has another {name}, or none",
                expected=f"{PACKAGE} {TRIED}, with which this was tried",
                do=INSTALL,
            )
        properties = {k: v for k, v in schema.get("properties", {}).items() if k in args}
        if "url" in properties:
            properties["url"] = {
                **properties["url"],
                "description": "The URL to navigate to, or a site's name",
            }
        parameters = {
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": False,
        }
        specs.append(ToolSpec(name, there[name].description or name, parameters, apart=True))
    return specs


def sections(text: str) -> list[tuple[str, str]]:
    """Title and whole text of each part of an answer, of those that an agent can use."""
    parts = re.split(r"^(?=### )", _COLOUR.sub("", text), flags=re.M)
    named = [(p.partition("\n")[0].removeprefix("### "), p.rstrip()) for p in parts if p.startswith("### ")]
    return [(title, part) for title, part in named if title in _SECTIONS]


@asynccontextmanager
async def _served(room: Path, *options: str) -> AsyncIterator[Any]:
    """A client of a server process of its own, whose home and working directory is `room`."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = StdioServerParameters(
        command=find_program(), args=[*OPTIONS, *options], cwd=room, env={"HOME": str(room)}
    )
    with (room / "server.log").open("w", encoding="utf-8") as log:
        async with Client(stdio_client(command, errlog=log), mode="legacy") as client:
            yield client


async def _listed() -> tuple[list[ToolSpec], str]:
    """What the server offers, and its edition; it is started for it, without a browser."""
    try:
        import mcp  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError(f"{PACKAGE} needs a library that is not installed", do=LIBRARIES) from None
    program = find_program()
    with tempfile.TemporaryDirectory(prefix="errands-browser-") as room:
        try:
            async with asyncio.timeout(START_S), _served(Path(room)) as client:
                made = client.server_info
                return offered((await client.list_tools()).tools), f"{PACKAGE} of {made.name} {made.version}"
        except UsageError:
            raise
        except Exception as why:  # whatever an unknown program may do
            raise UsageError(
                f"it is no MCP server that could be started ({type(why).__name__})",
                where=program,
                expected=f"{PACKAGE} {TRIED}, and node",
                do=INSTALL,
            ) from why


def check() -> None:
    """Raise `UsageError` where the server is not here, cannot be started, or has not the tools that are offered."""
    with ThreadPoolExecutor(1) as apart:  # whoever asks may have a loop of their own at work
        apart.submit(lambda: asyncio.run(_listed())).result()


class Attacher(Browser):
    """Starts a browser and a server for each attempt. Its `context` gives tabs whose tools are the server's."""

    def __init__(self) -> None:
        super().__init__()
        self.specs: list[ToolSpec] = []
        self.edition = ""
        self._broken = False

    async def _launch(self) -> None:
        from playwright.async_api import async_playwright

        self.specs, self.edition = await _listed()
        self._playwright = await async_playwright().start()

    @property
    def alive(self) -> bool:
        """Whether it can start more."""
        return self._playwright is not None and not self._broken

    async def _open(self, now: Callable[[], int], zone: str, homes: dict[str, str]) -> Tabs:
        room = Path(tempfile.mkdtemp(prefix="errands-browser-"))
        hosts = (home.split("/")[2].partition(":")[0] for home in homes.values())
        attached = None
        try:
            context = await self._playwright.chromium.launch_persistent_context(
                room / "profile",
                executable_path=find_browser() or None,
                args=[
                    *flags(),
                    "--remote-debugging-port=0",
                    # no other site and no other attempt's can be reached, by whatever way
                    "--host-resolver-rules="
                    + " , ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {h}" for h in hosts)]),
                ],
                viewport={"width": 1280, "height": 900},
                timezone_id=zone,
                locale="en-US",
            )
            context.set_default_timeout(WAIT_MS)
            context.set_default_navigation_timeout(PAGE_MS)
            attached = Attached(self, context, context.pages[0], now, homes, room)
            await attached.start()
            return attached
        except Exception as why:
            if attached is None:
                self._broken = True  # the next attempt gets another driver
                shutil.rmtree(room, ignore_errors=True)
            else:
                await attached.end()
            raise BrowserGone(
                f"the browser could not be started ({str(why).partition(chr(10))[0][:200]})"
            ) from why


class Attached(Tabs):
    """An attempt's own browser, used by the server's tools."""

    def __init__(
        self,
        browser: Browser,
        context: Any,
        page: Any,
        now: Callable[[], int],
        homes: dict[str, str],
        room: Path,
    ):
        super().__init__(browser, context, page, now, homes)
        self._room = room
        self._over = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None
        self._client: Any = None
        self._asking = False  # a dialog is open: nothing can be evaluated in its page
        context.on("dialog", self._asked)  # else the driver would answer it

    def _asked(self, dialog: Any) -> None:
        self._asking = True

    async def start(self) -> None:
        """Start the server, and let it find the browser: what fails here is no agent's doing."""
        port, path = await _endpoint(self._room / "profile" / "DevToolsActivePort")
        ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._serving = asyncio.create_task(self._serve(f"ws://127.0.0.1:{port}{path}", ready))
        await asyncio.wait({self._serving, ready}, timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            raise BrowserGone(f"{PACKAGE} did not start")
        self._client = ready.result()
        async with asyncio.timeout(START_S):
            found = await self._client.call_tool("browser_tabs", {"action": "list"})
        if found.is_error:
            raise BrowserGone(f"{PACKAGE} did not find its browser")

    async def _serve(self, endpoint: str, ready: asyncio.Future[Any]) -> None:
        """Hold the connection, from its begin to its end in one task, as its library wants it."""
        with suppress(Exception):  # who waits for it sees that it is not there
            async with _served(self._room, "--cdp-endpoint", endpoint) as client:
                ready.set_result(client)
                await self._over.wait()

    # ---- a call ----------------------------------------------------------------------------------------------

    def call(self, name: str, args: Any = None) -> Any:
        """Call a tool of `ALLOWED`: `{"text"}`, or `{"mime", "data"}` for a picture. Errors as those of `Tabs`."""
        if args is not None and type(args) is not dict:
            raise ToolError("invalid", "arguments must be one object", field="arguments")
        clean = plain(args or {})
        odd = next((a for a in clean if a not in ALLOWED[name]), None)
        if odd is not None:
            raise ToolError(
                "invalid", "there is no such argument", field=odd, expected=", ".join(ALLOWED[name])
            )
        if type(clean.get("url", "")) is not str:
            raise ToolError("invalid", "this is no address", field="url", expected="a text")
        if "url" in clean:
            clean["url"] = reachable(self.homes, clean["url"])
        return self._browser.run(self._use(name, clean))

    async def _use(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(LONGEST_S):
                if not self._asking:
                    await self._context.clock.set_fixed_time(clock.from_ms(self._now(), "UTC"))
                said, picture = await self._ask(name, args)
                self._asking = any(title == "Modal state" for title, _ in said)
                if not self._asking and _shows(name, args):
                    await self._settle()
                    now, _ = await self._ask("browser_snapshot", {})
                    said = [*(s for s in said if s[0] != "Page"), *now]
        except TimeoutError:
            await self._still_there()
            raise ToolError("timeout", "the browser did not come to it in time") from None
        except Error as why:
            await self._still_there()
            raise ToolError(
                "invalid", str(why).splitlines()[0][:200], expected="see browser_snapshot"
            ) from None
        return picture or {"text": "\n".join(part for _, part in said)[:MAX_SNAPSHOT]}

    async def _ask(self, name: str, args: dict[str, Any]) -> tuple[list[tuple[str, str]], dict[str, Any]]:
        """What the server says, and the picture that it gives."""
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        try:
            answer = await self._client.call_tool(name, args)
        except MCPError as why:
            if why.error.code == CONNECTION_CLOSED:
                raise BrowserGone(f"{PACKAGE} is gone") from why
            raise ToolError("invalid", str(why)[:1000]) from None
        text = "\n".join(c.text for c in answer.content if c.type == "text")
        if answer.is_error:
            await self._still_there()
            error = "\n".join(part for title, part in sections(text) if title == "Error")
            raise ToolError(
                "invalid",
                error.removeprefix("### Error\n")[:1000] or text[:1000],
                expected="see browser_snapshot",
            )
        picture = next((c for c in answer.content if c.type == "image"), None)
        return sections(text), {"mime": picture.mime_type, "data": picture.data} if picture else {}

    async def _settle(self) -> None:
        """Wait until what an action began has come; a page that does not come to rest is shown as it is."""
        from playwright.async_api import TimeoutError as Late

        with suppress(Late):
            for page in self._context.pages:
                await page.locator("html:not([data-busy])").wait_for(state="attached", timeout=PAGE_MS)
                await page.wait_for_load_state("load")

    async def _still_there(self) -> None:
        """Raise `BrowserGone` where the browser or the server is no more."""
        from playwright.async_api import Error

        if self._serving is None or self._serving.done():
            raise BrowserGone(f"{PACKAGE} is gone")
        try:
            async with asyncio.timeout(LAST_S):
                await self._context.cookies()
        except (Error, TimeoutError) as why:
            raise BrowserGone("the browser is gone") from why

    # ---- the end ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End server and browser; another attempt may have its place."""
        if not self._closed:
            self._closed = True
            try:
                self._browser.run(self.end())
            finally:
                self._browser._room.release()

    async def end(self) -> None:
        """End server and browser, and remove what they kept."""
        from playwright.async_api import Error

        self._over.set()
        if self._serving is not None:
            await asyncio.wait({self._serving}, timeout=LAST_S)
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(LAST_S):
                await self._context.close()
        shutil.rmtree(self._room, ignore_errors=True)


def _shows(name: str, args: dict[str, Any]) -> bool:
    """Whether the page is shown after this call."""
    leads = args.get("submit") or args.get("slowly") or args.get("key") == "Enter" or args.get("url")
    return name in _SHOWS or bool(leads)


async def _endpoint(file: Path) -> tuple[str, str]:
    """Port and path of the browser's debugging endpoint; the path cannot be guessed."""
    async with asyncio.timeout(START_S):
        while not file.is_file() or len(said := file.read_text().split()) < 2:
            await asyncio.sleep(0.01)
    return said[0], said[1]
