"""Anthropic Messages: requests read, answers and streams written, errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .wire import Answer, Called, Items, Returned, Said, Talk, offered, pieces, text_of

Json = dict[str, Any]


def read(body: Json) -> Talk:
    """The conversation of a request."""
    items: Items = []
    if system := text_of(body.get("system")):
        items.append(Said("system", system))
    for m in body.get("messages", []):
        blocks = m["content"]
        if text := text_of(
            [b for b in blocks if b["type"] == "text"] if isinstance(blocks, list) else blocks
        ):
            items.append(Said(m["role"], text))
        for b in blocks if isinstance(blocks, list) else []:
            if b["type"] == "tool_use":
                items.append(Called(b["id"], b["name"], json.dumps(b["input"], ensure_ascii=False)))
            elif b["type"] == "tool_result":
                items.append(Returned(b["tool_use_id"], text_of(b.get("content"), "\n")))
    tools = [t for t in body.get("tools") or [] if "name" in t]
    return Talk(
        tuple(items), tuple(offered(t["name"], t.get("description"), t.get("input_schema")) for t in tools)
    )


def usage(a: Answer) -> Json:
    """The classes are disjoint here."""
    t = a.tokens
    return {
        "input_tokens": t.input,
        "cache_read_input_tokens": t.cache_read,
        "cache_creation_input_tokens": t.cache_write,
        "output_tokens": t.output,
    }


def _stop(a: Answer) -> str:
    return "tool_use" if a.calls else "refusal" if a.refused else "end_turn"


def _message(a: Answer, content: list[Json], stop: str | None, used: Json) -> Json:
    return {
        "id": f"msg_{a.id}",
        "type": "message",
        "role": "assistant",
        "model": a.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": used,
    }


def whole(a: Answer, body: Json) -> Json:
    """The answer in one piece. Arguments are an object here: ones that are no JSON go out as a text."""
    content: list[Json] = [{"type": "text", "text": a.text}] if a.text else []
    for c in a.calls:
        content.append({"type": "tool_use", "id": _id(c.id), "name": c.tool.name, "input": _input(c.args)})
    return _message(a, content, _stop(a), usage(a))


def _id(ident: str) -> str:
    return "toolu_" + ident.removeprefix("call_")


def _input(args: str) -> Any:
    try:
        return json.loads(args)
    except ValueError:
        return args


def events(a: Answer, body: Json) -> Iterator[tuple[str, Json | str]]:
    """The answer as a stream."""

    def event(kind: str, **fields: Any) -> tuple[str, Json]:
        return kind, {"type": kind, **fields}

    yield event("message_start", message=_message(a, [], None, {**usage(a), "output_tokens": 1}))
    yield event("ping")
    blocks: list[tuple[Json, str, str]] = []
    if a.text:
        blocks.append(({"type": "text", "text": ""}, "text", a.text))
    for c in a.calls:
        empty = {"type": "tool_use", "id": _id(c.id), "name": c.tool.name, "input": {}}
        blocks.append((empty, "partial_json", c.args))
    for n, (empty, field, text) in enumerate(blocks):
        yield event("content_block_start", index=n, content_block=empty)
        kind = "text_delta" if field == "text" else "input_json_delta"
        for piece in pieces(text):
            yield event("content_block_delta", index=n, delta={"type": kind, field: piece})
        yield event("content_block_stop", index=n)
    yield event("message_delta", delta={"stop_reason": _stop(a), "stop_sequence": None}, usage=usage(a))
    yield event("message_stop")


def error(status: int, kind: str, message: str) -> Json:
    """The body of an error."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}
