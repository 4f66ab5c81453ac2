"""A seat at the far end of the official MCP client, for solutions that know nothing of MCP."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from errands.core.clock import to_ms
from errands.core.errors import ClosedError, ToolError
from errands.core.types import Turn

# What a sandbox runs as the agent's MCP server: copies its standard streams to the socket that it was given.
RELAY = """
import socket, sys, threading
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def back():
    while data := s.recv(65536):
        sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
t = threading.Thread(target=back); t.start()
while data := sys.stdin.buffer.read1(65536):
    s.sendall(data)
s.shutdown(socket.SHUT_WR); t.join()
"""


class ClientSeat:
    """`call` and `reply` by MCP, with the errors of the seat in our process."""

    def __init__(self, portal: BlockingPortal, client: Client):
        self._portal, self.client = portal, client

    def ask(self, method: str, *args: Any) -> Any:
        """Call a method of the client."""
        return self._portal.call(partial(getattr(self.client, method), *args))

    def raw(self, tool: str, args: dict[str, Any]) -> tuple[Any, bool]:
        """What a tool returned, and whether it is an error."""
        result = self.ask("call_tool", tool, args)
        (content,) = result.content
        return json.loads(content.text), result.is_error

    def call(self, tool: str, /, **args: Any) -> Any:
        data, failed = self.raw(tool, args)
        if not failed:
            return data
        if data["code"] == "closed":
            raise ClosedError(data["message"])
        raise ToolError(data["code"], data["message"], field=data.get("field", ""))

    def reply(self, text: str) -> Turn | None:
        turn = self.call("end_turn", reply=text)
        if turn["over"]:
            return None
        return Turn(
            turn["turn"], turn["kind"], turn["text"], to_ms(datetime.fromisoformat(turn["at"])), turn["fresh"]
        )


@contextmanager
def connected(server: Any, mode: str = "auto") -> Iterator[ClientSeat]:
    """A seat at a server that the client can reach: an address, a transport, the parameters of a process."""
    if isinstance(server, str):
        server = streamable_http_client(server, http_client=_plain())
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, mode=mode)) as client,
    ):
        yield ClientSeat(portal, client)


def by_bearer(base: str, secret: str, uds: Path | None = None) -> Any:
    """The transport of a client that sends the secret in a header, over a port or a unix socket."""
    transport = httpx2.AsyncHTTPTransport(uds=str(uds)) if uds else None
    client = _plain(headers={"Authorization": f"Bearer {secret}"}, transport=transport)
    return streamable_http_client(f"{base}/mcp", http_client=client)


def _plain(**given: Any) -> httpx2.AsyncClient:
    """An HTTP client that does not spend a tenth of a second on reading certificates."""
    return httpx2.AsyncClient(verify=False, timeout=30, **given)


def by_relay(path: Path) -> StdioServerParameters:
    """A stdio server that is nothing but a relay to the socket at `path`."""
    return StdioServerParameters(command=sys.executable, args=["-S", "-c", RELAY, str(path)])
