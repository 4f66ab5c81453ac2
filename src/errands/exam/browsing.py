"""The browser of a sitting whose world has sites: opened at its first use, one browser and one server a process."""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING, Any

from errands.core.types import ToolSpec
from errands.doors.browser import TOOLS, Browser, Tabs
from errands.doors.web import Visit, Web
from errands.web import Site

if TYPE_CHECKING:
    from .sitting import Sitting

_lock = threading.Lock()
_shared: tuple[int, Web, Browser] | None = None


def shared() -> tuple[Web, Browser]:
    """The server and the browser of this process (a forked worker starts its own)."""
    global _shared
    with _lock:
        if _shared is None or _shared[0] != os.getpid():
            _shared = (os.getpid(), Web().start(), Browser().start())
            atexit.register(_stop, os.getpid())
        return _shared[1], _shared[2]


def _stop(pid: int) -> None:
    if _shared is not None and _shared[0] == pid == os.getpid():
        _shared[2].stop()
        _shared[1].stop()


class Browsing:
    """The browser's tools for one sitting."""

    def __init__(self, sitting: Sitting):
        self._sitting = sitting
        self._tabs: Tabs | None = None
        self._visit: Visit | None = None

    @property
    def specs(self) -> list[ToolSpec]:
        """The tools, as an agent sees them."""
        return [t.spec for t in TOOLS.tools.values()]

    def __contains__(self, tool: object) -> bool:
        return tool in TOOLS.tools

    def call(self, tool: str, args: Any) -> Any:
        """Call one of them; not under the sitting's lock, for the page that it loads comes in by the same door."""
        return self.tabs.call(tool, args)

    @property
    def tabs(self) -> Tabs:
        """The sitting's context in the browser."""
        if self._tabs is None:
            web, browser = shared()
            world = self._sitting.world
            self._visit = web.open(self._sitting)
            sites = [name for name, a in world.apps.items() if isinstance(a, Site)]
            homes = {name: web.address(self._visit, name) for name in sites}
            self._tabs = browser.context(lambda: world.now, world.zone, homes)
        return self._tabs

    def close(self) -> None:
        """Give the context back."""
        if self._tabs is not None and self._visit is not None:
            shared()[0].close(self._visit)
            self._tabs.close()
            self._tabs = self._visit = None
