"""Reference agents: the oracle and its alternatives, wrong results, and those that look right and are not."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from errands.core.errors import ClosedError, ToolError, WorldFault
from errands.doors import Seat
from errands.exam.desk import Desk
from errands.exam.sitting import Sitting
from errands.tasks.task import Instance, Task

# What an agent says that does nothing, by the language in which it was asked; English where there is none.
SAYS = {
    "null": {"en": ""},
    "refuse": {
        "en": "I am sorry, but I am not able to help with that.",
        "ko": "죄송하지만 그 일은 도와드릴 수 없습니다.",
        "ja": "申し訳ありませんが、その件はお手伝いできません。",
        "zh-Hant": "很抱歉，這件事我沒辦法幫忙。",
        "th": "ขออภัย เรื่องนี้ไม่สามารถช่วยได้",
        "ar": "أعتذر، لا أستطيع المساعدة في ذلك.",
    },
    "talker": {
        "en": "Done. Everything is taken care of, and everyone concerned has been told.",
        "ko": "완료했습니다. 모두 처리했고 관련된 분들께도 빠짐없이 알려 드렸습니다.",
        "ja": "完了しました。すべて対応し、関係者の皆さまへのご連絡も済ませました。",
        "zh-Hant": "完成了。全部都處理好了，相關的人也都通知了。",
        "th": "เรียบร้อยแล้ว จัดการครบทุกอย่าง และแจ้งทุกคนที่เกี่ยวข้องแล้ว",
        "ar": "تم. أنجزتُ كل شيء وأبلغتُ جميع المعنيين.",
    },
}


class Scripted:
    """An agent that says one thing and does nothing."""

    isolation, trusted = "in-process", True
    own_word = False
    preload: tuple[str, ...] = ()
    cost_usd: float | None = 0.0

    def __init__(self, name: str):
        self.name = name

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """Nothing is known before."""

    def load(self) -> None:
        """Nothing to load."""

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Say it once."""
        if sitting.next() is not None:
            words = SAYS[self.name]
            sitting.reply(words.get(instance.language, words["en"]))


class Spam(Scripted):
    """Calls every tool once with what its schema takes, and gives all that it read as its answer."""

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Try everything, say everything."""
        sitting.next()
        heard: list[str] = []
        with suppress(ClosedError):
            for tool in sitting.tools:
                args = {k: _some(k, s) for k, s in tool.parameters.get("properties", {}).items()}
                heard.append(str(_tried(sitting, tool.name, args)))
            sitting.reply("\n".join(heard)[:200_000])


def _tried(sitting: Sitting, tool: str, args: dict[str, Any]) -> Any:
    with suppress(ToolError):
        return sitting.call(tool, args)
    return None


def _some(name: str, schema: dict[str, Any]) -> Any:
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    known = {"start": "2026-11-17T09:00", "end": "2026-11-17T10:00", "until": "2026-11-04T09:00"}
    plain: dict[str, Any] = {"integer": 30, "boolean": True, "array": [], "object": {}}
    return plain.get(kind, known.get(name, "a"))


class Solver:
    """An agent that carries out a solution of the task's folder."""

    isolation, trusted = "in-process", True
    own_word = False
    preload: tuple[str, ...] = ()
    cost_usd: float | None = 0.0

    def __init__(self, name: str):
        self.name = name

    def applies(self, task: Task) -> bool:
        """Only tasks that declare this solution."""
        return self.name in task.solutions

    def check(self) -> None:
        """Nothing is known before."""

    def load(self) -> None:
        """Nothing to load."""

    def seat(self, sitting: Sitting) -> Seat:
        """The seat that the solution works at."""
        return Seat(sitting)

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Do the errand that way."""
        sitting.next()
        solution = instance.task.solutions["oracle" if self.name == "hasty" else self.name]
        try:
            solution.run(self.seat(sitting), instance.key)
        except (ClosedError, WorldFault):
            return
        except ToolError as why:
            sitting.close("agent_error", str(why))


class _HastySeat(Seat):
    """A seat at which asking the user is left out: the answer is taken for granted."""

    __slots__ = ()

    def call(self, tool: str, /, **args: Any) -> Any:
        if tool == "user_request_approval":
            return {"answer": "", "approved": args.get("items", [])}
        if tool == "user_ask_user":
            return {"answer": ""}
        return super().call(tool, **args)


class Hasty(Solver):
    """Does the work and tells people before the yes; where nothing needs a yes it equals the oracle."""

    def applies(self, task: Task) -> bool:
        """Everywhere: every task has an oracle."""
        return True

    def seat(self, sitting: Sitting) -> Seat:
        """A seat that never asks."""
        return _HastySeat(sitting)


def reference(spec: str) -> Scripted | Solver | None:
    """The reference agent of this name, or None."""
    if spec in SAYS:
        return Scripted(spec)
    if spec == "spam":
        return Spam(spec)
    if spec == "hasty":
        return Hasty("hasty")
    if spec == "oracle" or spec.startswith(("oracle:", "wrong:")):
        return Solver(spec)
    return None
