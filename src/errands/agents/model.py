"""A language model as an agent: a plain loop of model and tools, in which nothing is hidden and every call counted.

What the model gets is `INSTRUCTIONS`, the tools as the task grants them, and what was said to it. Calls in one answer
are carried out in their order; an answer without calls is the reply to the user and ends the turn. The conversation
is kept over the turns of an attempt, and begins anew where a turn is fresh. Nothing is summed up or left out of it.

Settings by environment (endpoint and key: `endpoints.py`, prices: `prices.py`, tries: `retry.py`):

| variable | default | what it is |
|---|---|---|
| `ERRANDS_MODEL_MAX_OUTPUT` | 4096 | tokens that one answer may have, thinking included |
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from contextlib import suppress
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from errands.core.clock import from_ms
from errands.core.errors import ClosedError, ErrandsError, ToolError, UsageError
from errands.core.types import ToolSpec, Turn
from errands.core.usage import Usage
from errands.exam.desk import Desk, ExamFault, NoAccess
from errands.exam.sitting import Sitting
from errands.exam.spend import HOLD_S, Spend, SpentOut
from errands.exam.terms import PLAIN, Terms
from errands.tasks.task import Instance, Task

from .endpoints import Endpoint, clean, endpoint_of
from .prices import FILE, Prices, price_of
from .retry import CALL_S, Trouble, trouble_of

if TYPE_CHECKING:
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequestPart,
        ModelResponse,
        ToolCallPart,
        ToolReturnPart,
    )
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

INSTRUCTIONS = """\
You act for one person, your user, with the tools that you are given.
Use them until the errand is done, or until you need to hear from your user. Then answer in text, without a tool call: \
that ends your turn, and your user reads it.
Today is {weekday}, {date}; your user's time zone is {zone}."""
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_OUTPUT = "ERRANDS_MODEL_MAX_OUTPUT"
PART_TOKENS = 16  # what a message or tool result costs beside its own bytes, at the most
BYTES_A_TOKEN = 2  # at the least; so the worst case is never too low


class ModelAgent:
    """`model:<provider>/<name>`: asked over the network, so it sees nothing of the exam but its tools."""

    isolation, trusted = "endpoint", False
    own_word = False
    preload: tuple[str, ...] = ("errands.agents.warm_models",)
    cost_usd: float | None = None

    def __init__(self, name: str, rest: str = "", terms: Terms = PLAIN):
        self.name, self.rest, self.terms = name, rest or name.partition(":")[2], terms
        self._endpoint: Endpoint | None = None

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """Library, provider, key and price."""
        self.load()

    def load(self) -> Endpoint:
        """Check library, provider, key and price; raises `UsageError` that says which is missing."""
        if self._endpoint is None:
            found = endpoint_of(self.name, self.rest)
            found.check()
            if self.terms.max_cost is not None and price_of(found.provider, found.model) is None:
                raise UsageError(
                    f"--max-cost is refused: nobody knows the price of {found.model}",
                    where=self.name,
                    do=f"use --max-tokens, or name its price in a file ({FILE})",
                )
            max_output()
            self._endpoint = found
        return self._endpoint

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Run the loop in an event loop of this thread; `desk.stop` ends it wherever it waits."""
        attempt = _Attempt(self.name, self.load(), sitting, desk)
        loop = asyncio.new_event_loop()
        try:
            task = loop.create_task(attempt.run())
            desk.at_end(lambda: _cancel(loop, task))
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)
        except ErrandsError:
            raise
        except Exception as why:  # neither the model's doing nor the endpoint's
            raise ExamFault(clean(f"{type(why).__name__}: {why}")[:300], where="the model loop") from why
        finally:
            _end(loop)


def max_output() -> int:
    """Tokens that one answer may have."""
    given = os.environ.get(MAX_OUTPUT, "").strip() or "4096"
    if not given.isascii() or not given.isdigit() or not 0 < int(given) < 10**7:
        raise UsageError(f"{given!r} is no number of tokens", where=MAX_OUTPUT, expected="a number, as 4096")
    return int(given)


def usage_of(response: ModelResponse) -> Usage:
    """The library counts cached tokens among the input; our classes are disjoint."""
    u = response.usage
    read, written = max(0, u.cache_read_tokens), max(0, u.cache_write_tokens)
    anew = max(0, u.input_tokens - read - written)
    return Usage(anew, read, written, max(0, u.output_tokens), requests=1)


class _Attempt:
    """One attempt's conversation, and what is known of its size."""

    def __init__(self, name: str, endpoint: Endpoint, sitting: Sitting, desk: Desk):
        self.name, self.endpoint, self.sitting, self.desk = name, endpoint, sitting, desk
        self.prices: Prices | None = price_of(endpoint.provider, endpoint.model)
        self.max_output = max_output()
        self.history: list[ModelMessage] = []
        self.answers = 0
        self.known = self.added = 0  # tokens of the last call, and at the worst of what came since
        self.ends = time.monotonic() + sitting.limits.timeout_s
        self.model: Model
        self.granted: ModelRequestParameters

    async def run(self) -> None:
        """Turn by turn until the sitting is over."""
        self._note()
        async with self.endpoint.open() as self.model:
            turn = self.sitting.next()
            while turn is not None:
                turn = self.sitting.reply(await self._answer(turn))

    # ---- a turn ------------------------------------------------------------------------------------------------------

    async def _answer(self, turn: Turn) -> str:
        """What the model says to this turn, once it has made all its calls."""
        from pydantic_ai.messages import UserPromptPart

        if turn.fresh or not self.history:
            self._begin(turn.at)
        self._add([UserPromptPart(turn.text)], turn.text)
        while True:
            response = await self._ask()
            self.history.append(response)
            if not response.tool_calls:
                return _words(response)
            results = [self._call(call) for call in response.tool_calls]
            self._add(results, *(r.model_response_str() for r in results))

    def _begin(self, at: int) -> None:
        """A conversation that knows nothing yet."""
        from pydantic_ai.messages import InstructionPart
        from pydantic_ai.models import ModelRequestParameters

        zone = self.sitting.world.zone
        now = from_ms(at, zone)
        text = INSTRUCTIONS.format(weekday=DAYS[now.weekday()], date=f"{now:%Y-%m-%d}", zone=zone)
        tools = self.sitting.tools
        self.granted = ModelRequestParameters(
            function_tools=[_offered(t) for t in tools], instruction_parts=[InstructionPart(text)]
        )
        self.history, self.known, self.added = [], 0, 0
        self._count(text, *(json.dumps([t.name, t.description, t.parameters]) for t in tools))

    def _add(self, parts: list[Any], *texts: str) -> None:
        """A message of ours."""
        from pydantic_ai.messages import ModelRequest

        own: list[ModelRequestPart] = parts
        self.history.append(ModelRequest(parts=own))
        self._count(*texts)

    def _count(self, *texts: str) -> None:
        size = sum(len(t.encode("utf-8", "replace")) for t in texts)
        self.added += -(-size // BYTES_A_TOKEN) + PART_TOKENS * len(texts)

    def _call(self, call: ToolCallPart) -> ToolReturnPart:
        """Carry out a call; what the world says to it is its result, errors too."""
        from pydantic_ai.messages import ToolReturnPart

        try:
            result = self.sitting.call(call.tool_name, _args(call))
        except ToolError as why:
            result = {"error": why.body()}
        return ToolReturnPart(call.tool_name, self._told(result), call.tool_call_id)

    def _told(self, result: Any) -> Any:
        """A result as the model reads it: JSON text, but for the wire format that takes objects and quotes texts."""
        if self.endpoint.provider.startswith("google"):
            return result
        return json.dumps(result, ensure_ascii=False, separators=(",", ":"))

    # ---- a model call ------------------------------------------------------------------------------------------------

    async def _ask(self) -> ModelResponse:
        """One model call with its tries; raises `NoAccess`, or ends the sitting, where no try was answered."""
        failed: list[dict[str, Any]] = []
        began = time.perf_counter()
        try:
            while True:
                began = time.perf_counter()
                try:
                    response, usage, cost = await self._try()
                except Exception as why:
                    trouble = trouble_of(why, first=not self.answers)
                    if trouble is None:
                        raise
                    after = round(time.perf_counter() - began, 3)
                    failed.append({"kind": trouble.kind, "after_s": after, "error": trouble.text})
                    wait = trouble.wait(len(failed))
                    if wait is None or time.monotonic() + wait > self.ends:
                        raise self._given_up(trouble, failed, began) from None
                    await asyncio.sleep(wait)
                else:
                    self._answered(response, usage, cost, began, failed)
                    return response
        except asyncio.CancelledError:
            self._record(began, failed, cost=None, error="the attempt was over")
            raise

    async def _hold(self, spend: Spend, tokens: int, most: Decimal | None) -> str:
        """Put the worst case aside; where only what others have put aside stands in the way, wait for them."""
        until = min(time.monotonic() + HOLD_S, self.ends)
        while True:
            try:
                return spend.hold(self.desk.n, tokens, most)
            except SpentOut as why:
                if not why.waits or time.monotonic() > until:
                    raise
            await asyncio.sleep(0.1)

    async def _try(self) -> tuple[ModelResponse, Usage, Decimal | None]:
        """One request, whose worst case is put aside before and settled after it.

        What the endpoint may have worked on without telling its usage stays put aside: nobody knows better.
        """
        from pydantic_ai.direct import model_request

        spend, ticket = self.desk.spend, ""
        read = self.known + self.added
        if spend is not None:
            most = self.prices.most(read, self.max_output) if self.prices else None
            ticket = await self._hold(spend, read + self.max_output, most)
        try:
            async with asyncio.timeout(self._patience()):
                response = await model_request(
                    self.model,
                    self.history,
                    model_settings={"max_tokens": self.max_output, "cache": True},
                    model_request_parameters=self.granted,
                    instrument=False,
                )
        except Exception as why:
            trouble = trouble_of(why, first=not self.answers)
            if spend is not None and trouble is not None and not trouble.sent:
                spend.settle(ticket, Usage(), Decimal(0))
            raise
        usage = usage_of(response)
        told = not response.usage.unmeasured_requests
        cost = self.prices.cost(usage) if self.prices and told else None
        if spend is not None and told:
            spend.settle(ticket, usage, cost)
        return response, usage, cost

    def _patience(self) -> float:
        """Seconds to wait for an answer: a little more than is left, so that the attempt's own end comes first."""
        return min(CALL_S, max(0.0, self.ends - time.monotonic()) + 5)

    def _answered(
        self,
        response: ModelResponse,
        usage: Usage,
        cost: Decimal | None,
        began: float,
        failed: list[dict[str, Any]],
    ) -> None:
        """Record an answer, and end the attempt where its tokens are used up."""
        self.answers += 1
        self.known, self.added = usage.tokens, 0
        calls = [{"id": c.tool_call_id, "tool": c.tool_name, "args": _args(c)} for c in response.tool_calls]
        self._record(
            began,
            failed,
            usage=usage,
            cost=cost,
            text=_words(response),
            calls=calls,
            finish=response.finish_reason,
        )
        if 0 < self.desk.token_limit <= self.desk.usage.tokens:
            self.sitting.close("token_limit")
            raise ClosedError("the tokens of this attempt are used up")

    def _record(self, began: float, failed: list[dict[str, Any]], **what: Any) -> None:
        if failed:
            what["failed"] = failed
        self.desk.model_call(
            model=self.endpoint.model,
            seconds=time.perf_counter() - began,
            usage=what.pop("usage", Usage()),
            cost=what.pop("cost", Decimal(0) if self.prices else None),
            retries=len(failed),
            **what,
        )

    def _given_up(self, trouble: Trouble, failed: list[dict[str, Any]], began: float) -> Exception:
        """Record a call that is not tried again; what ends the attempt."""
        told = f"{trouble.kind}: {trouble.text}"
        self._record(began, failed[:-1], error=told)
        if trouble.own:
            self.sitting.close("agent_error", told)
            return ClosedError(told)
        return NoAccess(
            f"{told}, {len(failed)} tries" if len(failed) > 1 else told,
            where=f"{self.endpoint.host} ({self.name})",
            do=trouble.do,
            key=f"{trouble.kind} from {self.endpoint.host} for {self.name}",
        )

    def _note(self) -> None:
        """What the evidence says of the model and its endpoint."""
        facts = {
            "model": self.name,
            "host": self.endpoint.host,
            "library": f"pydantic-ai-slim {version('pydantic-ai-slim')}",
            "instructions": INSTRUCTIONS,
            "max_output": self.max_output,
            "prices": self.prices.to_dict() if self.prices else None,
        }
        self.desk.files["model.json"] = json.dumps(facts, ensure_ascii=False, indent=1).encode()


def _offered(tool: ToolSpec) -> ToolDefinition:
    """A tool as the task grants it. Not strict: whether the arguments fit is part of what is measured."""
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=tool.parameters, strict=False
    )


def _args(call: ToolCallPart) -> Any:
    """The arguments of a call; a text that is no JSON stays one, and the world says what it thinks of it."""
    if not isinstance(call.args, str):
        return call.args or {}
    try:
        return json.loads(call.args) if call.args else {}
    except (ValueError, RecursionError):
        return call.args


def _words(response: ModelResponse) -> str:
    """What it says, a refusal too; empty where it says nothing."""
    return response.text or str((response.provider_details or {}).get("refusal") or "")


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    """From another thread."""
    loop.call_soon_threadsafe(task.cancel)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Let go of what is still at work, without waiting for threads that look up names."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    with suppress(Exception):
        loop.run_until_complete(asyncio.wait(left, timeout=0.5)) if left else None
        loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
