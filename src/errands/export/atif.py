"""An attempt as an ATIF trajectory (Agent Trajectory Interchange Format 1.4, RFC 0001 of the Harbor framework).

Steps are in the order of the ledger: what the user said, and what the agent did in one model call (or in one turn,
where no model call was seen) with the world's answers to it. Times are the world's.
"""

from __future__ import annotations

import json
from typing import Any

from errands.core import clock
from errands.core.usage import Usage
from errands.evidence.bundle import unpack
from errands.evidence.regrade import Opened
from errands.grading.evidence import Entry

SCHEMA = "ATIF-v1.4"


def trajectory(opened: Opened, session: str, data: bytes) -> dict[str, Any]:
    """The attempt of a bundle (`data` is its bytes) as one ATIF object; `session` names it."""
    zone, manifest = opened.evidence.meta["zone"], opened.manifest
    models = _models(data)
    steps: list[dict[str, Any]] = []
    for entry in opened.evidence.ledger:
        if entry.kind == "turn" and entry.actor != "agent":
            steps.append({"source": "user", "message": entry.body["text"], "at": entry.at})
        elif entry.kind == "turn":
            steps.append({"source": "agent", "message": entry.body["text"], "at": entry.at, "said": True})
        elif entry.kind == "call" and entry.actor == "agent":
            steps.append({"source": "agent", "message": "", "at": entry.at, "call": entry})
    joined = _joined(steps, models)
    usage = Usage.of(opened.host["usage"]) if opened.host.get("usage") else None
    final: dict[str, Any] = {"total_steps": len(joined)}
    if usage:
        final |= {
            "total_prompt_tokens": usage.input + usage.cache_read + usage.cache_write,
            "total_completion_tokens": usage.output,
            "total_cached_tokens": usage.cache_read,
        }
    if opened.host["cost_usd"] is not None:
        final["total_cost_usd"] = float(opened.host["cost_usd"])
    return {
        "schema_version": SCHEMA,
        "session_id": session,
        "agent": {
            "name": manifest["agent"],
            "version": str(opened.host.get("agent_version", "unknown")),
            **({"model_name": models[0]["model"]} if models else {}),
        },
        "steps": [_step(n, s, zone) for n, s in enumerate(joined, 1)],
        "final_metrics": final,
        "extra": {
            k: manifest[k]
            for k in ("task", "market", "variant", "language", "end_reason", "isolation", "world_digest")
        },
    }


def _models(data: bytes) -> list[dict[str, Any]]:
    """The recorded model calls that were answered."""
    text = unpack(data).get("model.jsonl", b"").decode()
    return [m for m in map(json.loads, filter(None, text.split("\n"))) if not m["error"]]


def _joined(steps: list[dict[str, Any]], models: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Calls and words of one model call become one step, with its metrics; without models, a step each."""
    out: list[dict[str, Any]] = []
    left, room = list(models), 0
    for s in steps:
        if s["source"] == "user":
            out.append(s)
            room = 0
            continue
        if room == 0 and left:
            model = left.pop(0)
            room = max(1, len(model["calls"]))
            s = {**s, "model": model, "message": model["text"] or s["message"], "calls": []}
            out.append(s)
        elif room == 0:
            out.append({**s, "calls": []})
            room = 1
        last = out[-1]
        if "call" in s:
            last["calls"].append(s["call"])
        elif s["message"]:
            last["message"] = s["message"]
        room -= 1
    return out


def _step(n: int, s: dict[str, Any], zone: str) -> dict[str, Any]:
    step: dict[str, Any] = {
        "step_id": n,
        "timestamp": clock.iso(s["at"], zone),
        "source": s["source"],
        "message": s["message"],
    }
    calls: list[Entry] = s.get("calls", [])
    if calls:
        step["tool_calls"] = [
            {
                "tool_call_id": f"call_{c.seq}",
                "function_name": c.name,
                "arguments": _object(c.body.get("args")),
            }
            for c in calls
        ]
        step["observation"] = {
            "results": [
                {"source_call_id": f"call_{c.seq}", "content": json.dumps(_answer(c), ensure_ascii=False)}
                for c in calls
            ]
        }
    if model := s.get("model"):
        usage = Usage.of(model["usage"])
        step["model_name"] = model["model"]
        step["metrics"] = {
            "prompt_tokens": usage.input + usage.cache_read + usage.cache_write,
            "completion_tokens": usage.output,
            "cached_tokens": usage.cache_read,
            **({} if model["cost_usd"] is None else {"cost_usd": float(model["cost_usd"])}),
        }
    return step


def _object(args: Any) -> dict[str, Any]:
    return args if isinstance(args, dict) else {"value": args}


def _answer(call: Entry) -> Any:
    return {"error": call.body["error"]} if "error" in call.body else call.body.get("result")
