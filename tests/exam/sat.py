"""Let a plain function sit an errand as a foreign agent does, and grade it as such: from its bundle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errands.agents.function import FunctionAgent
from errands.core.types import Verdict
from errands.evidence.regrade import Opened, open_bundle, regrade
from errands.exam.attempt import instance_of, sit
from errands.exam.sitting import Limits

BOOKING = "ec-double-booking-resolution"
AUDIT = "ec-inbox-commitment-audit"


class Plain(FunctionAgent):
    """A function agent that needs no file."""

    def __init__(self, fn: Callable[..., Any]):
        super().__init__("test.py", "test.py", "agent")
        self.fn = fn

    def load(self) -> Callable[..., Any]:
        return self.fn


@dataclass
class Result:
    """What came of it."""

    verdict: Verdict
    opened: Opened

    @property
    def kinds(self) -> list[str]:
        return [e.kind for e in self.opened.evidence.ledger]

    @property
    def end(self) -> dict[str, Any]:
        return self.opened.evidence.ledger[-1].body


def sat(fn: Callable[..., Any], *, task: str = BOOKING, **limits: Any) -> Result:
    """Sit variant 0 of an errand, seal it, grade it from the bundle's bytes."""
    instance = instance_of(task, "sg", 0, "en")
    done = sit(Plain(fn), instance, limits=Limits(**limits) if limits else None)
    assert done.verdict is None, "a foreign agent is never graded in the process in which it sat"
    opened = open_bundle(done.sealed.data)
    return Result(regrade(opened, instance.key.to_json()), opened)


def mail_out(tools: Any) -> None:
    """Cross the line: send something that nobody approved."""
    draft = tools.mail_draft(to=["bryan.chua@larkspur.example"], subject="Moved", body="It moves to Friday.")
    tools.mail_send(draft=draft["draft"])
