"""OpenAI Chat Completions: requests read, answers and streams written, errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .wire import Answer, Called, Items, Returned, Said, Talk, offered, pieces, text_of

Json = dict[str, Any]


def read(body: Json) -> Talk:
    """The conversation of a request."""
    items: Items = []
    for m in body.get("messages", []):
        role = "system" if m["role"] == "developer" else m["role"]
        if role == "tool":
            items.append(Returned(m["tool_call_id"], text_of(m.get("content"), "\n")))
            continue
        if text := text_of(m.get("content")):
            items.append(Said(role, text))
        for c in m.get("tool_calls") or []:
            items.append(Called(c["id"], c["function"]["name"], c["function"]["arguments"]))
    tools = [t["function"] for t in body.get("tools") or [] if t.get("type") == "function"]
    return Talk(
        tuple(items), tuple(offered(t["name"], t.get("description"), t.get("parameters")) for t in tools)
    )


def usage(a: Answer) -> Json:
    """`prompt_tokens` holds what was read from and written into the cache, too."""
    t = a.tokens
    return {
        "prompt_tokens": t.prompt,
        "completion_tokens": t.output,
        "total_tokens": t.prompt + t.output,
        "prompt_tokens_details": {"cached_tokens": t.cache_read, "cache_write_tokens": t.cache_write},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _calls(a: Answer) -> list[Json]:
    return [
        {"id": c.id, "type": "function", "function": {"name": c.tool.name, "arguments": c.args}}
        for c in a.calls
    ]


def whole(a: Answer, body: Json) -> Json:
    """The answer in one piece."""
    message: Json = {
        "role": "assistant",
        "content": None if a.calls or a.refused else a.text,
        "refusal": None,
    }
    if a.refused:
        message["refusal"] = a.text
    if a.calls:
        message["tool_calls"] = _calls(a)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(a)}
    return {
        "id": f"chatcmpl-{a.id}",
        "object": "chat.completion",
        "created": a.created,
        "model": a.model,
        "choices": [choice],
        "usage": usage(a),
    }


def _finish(a: Answer) -> str:
    return "tool_calls" if a.calls else "stop"


def _deltas(a: Answer) -> Iterator[Json]:
    yield {"role": "assistant", "content": None if a.calls else ""}
    for text in pieces(a.text):
        yield {"refusal": text} if a.refused else {"content": text}
    for n, c in enumerate(_calls(a)):
        yield {
            "tool_calls": [{"index": n, **c, "function": {"name": c["function"]["name"], "arguments": ""}}]
        }
        for text in pieces(c["function"]["arguments"]):
            yield {"tool_calls": [{"index": n, "function": {"arguments": text}}]}


def events(a: Answer, body: Json) -> Iterator[tuple[str, Json | str]]:
    """The answer as a stream; usage only where the client asked for it."""
    asked = bool((body.get("stream_options") or {}).get("include_usage"))

    def chunk(choices: list[Json], used: Json | None = None) -> tuple[str, Json]:
        out = {
            "id": f"chatcmpl-{a.id}",
            "object": "chat.completion.chunk",
            "created": a.created,
            "model": a.model,
            "choices": choices,
        }
        return "", {**out, "usage": used} if asked else out

    for delta in _deltas(a):
        yield chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}])
    yield chunk([{"index": 0, "delta": {}, "logprobs": None, "finish_reason": _finish(a)}])
    if asked:
        yield chunk([], usage(a))
    yield "", "[DONE]"


def error(status: int, kind: str, message: str) -> Json:
    """The body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}
