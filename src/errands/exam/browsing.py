"""The browser of a sitting whose world has sites: opened at its first use; one server and one browser a process.

Where the agent has tools of another make, there is one browser an attempt.
"""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from errands.core.types import ToolSpec
from errands.doors.attached import ALLOWED, Attacher
from errands.doors.browser import TOOLS, Browser, BrowserGone, Tabs
from errands.doors.web import Visit, Web
from errands.web import Site

from .terms import OWN, Kind

if TYPE_CHECKING:
    from .sitting import Sitting

LOOPBACK = "127.0.0.1"
_lock = threading.Lock()
_pid = 0
_web: Web | None = None
_browser: Browser | None = None
_attacher: Attacher | None = None


def shared() -> tuple[Web, Browser]:
    """The server and the browser of this process: a forked worker starts its own, and one that has died is replaced."""
    global _browser
    with _lock:
        web = _served()
        if _browser is None or not _browser.alive:
            _browser = Browser().start()
        return web, _browser


def attacher() -> tuple[Web, Attacher]:
    """The server of this process, and what starts a browser for each attempt whose agent has tools of another make."""
    global _attacher
    with _lock:
        web = _served()
        if _attacher is None or not _attacher.alive:
            _attacher = Attacher().start()
        return web, _attacher


def served() -> Web:
    """The server of this process."""
    with _lock:
        return _served()


def _served() -> Web:
    global _pid, _web, _browser, _attacher
    if _web is None or _pid != os.getpid():
        _browser = _attacher = None  # those of the process that we were forked from
        _web, _pid = Web().start(), os.getpid()
        atexit.register(_stop, _pid)
    return _web


def _stop(pid: int) -> None:
    if _pid == pid == os.getpid():
        for one in (_browser, _attacher, _web):
            if one is not None:
                one.stop()


class Browsing:
    """The browser's tools for one sitting. May be closed from another thread than the one that uses it."""

    def __init__(self, sitting: Sitting, kind: Kind = OWN):
        self._sitting, self._kind = sitting, kind
        self._lock = threading.Lock()
        self._closed = False
        self._tabs: Tabs | None = None
        self.edition = ""  # whose tools were used, where they are not ours
        self._visit: tuple[Web, Visit] | None = None

    @property
    def specs(self) -> list[ToolSpec]:
        """The tools, as an agent sees them."""
        own = [replace(t.spec, apart=True) for t in TOOLS.tools.values()]
        return own if self._kind == OWN else attacher()[1].specs

    def __contains__(self, tool: str) -> bool:
        return tool in (TOOLS.tools if self._kind == OWN else ALLOWED)

    def call(self, tool: str, args: Any) -> Any:
        """Call one of them; not under the sitting's lock, for the page that it loads comes in by the same door."""
        return self.tabs.call(tool, args)

    @property
    def tabs(self) -> Tabs:
        """The sitting's context in the browser."""
        with self._lock:
            if self._closed:
                raise BrowserGone("the sitting has let go of it")
            if self._tabs is None:
                web, browser = shared() if self._kind == OWN else attacher()
                self.edition = browser.edition if isinstance(browser, Attacher) else ""
                visit, world = self._visited(web), self._sitting.world
                homes = {name: web.address(visit, name) for name in self.sites}
                self._tabs = browser.context(
                    lambda: world.now, world.zone, homes, given_up=lambda: self._closed
                )
            return self._tabs

    def _visited(self, web: Web) -> Visit:
        if self._visit is None:
            self._visit = (web, web.open(self._sitting))
        return self._visit[1]

    @property
    def sites(self) -> list[str]:
        """The sites of the sitting's world."""
        return [name for name, a in self._sitting.world.apps.items() if isinstance(a, Site)]

    def addresses(self, host: str = LOOPBACK) -> dict[str, str]:
        """Where each site is, for a browser that is not ours: by name on this machine, or lent at another address of
        it, on a port of its own each."""
        with self._lock:
            web = served()
            visit = self._visited(web)
            if host in (LOOPBACK, "localhost", "::1"):
                return {name: web.address(visit, name) for name in self.sites}
            return {name: web.lend(visit, name, host) for name in self.sites}

    def close(self) -> None:
        """Give the context back."""
        self._closed = True  # who waits for a place gives up, and the lock is free
        with self._lock:
            if self._visit is not None:
                web, visit = self._visit
                web.close(visit)
            if self._tabs is not None:
                self._tabs.close()
            self._tabs = self._visit = None
