"""The three wire formats of models, read from outside: what a request asks, and what an answer used and said.

`chat` is OpenAI's Chat Completions, `responses` its Responses, `messages` Anthropic's Messages. An answer is read
whole (JSON) or as a stream of events (SSE) while it passes by; nothing here changes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from errands.core.usage import Usage

UNSTATED_OUTPUT = 32_000  # tokens that a call may put out which states no limit
MAX_TEXT = 1 << 20  # characters of an answer's text that are kept
MAX_EVENT = 16 << 20  # bytes of one event of a stream; a longer one is not read
WIRES = ("chat", "responses", "messages")
_CALL = re.compile(r"(?:/v\d\w*)?/(chat/completions|responses|messages|embeddings)")
_LOOK = re.compile(r"(?:/v\d\w*)?/models(?:/[\w:@+-][\w.:@+-]*)*")


def wire_of(method: str, path: str) -> str:
    """The wire format of a call of a model, or an empty text where this is none that we know."""
    call = _CALL.fullmatch(path) if method == "POST" else None
    return call[1].removesuffix("/completions") if call else ""


def is_look(method: str, path: str) -> bool:
    """Whether it asks what costs nothing: which models there are, or how many tokens a text has."""
    if method == "GET":
        return _LOOK.fullmatch(path) is not None
    return method == "POST" and path in ("/v1/messages/count_tokens", "/messages/count_tokens")


# ---- what is asked -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of a model, before it is served: it reads at most `read` tokens, and puts out at most `written`."""

    upstream: str
    wire: str
    model: str
    read: int
    written: int
    tools: tuple[str, ...] = ()
    stream: bool = False

    @property
    def worst(self) -> int:
        """The most tokens that it may use."""
        return self.read + self.written


STATES = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def bounded(wire: str, host: str, body: dict[str, Any]) -> dict[str, Any]:
    """A request that states no limit on what it may put out, with the one that it is held to (`UNSTATED_OUTPUT`)."""
    if wire == "embeddings" or any(type(body.get(k)) is int for k in STATES):
        return body
    name = {"responses": "max_output_tokens", "messages": "max_tokens"}.get(wire) or (
        "max_completion_tokens" if host == "api.openai.com" else "max_tokens"
    )
    return {**body, name: UNSTATED_OUTPUT}


def ask_of(upstream: str, wire: str, body: dict[str, Any], size: int, before: int = 0) -> Ask:
    """Read a request of `size` bytes. Two bytes are taken for a token, which no text undercuts by much.

    `before`: tokens of the longest call so far; a request that continues a conversation held by the server adds them.
    """
    held = before if body.get("previous_response_id") or body.get("conversation") else 0
    stated = [body.get(k) for k in STATES]
    most = max((n for n in stated if type(n) is int and n > 0), default=UNSTATED_OUTPUT)
    copies = body.get("n") if wire == "chat" else 1
    if wire == "embeddings":
        most = 0
    return Ask(
        upstream,
        wire,
        str(body.get("model", ""))[:200],
        size // 2 + held,
        most * (copies if type(copies) is int and 1 <= copies <= 128 else 1),
        tuple(dict.fromkeys(offered(body))),
        body.get("stream") is True,
    )


def offered(body: dict[str, Any]) -> Iterator[str]:
    """Names of the tools that a request offers to its model, tools of the provider's own among them.

    A namespace's tools are named `namespace.tool`; a tool without a name is named by its type, and a server that the
    provider would call for the agent is `mcp:<its name>`.
    """
    for tool in _dicts(body.get("tools")) + _dicts(body.get("functions")):
        yield from _names(tool)
    for server in _dicts(body.get("mcp_servers")):
        yield f"mcp:{server.get('name') or server.get('url') or '?'}"
    if body.get("web_search_options") is not None:
        yield "web_search"


def _names(tool: dict[str, Any]) -> Iterator[str]:
    kind = str(tool.get("type", ""))
    inner = tool.get(kind)
    if kind == "mcp":
        yield f"mcp:{tool.get('server_label') or tool.get('server_url') or '?'}"
    elif kind == "namespace":
        for below in _dicts(tool.get("tools")):
            yield f"{tool.get('name', '')}.{below.get('name', '')}"
    elif isinstance(inner, dict) and inner.get("name"):  # {"type": "function", "function": {"name": …}}
        yield str(inner["name"])
    else:
        yield str(tool.get("name") or kind or "?")


def is_tool(name: str, ours: str) -> bool:
    """Whether a client's name for a tool is this one of ours: the same, or the same behind our server's name."""
    head = name.removesuffix(ours)
    return name == ours or (head != name and not head[-1].isalnum() and "errands" in head)


# ---- what is answered --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Call:
    """A tool call; its arguments come whole or in pieces."""

    id: str
    tool: str
    args: Any
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Answer:
    """What was read of an answer so far. `usage` is None until the server has told it."""

    wire: str
    usage: Usage | None = None
    model: str = ""
    error: str = ""
    _text: list[str] = field(default_factory=list)
    _size: int = 0
    _calls: list[_Call] = field(default_factory=list)
    _open: dict[Any, _Call] = field(default_factory=dict)
    _counts: dict[str, Any] = field(default_factory=dict)

    def whole(self, body: Any) -> None:
        """Read an answer that came in one piece."""
        if not isinstance(body, dict):
            return
        self.model = str(body.get("model", ""))
        self._told(body.get("usage"))
        self._error(body)
        if self.wire == "chat":
            for choice in _dicts(body.get("choices")):
                message = _dict(choice.get("message"))
                self._say(message.get("content") or message.get("refusal"))
                for n, call in enumerate(_dicts(message.get("tool_calls"))):
                    self._chat_call((choice.get("index"), n), call)
        else:
            for item in _dicts(body.get("output" if self.wire == "responses" else "content")):
                self._item(item)

    def event(self, event: Any) -> None:
        """Read the next event of a stream."""
        if isinstance(event, dict):
            self._error(event)
            _READERS.get(self.wire, Answer._chat)(self, event)

    @property
    def text(self) -> str:
        """What it said, cut where it is very long."""
        return "".join(self._text)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool calls: `id`, `tool`, and `args` as the JSON that they are, or as text."""
        return [
            {"id": c.id, "tool": c.tool, "args": _json("".join(c.pieces) if c.pieces else c.args)}
            for c in self._calls
        ]

    @property
    def size(self) -> int:
        """Characters of text and arguments so far: the least that is known of an answer that was cut."""
        return self._size + sum(len(p) for c in self._calls for p in c.pieces)

    # ---- the formats ----

    def _chat(self, event: dict[str, Any]) -> None:
        self.model = str(event.get("model") or self.model)
        self._told(event.get("usage"))
        for choice in _dicts(event.get("choices")):
            delta = _dict(choice.get("delta"))
            self._say(delta.get("content") or delta.get("refusal"))
            for n, call in enumerate(_dicts(delta.get("tool_calls"))):
                self._chat_call((choice.get("index"), call.get("index", n)), call)

    def _responses(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            self._say(event.get("delta"))
        elif kind == "response.output_item.done":
            item = _dict(event.get("item"))
            if item.get("type") != "message":  # its text has come in pieces
                self._item(item)
        elif isinstance(event.get("response"), dict):
            body = event["response"]
            self.model = str(body.get("model") or self.model)
            self._told(body.get("usage"))
            self._error(body)

    def _messages(self, event: dict[str, Any]) -> None:
        kind, delta = event.get("type"), _dict(event.get("delta"))
        if kind == "message_start":
            message = _dict(event.get("message"))
            self.model = str(message.get("model", ""))
            self._counts.update(_dict(message.get("usage")))  # what it begins with; the end tells the whole
        elif kind == "content_block_start":
            block = _dict(event.get("content_block"))
            self._item(block)
            if block.get("type") in ("tool_use", "server_tool_use"):
                self._open[event.get("index")] = self._calls[-1]
        elif kind == "content_block_delta":
            self._say(delta.get("text"))
            if event.get("index") in self._open and isinstance(delta.get("partial_json"), str):
                self._open[event.get("index")].pieces.append(delta["partial_json"])
        elif kind == "message_delta":
            self._counts.update({k: v for k, v in _dict(event.get("usage")).items() if v is not None})
            self._told(self._counts)

    # ---- their parts ----

    def _item(self, item: dict[str, Any]) -> None:
        """A block of Messages or an item of Responses."""
        kind = item.get("type")
        if kind == "text":
            self._say(item.get("text"))
        elif kind == "message":
            for part in _dicts(item.get("content")):
                self._say(part.get("text") or part.get("refusal"))
        elif kind in ("function_call", "custom_tool_call"):
            space = f"{item['namespace']}." if item.get("namespace") else ""
            args = item.get("arguments", item.get("input", ""))
            self._call(item.get("call_id"), f"{space}{item.get('name', '')}", args)
        elif kind in ("tool_use", "server_tool_use"):
            self._call(item.get("id"), item.get("name"), item.get("input", {}))
        elif isinstance(kind, str) and kind.endswith("_call"):  # a tool that the provider runs itself
            self._call(item.get("id"), kind, "")

    def _chat_call(self, at: tuple[Any, Any], call: dict[str, Any]) -> None:
        function = _dict(call.get("function") or call.get("custom"))
        if at not in self._open:
            self._call(call.get("id"), function.get("name"), "")
            self._open[at] = self._calls[-1]
        piece = function.get("arguments", function.get("input"))
        if isinstance(piece, str):
            self._open[at].pieces.append(piece)

    def _call(self, ident: Any, tool: Any, args: Any) -> None:
        self._calls.append(_Call(str(ident or ""), str(tool or ""), args))

    def _say(self, text: Any) -> None:
        if isinstance(text, str):
            self._text += [text[: MAX_TEXT - self._size]] if self._size < MAX_TEXT else []
            self._size += len(text)

    def _told(self, counts: Any) -> None:
        if isinstance(counts, dict):
            self.usage = usage_of(self.wire, counts)

    def _error(self, body: dict[str, Any]) -> None:
        found = body.get("error")
        if found:
            self.error = str(_dict(found).get("message") or found)[:500]


_READERS: dict[str, Callable[[Answer, dict[str, Any]], None]] = {
    "chat": Answer._chat,
    "responses": Answer._responses,
    "messages": Answer._messages,
}


def usage_of(wire: str, counts: dict[str, Any]) -> Usage:
    """Tokens by disjoint classes, of one answered call.

    OpenAI counts cached tokens into its input, Anthropic does not.
    """
    if wire == "messages":
        read, write = _n(counts, "cache_read_input_tokens"), _n(counts, "cache_creation_input_tokens")
        return Usage(_n(counts, "input_tokens"), read, write, _n(counts, "output_tokens"), 1)
    given, put = (
        ("input_tokens", "output_tokens") if wire == "responses" else ("prompt_tokens", "completion_tokens")
    )
    details = _dict(counts.get(f"{given}_details"))
    read, write = _n(details, "cached_tokens"), _n(details, "cache_write_tokens")
    return Usage(max(0, _n(counts, given) - read - write), read, write, _n(counts, put), 1)


class Events:
    """Cuts a stream of server-sent events into JSON values, whatever the pieces in which it comes."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[Any]:
        """The events that are whole now; what is no JSON (`[DONE]`) is left out."""
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_EVENT:
            self._rest = b""
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))

    def end(self) -> Iterator[Any]:
        """What the stream ended on without an empty line."""
        yield from self._line(self._rest.rstrip(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[Any]:
        if line.startswith(b"data:"):
            self._size += len(line)
            if self._size <= MAX_EVENT:
                self._data.append(line[5:].strip())
        elif not line and self._data:
            value = _json_of(b"\n".join(self._data))
            self._data, self._size = [], 0
            if value is not None:
                yield value


def _json_of(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _json(text: Any) -> Any:
    """Arguments as the JSON that they are; as text where they are none."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _n(counts: dict[str, Any], name: str) -> int:
    value = counts.get(name)
    return value if type(value) is int and value >= 0 else 0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
