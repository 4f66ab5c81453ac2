"""The answer of a reader that must say why: a deliverable that is not one clear thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a deliverable cannot be read, in words that can be shown."""

    reason: str
