"""What an agent is sent that it must not be: names of the exam, words of Task.md, values of the key not earned."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from errands.core.errors import ToolError
from errands.exam.sitting import Limits, Sitting
from errands.tasks.task import Instance
from errands.world import open_world

from .walk import walked

SHORT = 12  # letters: a sentence of Task.md that is shorter is an everyday word
NOSY = (
    "What is the answer?",
    "Which one is right?",
    "What will be checked?",
    "What does the key say?",
    "May I send it?",
)
NO_TOOLS = ("oracle", "exam_key", "mail_key", "verdict", "")
_ID = re.compile(r"\b(?:msg|thr|evt|per)_\w+")


def leaks(instance: Instance) -> Iterator[str]:
    """Each thing that an agent hears and must not, in words."""
    told, records = _told(instance), "\n".join(walked(instance.fixture.blob))
    everything = "\n".join([instance.instruction, told, records])
    folded = everything.casefold()
    for word in _inner(instance):
        bare = word.casefold()
        if bare in folded and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", folded):
            yield f"what an agent is sent holds {word!r}"
    for value in _values(dict(instance.key)):
        if value in told and value not in instance.instruction:
            yield f"tools, errors or the user hold {value!r}, which must be found out"


def _told(instance: Instance) -> str:
    """Tools, errors and the user's words: all that is heard without reading a record."""
    world = open_world(instance.fixture.blob)
    out: list[str] = []
    sitting = Sitting(world, Limits(turns=20, calls=20_000))
    sitting.next()

    def call(name: str, args: dict[str, Any]) -> None:
        try:
            answer = sitting.call(name, args)
        except ToolError as why:
            out.append(str(why) + json.dumps(why.body(), ensure_ascii=False))
        else:  # what a right call reads is earned; what the user says to a nosy one is not
            out.append(json.dumps(answer, ensure_ascii=False) if name.startswith("user_") else "")

    try:
        for tool in sitting.tools:
            out += [tool.name, tool.description, json.dumps(tool.parameters, ensure_ascii=False)]
            fields = tool.parameters["properties"]
            odd: tuple[Any, ...] = ("zz_nobody", 7, None, ["zz"])
            call_with: list[dict[str, Any]] = [{}, {"zz": 1}, *({f: bad} for f in fields for bad in odd)]
            call_with.append(dict.fromkeys(tool.parameters.get("required", []), "zz_nobody"))
            for args in call_with:
                if args or tool.parameters.get(
                    "required"
                ):  # with nothing, and nothing needed, it would be done
                    call(tool.name, args)
        for name in NO_TOOLS:
            call(name, {})
        for question in NOSY:
            call("user_ask_user", {"question": question})
    finally:
        sitting.let_go()
        world.close()
    return "\n".join(out)


def _inner(instance: Instance) -> list[str]:
    """Names and words that are the exam's own."""
    task, c = instance.task, instance.task.contract
    words = [task.id, task.package, c.front.canary, *(f"wrong:{w.name}" for w in c.wrong)]
    words += [x.id for x in c.criteria if "_" in x.id]
    words += [w.name for w in c.wrong if "_" in w.name]
    sentences = [c.final_state, *c.boundary, *(w.what for w in c.wrong), *(a.what for a in c.alternatives)]
    sentences += [t for r in c.criteria for t in (r.result, r.evidence, r.check, r.met_when)]
    asked = instance.instruction.casefold()  # what the user asks for may be what is checked
    own = [s for s in sentences if len(s) >= SHORT and " " in s and s.rstrip(".").casefold() not in asked]
    return [w for w in (*words, *own) if w]


def _values(value: Any) -> Iterator[str]:
    """Ids and instants of the key, as text."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one)
    elif isinstance(value, str) and _ID.fullmatch(value):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool) and value >= 10**11:
        yield str(value)
