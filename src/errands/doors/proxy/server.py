"""The proxy of one attempt: where it listens, and how it ends."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .call import Watch
from .handler import Handler
from .upstream import Upstream

STOP_S = 3.0
MAX_CONNECTIONS = 64


class Proxy:
    """Serves one attempt between `listen_…` and `stop`."""

    def __init__(self, upstreams: Mapping[str, Upstream], key: str, watch: Watch, *, bound: bool = False):
        self.upstreams, self.key, self.watch, self.bound = dict(upstreams), key, watch, bound
        self.longest = 0  # tokens of the longest call so far
        self.stopped = False
        self._servers: list[socketserver.BaseServer] = []
        self._threads: list[threading.Thread] = []
        self._sockets: set[socket.socket] = set()
        self._busy = 0
        self._idle = threading.Condition()

    def listen_unix(self, path: Path) -> None:
        """Serve on a unix socket."""
        self._serve(_Unix(str(path), _handler(self)))
        path.chmod(0o600)

    def listen_tcp(self) -> int:
        """Serve on a free port of the loopback; returns it."""
        server = _Tcp(("127.0.0.1", 0), _handler(self, tcp=True))
        self._serve(server)
        return int(server.server_address[1])

    def stop(self) -> None:
        """Cut every connection, and wait until what was under way has been told to the watch."""
        self.stopped = True
        for server in self._servers:
            server.shutdown()
            server.server_close()
        with self._idle:
            for s in list(self._sockets):
                with suppress(OSError):
                    s.shutdown(socket.SHUT_RDWR)
            self._idle.wait_for(lambda: self._busy == 0, STOP_S)
        for thread in self._threads:
            thread.join(STOP_S)
        self._servers.clear()
        self._threads.clear()

    def _serve(self, server: socketserver.BaseServer) -> None:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True, name="proxy"
        )
        self._servers.append(server)
        self._threads.append(thread)
        thread.start()

    # ---- for the handlers ----

    def enter(self) -> None:
        """A call is under way."""
        with self._idle:
            self._busy += 1

    def leave(self) -> None:
        """It is over."""
        with self._idle:
            self._busy -= 1
            self._idle.notify_all()

    def track(self, s: socket.socket) -> None:
        """A connection that `stop` has to cut; cut at once where it came too late, or where there are too many."""
        with self._idle:
            self._sockets.add(s)
            many = len(self._sockets) > MAX_CONNECTIONS
        if self.stopped or many:
            with suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def forget(self, s: socket.socket | None) -> None:
        """It is closed."""
        with self._idle:
            self._sockets.discard(s)


class _Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is the agent's business."""


class _Tcp(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is the agent's business."""


def _handler(proxy: Proxy, *, tcp: bool = False) -> type[Handler]:
    return type("Handler", (Handler,), {"proxy": proxy, "disable_nagle_algorithm": tcp})
