"""A sitting as an MCP server: its tools, the turn's end as a tool, the instruction as a prompt."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from anyio import to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptMessage,
    TextContent,
    Tool,
)

from errands import __version__
from errands.core.clock import from_ms
from errands.core.errors import ClosedError, ToolError, UsageError, WorldFault
from errands.core.types import Door, ToolSpec, Turn

PROMPT = "errand"
END_TURN = ToolSpec(
    "end_turn",
    "Say something to the user and end your turn: the last thing you do in it. Returns the next turn as soon as"
    " there is one: the user's answer, or a notice of something that has happened. `over` is true when the errand"
    " is over and there is nothing more to do.",
    {
        "type": "object",
        "properties": {"reply": {"type": "string", "description": "Your words to the user; may be empty."}},
        "required": ["reply"],
        "additionalProperties": False,
    },
)
HOW = (
    "(Work with the tools of this server. When you are done, say so with its tool `end_turn`: it returns the"
    " next turn.)"
)
OVER = "The errand is over; there is nothing more to do."
BROKEN = "The exam broke here; this is not your doing, and there is nothing more to do."

Event = Literal["contact", "over", "fault"]
Find = Callable[[ServerRequestContext[Any, Any]], "Endpoint"]


class Endpoint:
    """One attempt as its agent reaches it by MCP.

    A `pulled` one gives its turns itself: the first is taken from the door now and offered as prompt, as the
    server's instructions and as `instruction`; later ones are what `end_turn` returns. Otherwise turns are another
    driver's business, and only the tools are here. `watch` hears, in the thread that serves, of the first contact,
    of the end, and of a fault of ours (kept in `fault`); it must not block.
    """

    def __init__(
        self,
        door: Door,
        secret: str = "",
        *,
        pulled: bool = True,
        watch: Callable[[Endpoint, Event], None] | None = None,
    ):
        self.secret, self.pulled = secret, pulled
        self.specs = [*door.tools, *([END_TURN] if pulled else [])]
        self.apart = frozenset(t.name for t in self.specs if t.apart)
        if getattr(door, "pictures", ()):  # reading them at the end takes seconds
            self.apart |= {END_TURN.name}
        if len({t.name for t in self.specs}) < len(self.specs):
            raise UsageError(
                "a tool of this world has the name of another", expected=f"none called {END_TURN.name}"
            )
        first = door.next() if pulled else None
        self.instruction = first.text if first else ""
        self.first: float | None = None  # perf_counter at the first contact
        self.over = False
        self.fault: Exception | None = None
        self._door, self._watch, self._lock = door, watch, threading.Lock()

    def contact(self) -> None:
        """Somebody who may has come."""
        with self._lock:
            if self.first is not None or self.over:
                return
            self.first = time.perf_counter()
        self._say("contact")

    def leave(self) -> None:
        """Let go of the sitting, which is over; the tools are still listed."""
        with self._lock:
            self.over = True
        self._door = _Left()

    def abandon(self) -> bool:
        """Wait no more for the first contact; False where it was made."""
        with self._lock:
            self.over = self.over or self.first is None
            return self.first is None

    def call(self, tool: str, args: dict[str, Any] | None) -> tuple[Any, bool]:
        """Call a tool: its JSON result, and whether it is an error. Nothing is raised."""
        try:
            if self.pulled and tool == END_TURN.name:
                return self._end_turn(args or {}), False
            return self._door.call(tool, args or {}), False
        except ToolError as why:
            return why.body(), True
        except ClosedError:
            self._ended("over")
            return {"code": "closed", "message": OVER, "over": True}, True
        except Exception as why:  # a bug of ours: what it says is not for the agent
            self.fault = self.fault or why
            self._ended("over" if isinstance(why, WorldFault) else "fault")
            return {"code": "fault", "message": BROKEN, "over": True}, True

    def _end_turn(self, args: dict[str, Any]) -> dict[str, Any]:
        other = next((a for a in args if a != "reply"), None)
        if other is not None:
            raise ToolError("invalid", "there is no such argument", field=str(other), expected="reply")
        if type(args.get("reply")) is not str:
            raise ToolError("invalid", "a reply is a text", field="reply", expected="your words to the user")
        turn = self._door.reply(args["reply"])
        if turn is None:
            self._ended("over")
        return turn_json(turn)

    def _ended(self, how: Event) -> None:
        with self._lock:
            if self.over:
                return
            self.over = True
        self._say(how)

    def _say(self, what: Event) -> None:
        if self._watch is not None:
            self._watch(self, what)


class _Left:
    """What stands in the place of a sitting that is over."""

    @property
    def tools(self) -> list[ToolSpec]:
        return []

    def next(self) -> None:
        return None

    def call(self, tool: str, args: Any = None) -> Any:
        raise ClosedError(OVER)

    def reply(self, text: Any) -> Turn | None:
        raise ClosedError(OVER)


def turn_json(turn: Turn | None) -> dict[str, Any]:
    """A turn as `end_turn` returns it; None is the end. `at` is the world's time, on the user's clock."""
    if turn is None:
        return {"turn": None, "kind": "end", "text": OVER, "at": None, "fresh": False, "over": True}
    at = from_ms(turn.at, turn.zone).isoformat(timespec="seconds")
    return {
        "turn": turn.n,
        "kind": turn.kind,
        "text": turn.text,
        "at": at,
        "fresh": turn.fresh,
        "over": False,
    }


def _content(value: Any) -> list[ContentBlock]:
    """A result as JSON text; a picture in it (`mime` and `data`, or `png_base64`) as one, for models that see."""
    if not isinstance(value, dict):
        return [TextContent(text=json.dumps(value, ensure_ascii=False))]
    key = "png_base64" if "png_base64" in value else "data"
    mime = "image/png" if key == "png_base64" else str(value.get("mime", ""))
    shows = key in value and mime.startswith("image/")
    rest = {k: v for k, v in value.items() if not (shows and k == key)}
    text = TextContent(text=json.dumps(rest, ensure_ascii=False))
    return [text, ImageContent(data=value[key], mime_type=mime)] if shows else [text]


def server_for(find: Find) -> Server[Any]:
    """An MCP server that serves, for each request, the endpoint that `find` names for it.

    Results are JSON text and no structured content: clients that show their model both would make it read everything
    twice. Pictures stand beside it as such.
    """

    async def list_tools(
        ctx: ServerRequestContext[Any, Any], _: PaginatedRequestParams | None
    ) -> ListToolsResult:
        tools = [
            Tool(name=t.name, description=t.description, input_schema=t.parameters) for t in find(ctx).specs
        ]
        return ListToolsResult(tools=tools)

    async def call_tool(ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        endpoint, args = find(ctx), params.arguments
        if params.name in endpoint.apart:
            result, failed = await to_thread.run_sync(endpoint.call, params.name, args)
        else:
            result, failed = endpoint.call(params.name, args)
        return CallToolResult(content=_content(result), is_error=failed)

    async def list_prompts(
        ctx: ServerRequestContext[Any, Any], _: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        mine = [Prompt(name=PROMPT, description="What the user asks for: the first turn.")]
        return ListPromptsResult(prompts=mine if find(ctx).instruction else [])

    async def get_prompt(
        ctx: ServerRequestContext[Any, Any], params: GetPromptRequestParams
    ) -> GetPromptResult:
        text = find(ctx).instruction
        if params.name != PROMPT or not text:
            raise MCPError(code=INVALID_PARAMS, message=f"there is no prompt of that name; expected {PROMPT}")
        return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])

    async def introduce(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            text = find(ctx).instruction
            return {**result, "instructions": f"{text}\n\n{HOW}"} if text else result
        return result

    server: Server[Any] = Server(
        "errands",
        version=__version__,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        # No argument of ours is repeated in a header, so a call need not list all tools first to check that.
        get_tool_input_schema=lambda _: None,
    )
    server.middleware[:] = [introduce]
    return server
