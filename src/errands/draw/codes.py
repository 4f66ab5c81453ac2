"""Why a task does not take part: a closed list."""

from __future__ import annotations

from typing import Literal

Code = Literal[
    "needs-live-internet",
    "needs-real-account",
    "robot-check",
    "private-pack",
    "broken",
    "draft",
    "withdrawn",
]
CODES: dict[Code, str] = {
    "needs-live-internet": "it needs an open connection to the public internet, and starts differently each time",
    "needs-real-account": "it needs a real account on a real service, which cannot be put back to the same start",
    "robot-check": "a page checks for automated browsers, and the exam's own does not disguise itself",
    "private-pack": "it comes from a pack that others do not have",
    "broken": "a fault of ours was found in it",
    "draft": "it is not calibrated as it stands",
    "withdrawn": "it was withdrawn before the draw",
}
