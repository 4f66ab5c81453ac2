"""Faults on demand: what a model endpoint may do wrong, asked for by the model's name or by a header.

`scripted-<name>--<fault>` or the header `x-fault: <fault>`. A fault that ends in `.N` begins with the N-th model call
of a conversation (so `cut.3` lets two calls pass).

| fault | what happens |
|---|---|
| `401` | the key is refused |
| `404` | there is no such model |
| `429` | the first two such requests of a server get 429 with `retry-after-ms`, later ones are answered |
| `limited` | always 429 |
| `500` | always 500 |
| `529` | always 529 (overloaded) |
| `cut` | the connection ends in the middle of the answer or stream |
| `hang<S>` | nothing for S seconds, then the answer |
| `garbled` | status 200 and a body (or stream event) that is no JSON |
| `badargs` | tool calls whose arguments are no JSON |
| `refusal` | the model declines, in the way of its wire format |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FAULT = re.compile(
    r"(?P<kind>401|404|429|limited|500|529|cut|hang(?P<seconds>\d+)|garbled|badargs|refusal)(?:\.(?P<at>\d+))?"
)
_STATUS = {
    "401": (401, "authentication_error", "Incorrect API key provided."),
    "404": (404, "not_found_error", "The model does not exist or you do not have access to it."),
    "429": (429, "rate_limit_error", "Too many requests."),
    "limited": (429, "rate_limit_error", "Too many requests."),
    "500": (500, "api_error", "The server had an error while processing your request."),
    "529": (529, "overloaded_error", "Overloaded."),
}
REFUSAL = "I can't help with that."
TWICE = 2


@dataclass(frozen=True)
class Fault:
    """What goes wrong (empty: nothing), from which model call of a conversation on."""

    kind: str = ""
    at: int = 1
    seconds: int = 0

    @property
    def status(self) -> tuple[int, str, str] | None:
        """HTTP status, type and message where the fault is an error answer."""
        return _STATUS.get(self.kind)


def read_fault(text: str) -> Fault:
    """The fault of this name; `ValueError` for any other."""
    if not text:
        return Fault()
    found = _FAULT.fullmatch(text)
    if found is None:
        raise ValueError(f"there is no fault {text!r}")
    kind = "hang" if found["seconds"] else found["kind"]
    return Fault(kind, int(found["at"] or 1), int(found["seconds"] or 0))


def split_model(model: str) -> tuple[str, str]:
    """The script's name and the fault's in a model's name; a provider in front is left out. ("", "") for others."""
    name = model.rpartition("/")[2]
    if not name.startswith("scripted-"):
        return "", ""
    script, _, fault = name.removeprefix("scripted-").partition("--")
    return script, fault
