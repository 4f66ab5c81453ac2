"""A Python function as an agent: called once per turn with the message and the tools; its string is the reply."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from errands.core.errors import ClosedError, UsageError, WorldFault
from errands.doors import Seat
from errands.exam.desk import Desk
from errands.exam.sitting import Sitting
from errands.tasks.task import Instance, Task


class FunctionAgent:
    """`agent(message: str, tools: Seat) -> str`, or a class whose instances are called so (one per attempt)."""

    isolation, trusted = "in-process", False
    cost_usd: float | None = None

    def __init__(self, name: str, target: str, attribute: str):
        self.name, self.target, self.attribute = name, target, attribute

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def load(self) -> Callable[..., Any]:
        """Import the agent; raises `UsageError` that says what could not be loaded and why."""
        where = f"{self.target}:{self.attribute}"
        try:
            if self.target.endswith(".py"):
                path = Path(self.target).resolve()
                spec = importlib.util.spec_from_file_location(path.stem, path)
                assert spec is not None and spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                sys.modules[path.stem] = module
                sys.path.insert(0, str(path.parent))
                spec.loader.exec_module(module)
            else:
                module = importlib.import_module(self.target)
        except Exception as why:
            raise UsageError(f"the agent cannot be loaded: {type(why).__name__}: {why}", where=where) from why
        found = getattr(module, self.attribute, None)
        if not callable(found):
            raise UsageError(
                f"there is no function {self.attribute!r} in it",
                where=where,
                expected="def agent(message: str, tools) -> str",
            )
        return found  # type: ignore[no-any-return]

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Call the function turn by turn. What it raises is its own end, and is graded."""
        try:
            found = self.load()
            agent: Any = found() if inspect.isclass(found) else found
            turn = sitting.next()
            seat = Seat(sitting)
            while turn is not None:
                said = agent(turn.text, seat)
                if inspect.isawaitable(said):
                    said = asyncio.run(_await(said))
                turn = sitting.reply(said)
        except (ClosedError, WorldFault):
            return
        except BaseException as why:  # SystemExit and its kind are the agent's doing too
            sitting.close("agent_error", _last_words(why))


def _last_words(why: BaseException) -> str:
    """The exception in a line; one that cannot be printed is no way to leave without a reason."""
    try:
        said = "".join(traceback.format_exception_only(why)).strip()
    except BaseException:
        said = "an exception that cannot be printed"
    return said.encode("utf-8", "backslashreplace").decode()


async def _await(said: Any) -> Any:
    return await said
