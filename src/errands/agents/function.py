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
from errands.exam.desk import Desk, NoAccess
from errands.exam.sitting import Sitting
from errands.exam.terms import PLAIN, Terms
from errands.tasks.task import Instance, Task


class FunctionAgent:
    """`agent(message: str, tools: Seat) -> str`, or a class whose instances are called so: a new one for each attempt
    and each fresh session. It may be async, may raise `errands.NoAccess` where its model cannot be reached, and
    names in a list `tools` what other tools it has.
    """

    isolation, trusted = "in-process", False
    own_word = True
    preload: tuple[str, ...] = ()
    cost_usd: float | None = None

    def __init__(self, name: str, target: str, attribute: str, terms: Terms = PLAIN):
        self.name, self.target, self.attribute, self.terms = name, target, attribute, terms
        terms.without_purse(name)

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """Nothing is known before."""

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
        self._only_ours(found, where)
        return found  # type: ignore[no-any-return]

    def _only_ours(self, found: object, where: str) -> None:
        """Refuse tools that it names as its own: they may touch real accounts."""
        foreign = self.terms.foreign(getattr(found, "tools", ()))
        if foreign:
            raise UsageError(
                f"tools that are not from the exam: {', '.join(foreign)}; they could touch real accounts",
                where=where,
                do=f"remove them, or allow each with --allow-foreign-tool {foreign[0]} (the card will say so)",
            )

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Call the function turn by turn. What it raises is its own end, and is graded."""
        try:
            found = self.load()
            agent: Any = found() if inspect.isclass(found) else found
            turn = sitting.next()
            seat = Seat(sitting)
            while turn is not None:
                if turn.fresh and inspect.isclass(found):
                    agent = found()
                said = agent(turn.text, seat)
                if inspect.isawaitable(said):
                    said = asyncio.run(_await(said))
                turn = sitting.reply(said)
        except (ClosedError, WorldFault):
            return
        except NoAccess:
            raise
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
