"""OpenAI Responses: requests read (with what was stored before), answers and streams written, errors.

Tools may come in namespaces, as the codex CLI groups those of an MCP server; a call then names its namespace.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from .wire import Answer, Called, Items, Returned, Said, Talk, offered, pieces, text_of

Json = dict[str, Any]


class Stored:
    """Conversations by the id of the response that ended them, and items by their own id; the latest few only."""

    def __init__(self, most: int = 2_000):
        self.most = most
        self._conversations: OrderedDict[str, list[Json]] = OrderedDict()
        self._items: OrderedDict[str, Json] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, ident: str, items: list[Json]) -> None:
        """Remember a conversation."""
        with self._lock:
            self._conversations[ident] = items
            self._items.update({i["id"]: i for i in items if "id" in i})
            while len(self._conversations) > self.most:
                self._conversations.popitem(last=False)
            while len(self._items) > 20 * self.most:
                self._items.popitem(last=False)

    def conversation(self, ident: str) -> list[Json] | None:
        """All items up to this response."""
        return self._conversations.get(ident)

    def item(self, ident: str) -> Json | None:
        """One item."""
        return self._items.get(ident)


class Unknown(LookupError):
    """A response or item that is not stored here."""


def history(body: Json, stored: Stored) -> list[Json]:
    """All items of the conversation, with those that the client only points to."""
    before = body.get("previous_response_id")
    items = stored.conversation(before) if before else []
    if items is None:
        raise Unknown(f"Previous response with id '{before}' not found.")
    given = body.get("input") or []
    new = [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else given
    out = [*items]
    for i in new:
        if i.get("type") == "item_reference":
            found = stored.item(i["id"])
            if found is None:
                raise Unknown(f"Item with id '{i['id']}' not found.")
            out.append(found)
        else:
            out.append(i)
    return out


def read(body: Json, items: list[Json]) -> Talk:
    """The conversation of a request, whose items are `history` of it."""
    out: Items = []
    if body.get("instructions"):
        out.append(Said("system", body["instructions"]))
    for i in items:
        kind = i.get("type", "message")
        if kind == "message":
            role = "system" if i["role"] == "developer" else i["role"]
            if text := text_of(i["content"]):
                out.append(Said(role, text))
        elif kind == "function_call":
            out.append(Called(i["call_id"], i["name"], i["arguments"]))
        elif kind == "function_call_output":
            out.append(Returned(i["call_id"], text_of(i["output"], "\n")))
    tools = []
    for t in body.get("tools") or []:
        if t.get("type") == "function":
            tools.append(offered(t["name"], t.get("description"), t.get("parameters")))
        elif t.get("type") == "namespace":
            tools += [
                offered(f["name"], f.get("description"), f.get("parameters"), t["name"]) for f in t["tools"]
            ]
    return Talk(tuple(out), tuple(tools))


def usage(a: Answer) -> Json:
    """`input_tokens` holds what was read from and written into the cache, too."""
    t = a.tokens
    return {
        "input_tokens": t.prompt,
        "input_tokens_details": {"cached_tokens": t.cache_read, "cache_write_tokens": t.cache_write},
        "output_tokens": t.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": t.prompt + t.output,
    }


def output(a: Answer) -> list[Json]:
    """The items that the answer adds to the conversation."""
    items: list[Json] = []
    if a.text:
        items.append({"id": f"msg_{a.id}", **_message("completed"), "content": [_part(a, a.text)]})
    for n, c in enumerate(a.calls):
        call = {
            "id": f"fc_{a.id}{n}",
            "type": "function_call",
            "status": "completed",
            "call_id": c.id,
            "name": c.tool.name,
            "arguments": c.args,
        }
        items.append({**call, "namespace": c.tool.namespace} if c.tool.namespace else call)
    return items


def _message(status: str) -> Json:
    return {"type": "message", "status": status, "role": "assistant", "content": []}


def _part(a: Answer, text: str) -> Json:
    if a.refused:
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def ident(a: Answer) -> str:
    """The response's own id."""
    return f"resp_{a.id}"


def whole(a: Answer, body: Json) -> Json:
    """The answer in one piece."""
    return _response(a, body, "completed", output(a), usage(a))


def _response(a: Answer, body: Json, status: str, items: list[Json], used: Json | None) -> Json:
    return {
        "id": ident(a),
        "object": "response",
        "created_at": a.created,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": body.get("metadata") or {},
        "model": a.model,
        "output": items,
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "previous_response_id": body.get("previous_response_id"),
        "store": body.get("store", True),
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": [],  # the real one repeats them in every event; no client needs that
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": used,
    }


def events(a: Answer, body: Json) -> Iterator[tuple[str, Json | str]]:
    """The answer as a stream of numbered events."""
    for n, (kind, fields) in enumerate(_stream(a, body)):
        yield kind, {"type": kind, "sequence_number": n, **fields}


def _stream(a: Answer, body: Json) -> Iterator[tuple[str, Json]]:
    begun = {"response": _response(a, body, "in_progress", [], None)}
    yield "response.created", begun
    yield "response.in_progress", begun
    for n, item in enumerate(output(a)):
        place = {"item_id": item["id"], "output_index": n}
        if item["type"] == "message":
            empty = {"id": item["id"], **_message("in_progress")}
            yield "response.output_item.added", {"output_index": n, "item": empty}
            yield from _spoken(a, {**place, "content_index": 0})
        else:
            empty = {**item, "status": "in_progress", "arguments": ""}
            yield "response.output_item.added", {"output_index": n, "item": empty}
            for piece in pieces(item["arguments"]):
                yield "response.function_call_arguments.delta", {**place, "delta": piece}
            done = {**place, "name": item["name"], "arguments": item["arguments"]}
            yield "response.function_call_arguments.done", done
        yield "response.output_item.done", {"output_index": n, "item": item}
    yield "response.completed", {"response": whole(a, body)}


def _spoken(a: Answer, place: Json) -> Iterator[tuple[str, Json]]:
    kind = "refusal" if a.refused else "output_text"
    logprobs: Json = {} if a.refused else {"logprobs": []}
    yield "response.content_part.added", {**place, "part": _part(a, "")}
    for piece in pieces(a.text):
        yield f"response.{kind}.delta", {**place, "delta": piece, **logprobs}
    text = {"refusal": a.text} if a.refused else {"text": a.text, **logprobs}
    yield f"response.{kind}.done", {**place, **text}
    yield "response.content_part.done", {**place, "part": _part(a, a.text)}


def error(status: int, kind: str, message: str) -> Json:
    """The body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}
