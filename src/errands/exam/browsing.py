"""The browser of a sitting whose world has sites: opened at its first use, one browser and one server a process."""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from errands.core.types import ToolSpec
from errands.doors.browser import TOOLS, Browser, BrowserGone, Tabs
from errands.doors.web import Visit, Web
from errands.web import Site

if TYPE_CHECKING:
    from .sitting import Sitting

_lock = threading.Lock()
_shared: tuple[int, Web, Browser] | None = None


def shared() -> tuple[Web, Browser]:
    """The server and the browser of this process: a forked worker starts its own, and one that has died is replaced."""
    global _shared
    with _lock:
        if _shared is not None and _shared[0] == os.getpid():
            if _shared[2].alive:
                return _shared[1], _shared[2]
            web = _shared[1]
        else:
            web = Web().start()
            atexit.register(_stop, os.getpid())
        try:
            browser = Browser().start()
        except BaseException:
            web.stop()
            _shared = None
            raise
        _shared = (os.getpid(), web, browser)
        return web, browser


def _stop(pid: int) -> None:
    if _shared is not None and _shared[0] == pid == os.getpid():
        _shared[2].stop()
        _shared[1].stop()


class Browsing:
    """The browser's tools for one sitting. May be closed from another thread than the one that uses it."""

    def __init__(self, sitting: Sitting):
        self._sitting = sitting
        self._lock = threading.Lock()
        self._closed = False
        self._tabs: Tabs | None = None
        self._visit: tuple[Web, Visit] | None = None

    @property
    def specs(self) -> list[ToolSpec]:
        """The tools, as an agent sees them."""
        return [replace(t.spec, apart=True) for t in TOOLS.tools.values()]

    def __contains__(self, tool: str) -> bool:
        return tool in TOOLS.tools

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
                web, browser = shared()
                world = self._sitting.world
                visit = web.open(self._sitting)
                self._visit = (web, visit)
                sites = [name for name, a in world.apps.items() if isinstance(a, Site)]
                homes = {name: web.address(visit, name) for name in sites}
                self._tabs = browser.context(
                    lambda: world.now, world.zone, homes, given_up=lambda: self._closed
                )
            return self._tabs

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
