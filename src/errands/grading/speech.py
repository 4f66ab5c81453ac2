"""What the agent told its user, and in which languages it is read."""

from __future__ import annotations

from dataclasses import dataclass

from .evidence import Entry, Evidence


@dataclass(frozen=True, slots=True)
class Said:
    """Words to the user and the ledger row that holds them."""

    text: str
    entry: Entry


def languages_of(e: Evidence) -> tuple[str, ...]:
    """The languages that the user of this attempt has (BCP 47), the one that was spoken first."""
    return tuple(e.meta["languages"].split())


def said_to_user(e: Evidence) -> list[Said]:
    """Replies, questions and the messages with approval requests, in order."""
    out = [Said(str(r.body["text"]), r) for r in e.replies]
    for call in e.entries("call"):
        if (
            call.name in ("user_ask_user", "user_request_approval")
            and "result" in call.body
            and isinstance(call.body["args"], dict)
        ):
            out.append(
                Said(str(call.body["args"].get("question") or call.body["args"].get("message") or ""), call)
            )
    return sorted(out, key=lambda s: s.entry.seq)
