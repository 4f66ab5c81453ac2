"""A script, and what a model that follows it does next: read only from the conversation that a client sends.

A script is a list of steps: `{"call": tool, "args": …}` and `{"say": text}`. It holds no id. Where one belongs,
it says in which step's result it stands: `{{step 3: messages[subject="Rates"].id}}` (steps count from 1).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from .paths import Astray, follow, read_path, readings

GROUP = 3  # calls at once where a script allows parallel calls
OVER = "Done."
NO_TOOLS = "A short title"
END_TURN = "end_turn"
_REF = re.compile(r"\{\{step (\d+): ")


@dataclass(frozen=True)
class Script:
    """What a scripted model does in one instance.

    `parallel`: consecutive calls of one tool that need nothing of each other go out together. `end_turn`: what is
    said is said by calling the tool of this name (None: where it is offered). `expects`: how the run is graded.
    """

    name: str
    task: str
    market: str
    variant: int
    language: str
    instruction: str
    steps: tuple[dict[str, Any], ...]
    parallel: bool = False
    end_turn: bool | None = None
    expects: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The name without its instance: `strict`, `refused`, `crosses`."""
        return self.name.rpartition("-")[2]

    @property
    def tools(self) -> set[str]:
        """The tools that it calls."""
        return {s["call"] for s in self.steps if "call" in s}

    def to_json(self) -> str:
        """The script as a file."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Script:
        """What `to_json` wrote."""
        data = json.loads(text)
        return cls(**{**data, "steps": tuple(data["steps"])})


# ---- references ----------------------------------------------------------------------------------------------


def references(value: Any) -> set[int]:
    """The steps to whose results a value refers."""
    if isinstance(value, str):
        return {int(n) for n in _REF.findall(value)}
    if isinstance(value, dict):
        return {n for below in value.values() for n in references(below)}
    if isinstance(value, list | tuple):
        return {n for below in value for n in references(below)}
    return set()


def filled(value: Any, results: dict[int, str]) -> Any:
    """The value with what its references point to, by the results' texts; `Astray` says which leads nowhere."""
    if isinstance(value, dict):
        return {k: filled(v, results) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v, results) for v in value]
    if not isinstance(value, str):
        return value
    out, at = "", 0
    while (ref := _REF.search(value, at)) is not None:
        segments, end = read_path(value, ref.end())
        if value[end : end + 2] != "}}":
            raise ValueError(f"a reference is not closed: {value[ref.start() :]!r}")
        found = _looked_up(int(ref[1]), segments, results)
        if ref.start() == 0 and end + 2 == len(value):
            return found
        out, at = out + value[at : ref.start()] + str(found), end + 2
    return out + value[at:]


def _looked_up(step: int, segments: list[str | dict[str, Any]], results: dict[int, str]) -> Any:
    if step not in results:
        raise Astray(f"step {step} has no result in the conversation")
    why = "there is no JSON in it"
    for value in readings(results[step]):
        try:
            return follow(value, segments)
        except Astray as this:
            why = str(this)
    raise Astray(f"step {step}: {why}; its result begins {results[step][:200]!r}")


# ---- the conversation ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """A text of the `system`, the `user` or the `assistant`."""

    role: str
    text: str


@dataclass(frozen=True)
class Called:
    """A tool call that the model made; `args` as text."""

    id: str
    name: str
    args: str


@dataclass(frozen=True)
class Returned:
    """What a call brought back, as the client wrote it."""

    id: str
    text: str


Item = Said | Called | Returned


@dataclass(frozen=True)
class Offered:
    """A tool that the client offers; its name may be inside a namespace."""

    name: str
    namespace: str = ""
    schema: str = ""


@dataclass(frozen=True)
class Talk:
    """What one request tells: the conversation so far and the tools."""

    items: tuple[Item, ...]
    tools: tuple[Offered, ...]

    def asked(self) -> str:
        """All that the user said, with single spaces."""
        return " ".join(
            " ".join(i.text.split()) for i in self.items if isinstance(i, Said) and i.role == "user"
        )


@dataclass(frozen=True)
class Move:
    """What the model does: it calls tools, or it says something. `problem` is a script that cannot go on."""

    calls: tuple[tuple[Offered, dict[str, Any]], ...] = ()
    text: str = ""
    problem: str = ""
    refused: bool = False


def is_tool(offered: str, wanted: str) -> bool:
    """Whether a client's name for a tool means this one: it is it, or ends with it after a separator."""
    head = offered.removesuffix(wanted)
    return head != offered and (not head or not head[-1].isalnum())


def tool_named(tools: Iterable[Offered], wanted: str) -> Offered | None:
    """The offered tool that this is; the exam's before a stranger's, the plainest name first."""
    fits = [t for t in tools if is_tool(t.name, wanted)]
    return min(fits, key=lambda t: ("errands" not in t.namespace + t.name, len(t.name)), default=None)


def offers_exam(script: Script, talk: Talk) -> bool:
    """Whether the request offers a tool of the exam; else it is none of the agent's own work (a title, a probe)."""
    return not script.tools or any(tool_named(talk.tools, name) for name in script.tools)


def next_move(script: Script, talk: Talk) -> Move:
    """What the script does in this conversation."""
    if not offers_exam(script, talk):
        lost = bool(talk.tools) and " ".join(script.instruction.split()) in talk.asked()
        why = f"{script.name}: its instruction came with {len(talk.tools)} tools, and none is the exam's"
        return Move(text=NO_TOOLS, problem=why if lost else "")
    at, results = progress(script, talk)
    if at == len(script.steps):
        return Move(text=OVER)
    step = script.steps[at]
    try:
        if "say" in step:
            return _say(script, talk, filled(step["say"], results))
        return _call(script, talk, at, results)
    except Astray as why:
        return Move(text=f"I cannot go on at step {at + 1}: {why}", problem=f"{script.name}, {why}")


def progress(script: Script, talk: Talk) -> tuple[int, dict[int, str]]:
    """How many steps are done, and the results by step number."""
    at, results = 0, dict[int, str]()
    step_of: dict[str, int] = {}
    for item in talk.items:
        if isinstance(item, Returned):
            if item.id in step_of:
                results[step_of[item.id]] = item.text
            continue
        if at == len(script.steps):
            continue
        step = script.steps[at]
        if isinstance(item, Called):
            done = is_tool(item.name, step.get("call", END_TURN))
        else:
            done = item.role == "assistant" and "say" in step and bool(item.text.strip())
        if done:
            at += 1
            if isinstance(item, Called):
                step_of[item.id] = at
    return at, results


def _say(script: Script, talk: Talk, text: str) -> Move:
    tool = tool_named(talk.tools, END_TURN) if script.end_turn is not False else None
    if tool is not None:
        return Move(calls=((tool, {"reply": text}),))
    if script.end_turn:
        return Move(text=text, problem=f"{script.name}: no tool {END_TURN} is offered")
    return Move(text=text)


def _call(script: Script, talk: Talk, at: int, results: dict[int, str]) -> Move:
    calls = []
    for step in script.steps[at : at + group(script, at)]:
        tool = tool_named(talk.tools, step["call"])
        if tool is None:
            raise Astray(f"no tool {step['call']} is offered")
        calls.append((tool, filled(step["args"], results)))
    return Move(calls=tuple(calls))


def group(script: Script, at: int) -> int:
    """How many steps from `at` on go out together."""
    first = script.steps[at]
    size = 1
    while script.parallel and size < GROUP and at + size < len(script.steps):
        step = script.steps[at + size]
        if step.get("call") != first.get("call") or references(step) & set(range(at + 1, at + size + 1)):
            break
        size += 1
    return size


def replay(
    script: Script, call: Callable[[str, dict[str, Any]], Any], say: Callable[[str], Any]
) -> list[str]:
    """Play a script without any wire: the same moves, straight into `call` and `say`; returns the problems."""
    tools = tuple(Offered(name) for name in script.tools)
    items: list[Item] = [Said("user", script.instruction)]
    problems = []
    while True:
        move = next_move(script, Talk(tuple(items), tools))
        problems += [move.problem] if move.problem else []
        if not move.calls:
            if move.text == OVER or move.problem:
                return problems
            items.append(Said("assistant", move.text))
            say(move.text)
        for tool, args in move.calls:
            ident = f"call {len(items)}"
            items.append(Called(ident, tool.name, json.dumps(args, ensure_ascii=False)))
            items.append(Returned(ident, json.dumps(call(tool.name, args), ensure_ascii=False)))
