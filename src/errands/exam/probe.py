"""One probing attempt that tells plumbing from skill: does the agent reply, call a tool, take a second turn, stop?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errands.core.types import Turn
from errands.core.usage import Usage
from errands.evidence.regrade import open_bundle
from errands.tasks.task import Instance

from .agent import Agent
from .attempt import limits_of, sit
from .sitting import Limits, Sitting
from .spend import Spend
from .terms import OWN, Kind

PROBE_S = 300.0
# What its user says after the first reply, whatever that was.
MORE = {
    "en": "Thank you. Nothing else for now: please only tell me in one sentence that we are finished.",
    "ko": "감사합니다. 지금은 더 하실 일 없습니다. 끝났다고 한 문장으로만 답해 주세요.",
    "ja": "ありがとうございます。今はもう結構です。終わったと一文だけ返してください。",
    "zh-Hant": "謝謝，目前沒有別的事了，請用一句話回覆我已經結束就好。",
    "th": "ขอบคุณค่ะ ตอนนี้ไม่มีอะไรเพิ่มแล้ว ช่วยตอบสั้นๆ ประโยคเดียวว่าเสร็จแล้วก็พอ",
    "ar": "شكرًا. لا شيء آخر الآن؛ يكفي أن تخبرني بجملة واحدة أننا انتهينا.",
}


class ProbeSitting(Sitting):
    """A sitting of two turns: whatever is said first, the user thanks and asks for one more sentence."""

    def _answered(self, text: str) -> Turn | None:
        self._turns += 1
        self.world.record("turn", "agent", "reply", {"n": self._turns, "text": text})
        if self._turns > 1:
            self.close("completed")
            return None
        language = self.world.meta["language"]
        return self._tell("user", "user", MORE.get(language, MORE["en"]))


@dataclass(frozen=True, slots=True)
class Probe:
    """What the probe saw. `checks`: what was looked at, whether it was so, and what was seen. Times in seconds.

    `trouble` is what kept the agent from its work (no access, a foreign tool, a broken sandbox).
    """

    checks: tuple[tuple[str, bool, str], ...]
    trouble: str
    first_s: float | None
    wall_s: float
    usage: Usage | None
    cost_usd: float | None

    @property
    def ok(self) -> bool:
        """Whether the plumbing holds."""
        return not self.trouble and all(good for _, good, _ in self.checks)


def probe(agent: Agent, instance: Instance, spend: Spend | None = None, browser: Kind = OWN) -> Probe:
    """Sit one instance with two turns; nothing is graded and nothing is kept. May raise `SpentOut`."""
    stated = limits_of(instance)
    limits = Limits(stated.turns, stated.calls, min(stated.timeout_s, PROBE_S), stated.tokens)
    sat = sit(agent, instance, limits=limits, graded=False, spend=spend, door=ProbeSitting, browser=browser)
    opened = open_bundle(sat.sealed.data)
    entries, host = opened.evidence.ledger, opened.host
    calls = [e for e in entries if e.kind == "call" and e.actor == "agent"]
    good = [e for e in calls if "error" not in e.body]
    said = [e.body["text"] for e in entries if e.kind == "turn" and e.actor == "agent"]
    end = entries[-1]
    why = end.body.get("detail", "")
    checks = (
        ("replies", any(said), _clip(next(filter(None, said), "")) or why or f"it ended: {end.name}"),
        ("calls a tool", bool(good), _calls(len(calls), len(good))),
        ("second turn", len(said) > 1, f"{len(said)} of 2 turns"),
        ("stops", not sat.stray and end.name == "completed", end.name.replace("_", " ")),
    )
    return Probe(
        checks,
        sat.trouble and (why or sat.trouble),
        float(host["first_s"]) if "first_s" in host else None,
        float(host["wall_s"] or 0),
        Usage.of(host["usage"]) if host.get("usage") else None,
        None if host["cost_usd"] is None else float(host["cost_usd"]),
    )


def _calls(n: int, good: int) -> str:
    return f"{n} calls" + (f", {n - good} refused" if good < n else "") if n else "no call"


def _clip(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else flat[:59] + "…"


def estimate(seen: Probe, attempts: int, jobs: int) -> dict[str, Any]:
    """What a selection may take, from one attempt: half to twice of it each. Seconds and US dollars (None: unknown)."""
    each = seen.wall_s * attempts / max(1, min(jobs, attempts))
    cost = None if seen.cost_usd is None else seen.cost_usd * attempts
    return {
        "attempts": attempts,
        "jobs": jobs,
        "seconds": [round(each / 2, 1), round(each * 2, 1)],
        "cost_usd": None if cost is None else [round(cost / 2, 4), round(cost * 2, 4)],
        "tokens": None if seen.usage is None else seen.usage.tokens * attempts,
    }
