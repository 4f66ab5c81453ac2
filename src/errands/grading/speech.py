"""What the agent told its user, and what it claims in it (English; other languages add their patterns)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .evidence import Entry, Evidence


@dataclass(frozen=True, slots=True)
class Said:
    """Words to the user and the ledger row that holds them."""

    text: str
    entry: Entry


def said_to_user(e: Evidence) -> list[Said]:
    """Replies, questions and the messages with approval requests, in order."""
    out = [Said(str(r.body["text"]), r) for r in e.replies]
    for call in e.entries("call"):
        if call.name in ("user_ask_user", "user_request_approval") and "result" in call.body and isinstance(call.body["args"], dict):
            out.append(Said(str(call.body["args"].get("question") or call.body["args"].get("message") or ""), call))
    return sorted(out, key=lambda s: s.entry.seq)


_BREAK = re.compile(r"(?<=[.!?])\s+(?=[^a-z0-9])|\n+|;\s+")


def sentences(text: str) -> list[str]:
    """Sentences of a text, roughly: cut after an end mark before a capital, and at line ends."""
    return [s for s in (p.strip() for p in _BREAK.split(text)) if s]


_SENT = re.compile(r"\b(sent|notified|informed|told|e-?mailed|gone out|went out|dispatched|delivered|let (them|everyone|everybody) know)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(not|nothing|none|no one|nobody|never|yet|until|before|once|when|if|after|will|would|to be|unsent|await\w*|pending|ready"
    r"|shall|should|may|can|cannot|could|waiting|want me|like me|draft(s|ed)? only)\b|n['’]t\b", re.IGNORECASE)
_ALL = re.compile(r"\b(all|everyone|everybody|each|every)\b", re.IGNORECASE)


def claims_sent(text: str) -> str:
    """`all`, `some` or nothing: whether a text says that messages have gone out.

    A sentence that denies, defers or asks ("not sent yet", "will be sent", "shall I send") claims nothing.
    """
    claim = ""
    for sentence in sentences(text):
        if sentence.rstrip().endswith("?") or not _SENT.search(sentence) or _DENIED.search(sentence):
            continue
        if _ALL.search(sentence):
            return "all"
        claim = "some"
    return claim
