"""The independent solver: which versions of a document lie in a mailbox, from the bytes of its attachments alone.

It shares nothing with what wrote them: the title and the issue number are read out of each file; only which messages
were taken back is told, since that stands in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from errands.apps.files.reading import Unreadable, text_of
from errands.core.canon import sha256
from errands.core.errors import TaskError

_ISSUE = re.compile(r"\d+")


@dataclass(frozen=True)
class Version:
    """One version: the message in which it first came, and the issue that stands in the file."""

    message: str
    sender: str
    at: int
    file: str
    issue: int
    digest: str


def versions(attached: Iterable[dict[str, Any]], title: str) -> list[Version]:
    """Every version of the document with this title, by issue. `attached`: id, sender, at, name, data, oldest first."""
    found: dict[str, Version] = {}
    for a in attached:
        issue = _issue_of(a["name"], a["data"], title)
        digest = sha256(a["data"])
        if issue is not None and digest not in found:
            found[digest] = Version(a["id"], a["sender"], a["at"], a["name"], issue, digest)
    out = sorted(found.values(), key=lambda v: v.issue)
    if len({v.issue for v in out}) < len(out):
        raise TaskError(
            f"two versions of {title} have one issue number", where="latest_attachment", expected="one each"
        )
    return out


def current(found: list[Version], taken_back: Iterable[str]) -> Version:
    """The highest issue that nobody took back; `taken_back` are the messages in which those came."""
    gone = set(taken_back)
    standing = [v for v in found if v.message not in gone]
    if not standing:
        raise TaskError(
            "no version stands", where="latest_attachment", expected="one that was not taken back"
        )
    return standing[-1]


def _issue_of(name: str, data: bytes, title: str) -> int | None:
    """The issue number in a file, if it is of this document: its first line is the title, the number in the second."""
    if name.rpartition(".")[2] not in ("csv", "txt", "xlsx", "pdf"):
        return None
    try:
        text = text_of(name, data)
    except Unreadable:
        return None
    lines = [x.strip() for x in text.splitlines() if x.strip() and not x.startswith("# ")]
    if len(lines) < 2 or lines[0].strip('"') != title:
        return None
    number = _ISSUE.search(lines[1])
    return int(number[0]) if number else None
