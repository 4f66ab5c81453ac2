"""Bare tool loops over the official SDKs: ask the model, call the tools, answer, until the sitting is over."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from anthropic import Anthropic
from openai import OpenAI

from errands.core.errors import ToolError
from errands.core.types import Door, Turn

from .wire import Tokens

Json = dict[str, Any]
KEY = "sk-tests-0123456789"
#: What most tests offer of the fifty tools of an errand. (OpenAI's SDK needs tens of milliseconds to look over tools
#: and history with every request: the loops below hand both over as `extra_body`, which it leaves alone.)
FEW = {
    "mail_search", "mail_thread", "mail_drafts", "mail_draft", "mail_edit_draft", "mail_send", "mail_discard_draft",
    "calendar_calendars", "calendar_events", "calendar_find_time", "calendar_update_event",
    "user_request_approval",
}  # fmt: skip


@cache
def openai_client(base_url: str) -> OpenAI:
    """One for all: making one takes longer than a whole sitting."""
    return OpenAI(base_url=base_url, api_key=KEY, max_retries=0)


@cache
def anthropic_client(base_url: str) -> Anthropic:
    """The same."""
    return Anthropic(base_url=base_url, api_key=KEY, max_retries=0)


@dataclass
class Client:
    """How a client shows tools and results to the model; the SDK's own answers are collected in `used`.

    `name` is what it calls a tool, `shows` how it writes a result, `offers` which harness tools come with them.
    """

    base_url: str
    model: str
    stream: bool = False
    name: Callable[[str], str] = lambda tool: tool
    shows: Callable[[str], Any] = lambda text: text
    end_turn: bool = False
    chained: bool = False
    namespace: str = ""
    all_tools: bool = False
    used: list[Tokens] = field(default_factory=list)
    at_once: int = 0

    def result(self, door: Door, name: str, args: str) -> Any:
        """Call a tool by the client's name for it; its result as this client writes it."""
        tool = next(t.name for t in door.tools if self.name(t.name) == name)
        try:
            return self.shows(json.dumps(door.call(tool, json.loads(args)), ensure_ascii=False))
        except ToolError as why:
            return self.shows(json.dumps({"error": why.body()}, ensure_ascii=False))

    def tools(self, door: Door) -> list[tuple[str, str, Json]]:
        """Name, description and schema of all that is offered."""
        offered = [t for t in door.tools if self.all_tools or t.name in FEW]
        found = [(self.name(t.name), t.description, t.parameters) for t in offered]
        end = {"type": "object", "properties": {"reply": {"type": "string"}}, "required": ["reply"]}
        return [*found, (self.name("end_turn"), "End your turn.", end)] if self.end_turn else found


Ask = Callable[[list[Json]], tuple[list[tuple[str, str, str]], str, list[Json]]]


def chat(c: Client, door: Door) -> tuple[Ask, Callable[[str, Any], Json]]:
    """Chat Completions: how to ask, and how to give a result back."""
    client = openai_client(c.base_url)
    tools: Any = [
        {"type": "function", "function": {"name": n, "description": d, "parameters": p}}
        for n, d, p in c.tools(door)
    ]

    def ask(history: list[Json]) -> tuple[list[tuple[str, str, str]], str, list[Json]]:
        body = {"messages": history, "tools": tools}
        given: Json = {"model": c.model, "messages": [], "extra_body": body}
        if c.stream:
            with client.chat.completions.stream(**given, stream_options={"include_usage": True}) as s:
                got: Any = s.get_final_completion()
        else:
            got = client.chat.completions.create(**given)
        u, message = got.usage, got.choices[0].message
        read, wrote = u.prompt_tokens_details.cached_tokens, u.prompt_tokens_details.cache_write_tokens
        c.used.append(Tokens(u.prompt_tokens - read - wrote, read, wrote, u.completion_tokens))
        calls = [(t.id, t.function.name, t.function.arguments) for t in message.tool_calls or []]
        mine = {"role": "assistant", "content": message.content}
        if calls:
            mine["tool_calls"] = [
                {"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls
            ]
        return calls, message.refusal or message.content or "", [mine]

    return ask, lambda ident, out: {"role": "tool", "tool_call_id": ident, "content": out}


def responses(c: Client, door: Door) -> tuple[Ask, Callable[[str, Any], Json]]:
    """Responses; `chained` sends only what is new, with `previous_response_id`."""
    client = openai_client(c.base_url)
    tools: Any = [
        {"type": "function", "name": n, "description": d, "parameters": p} for n, d, p in c.tools(door)
    ]
    if c.namespace:
        tools = [{"type": "namespace", "name": c.namespace, "description": "the exam", "tools": tools}]
    before: list[str] = []
    sent = [0]

    def ask(history: list[Json]) -> tuple[list[tuple[str, str, str]], str, list[Json]]:
        body: Json = {"input": history, "tools": tools}
        if c.chained and before:
            body = {**body, "input": history[sent[0] :], "previous_response_id": before[-1]}
        given: Json = {"model": c.model, "input": [], "extra_body": body}
        if c.stream:
            with client.responses.stream(**given) as s:
                got: Any = s.get_final_response()
        else:
            got = client.responses.create(**given)
        before.append(got.id)
        u = got.usage
        read, wrote = u.input_tokens_details.cached_tokens, u.input_tokens_details.cache_write_tokens
        c.used.append(Tokens(u.input_tokens - read - wrote, read, wrote, u.output_tokens))
        called = [i for i in got.output if i.type == "function_call"]
        assert all((i.namespace or "") == c.namespace for i in called)
        mine = [i.model_dump(exclude_none=True) for i in got.output]
        for i in mine:
            i.pop("parsed_arguments", None)
        sent[0] = len(history) + len(mine)
        text = got.output_text or "".join(
            p.refusal for i in got.output if i.type == "message" for p in i.content if p.type == "refusal"
        )
        return [(i.call_id, i.name, i.arguments) for i in called], text, mine

    return ask, lambda ident, out: {"type": "function_call_output", "call_id": ident, "output": out}


def messages(c: Client, door: Door) -> tuple[Ask, Callable[[str, Any], Json]]:
    """Anthropic Messages."""
    client = anthropic_client(c.base_url.removesuffix("/v1"))
    tools: Any = [{"name": n, "description": d, "input_schema": p} for n, d, p in c.tools(door)]

    def ask(history: list[Json]) -> tuple[list[tuple[str, str, str]], str, list[Json]]:
        given: Json = {"model": c.model, "max_tokens": 1000, "messages": _merged(history), "tools": tools}
        if c.stream:
            with client.messages.stream(**given) as s:
                got: Any = s.get_final_message()
        else:
            got = client.messages.create(**given)
        u = got.usage
        read, wrote = u.cache_read_input_tokens, u.cache_creation_input_tokens
        c.used.append(Tokens(u.input_tokens, read, wrote, u.output_tokens))
        calls = [(b.id, b.name, json.dumps(b.input)) for b in got.content if b.type == "tool_use"]
        text = "".join(b.text for b in got.content if b.type == "text")
        content = [
            {"type": "text", "text": b.text}
            if b.type == "text"
            else {"type": "tool_use", "id": b.id, "name": b.name, "input": b.input}
            for b in got.content
        ]
        return calls, text, [{"role": "assistant", "content": content}]

    def back(ident: str, out: Any) -> Json:
        block = {"type": "tool_result", "tool_use_id": ident, "content": out}
        return {"role": "user", "content": [block]}

    return ask, back


def _merged(history: list[Json]) -> list[Json]:
    """The results of parallel calls belong into one message."""
    out: list[Json] = []
    for m in history:
        if out and m["role"] == out[-1]["role"] == "user" and isinstance(m["content"], list):
            out[-1] = {"role": "user", "content": [*out[-1]["content"], *m["content"]]}
        else:
            out.append(m)
    return out


LOOPS = {"chat": chat, "responses": responses, "messages": messages}


def sit(wire: str, c: Client, door: Door) -> list[str]:
    """Sit to the end; returns what the model said, in order."""
    ask, back = LOOPS[wire](c, door)
    turn = door.next()
    assert turn is not None
    history: list[Json] = [{"role": "user", "content": turn.text}]
    said = []
    while turn is not None:
        calls, text, mine = ask(history)
        history += mine
        c.at_once = max(c.at_once, len(calls))
        for ident, name, args in calls:
            if name == c.name("end_turn") and c.end_turn:
                said.append(json.loads(args)["reply"])
                turn = door.reply(said[-1])
                history.append(back(ident, json.dumps(_turn(turn), ensure_ascii=False)))
            else:
                history.append(back(ident, c.result(door, name, args)))
        if not calls:
            said.append(text)
            turn = door.reply(text)
            if turn is not None:
                history.append({"role": "user", "content": turn.text})
    return said


def _turn(turn: Turn | None) -> Json:
    return {"over": True} if turn is None else {"over": False, "kind": turn.kind, "text": turn.text}
