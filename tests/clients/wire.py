"""What the wire formats have in common: an answer that is to be written, how tokens are counted, texts in parts."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .play import Called, Item, Move, Offered, Returned, Said, Talk

PIECE = 48  # characters of a streamed delta


@dataclass(frozen=True)
class Tokens:
    """Tokens by class; each token counts in one of them."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All that was sent."""
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True)
class Call:
    """A tool call in an answer, with the client's own name for the tool."""

    id: str
    tool: Offered
    args: str


@dataclass(frozen=True)
class Answer:
    """What the model answers. `bad_args`: the calls' arguments are cut short, so that they are no JSON."""

    model: str
    text: str
    calls: tuple[Call, ...]
    refused: bool
    tokens: Tokens
    id: str
    created: int


def answer(model: str, move: Move, tokens: Tokens, bad_args: bool = False) -> Answer:
    """A move as an answer with fresh ids."""
    calls = []
    for tool, args in move.calls:
        text = json.dumps(args, ensure_ascii=False)
        calls.append(
            Call(f"call_{uuid.uuid4().hex[:20]}", tool, text[: len(text) // 2] if bad_args else text)
        )
    return Answer(model, move.text, tuple(calls), move.refused, tokens, uuid.uuid4().hex, int(time.time()))


def counted(talk: Talk, move: Move) -> Tokens:
    """Tokens of a request and its answer: a quarter of the bytes, so that every run counts the same.

    The first request of a conversation writes system text and tools into the cache; a later one reads all that the
    request before it had sent.
    """
    fixed = _size("".join(t.namespace + t.name + t.schema for t in talk.tools))
    fixed += sum(_size(i.text) for i in talk.items if isinstance(i, Said) and i.role == "system")
    items = [i for i in talk.items if not (isinstance(i, Said) and i.role == "system")]
    sizes = [_size(_text(i)) for i in items]
    output = _size(move.text + "".join(t.name + json.dumps(a, ensure_ascii=False) for t, a in move.calls))
    mine = [n for n, i in enumerate(items) if _assistant(i)]
    if not mine:
        return Tokens(input=sum(sizes), cache_write=fixed, output=output)
    last = mine[-1]
    while last and _assistant(items[last - 1]):
        last -= 1
    return Tokens(input=sum(sizes[last:]), cache_read=fixed + sum(sizes[:last]), output=output)


def _assistant(item: Item) -> bool:
    return isinstance(item, Called) or (isinstance(item, Said) and item.role == "assistant")


def _text(item: Item) -> str:
    return item.name + item.args if isinstance(item, Called) else item.text


def _size(text: str) -> int:
    return (len(text.encode()) + 3) // 4


def text_of(content: Any, between: str = "") -> str:
    """The text of a message, which is a string or a list of parts; parts that are no text are left out."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return between.join(str(p.get("text") or "") if isinstance(p, dict) else str(p) for p in parts)


def offered(name: str, description: Any, schema: Any, namespace: str = "") -> Offered:
    """A tool with all that counts as its text."""
    return Offered(name, namespace, f"{description or ''}{json.dumps(schema, ensure_ascii=False)}")


def pieces(text: str) -> Iterator[str]:
    """A text as streamed deltas."""
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]


Items = list[Item]
__all__ = [
    "Answer", "Call", "Called", "Items", "Returned", "Said", "Talk", "Tokens",
    "answer", "counted", "offered", "pieces", "text_of",
]  # fmt: skip
