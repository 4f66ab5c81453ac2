"""MCP over a stream of lines: what a client of a stdio server speaks, here over any pair of byte streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from .mcp_server import Endpoint, server_for

MAX_LINE = 4 << 20  # bytes of one message, as over HTTP


async def serve_stdio(endpoint: Endpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one client until it closes its side: one JSON-RPC message a line, both ways.

    The reader needs a limit of `MAX_LINE`; a longer line ends the connection. An agent may connect as often as it
    likes, one after the other or at once: its attempt is the same.
    """
    endpoint.contact()
    server = server_for(lambda _: endpoint)
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, out = anyio.create_memory_object_stream[SessionMessage]()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, reader, into)
            tasks.start_soon(_write, out, writer)
            await server.run(incoming, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    finally:
        for stream in (into, incoming, outgoing, out):
            stream.close()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _read(
    reader: asyncio.StreamReader, into: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with into:
            async for line in _lines(reader):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError as why:
                    await into.send(why)
                    continue
                await into.send(SessionMessage(message))


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        try:
            line = await reader.readline()
        except (ValueError, OSError):  # too long, or the other side is gone
            return
        if not line:
            return
        if line.strip():
            yield line


async def _write(out: MemoryObjectReceiveStream[SessionMessage], writer: asyncio.StreamWriter) -> None:
    with suppress(anyio.ClosedResourceError, OSError):
        async with out:
            async for message in out:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(text.encode() + b"\n")
                await writer.drain()
