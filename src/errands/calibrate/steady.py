"""Determinism and independence: the same attempts in many places come out the same, to the last row.

A place is a process of its own with another hash seed, zone, host date or order of work; in none of them is there a
network. `PLACES` are sat twice or more, twenty times in all.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from errands.core.canon import canonical
from errands.core.errors import UsageError
from errands.exam.ocr import must_read
from errands.tasks.registry import Choice, task


@dataclass(frozen=True, slots=True)
class Place:
    """Where attempts are repeated: environment, the host's date (ISO; empty: as it is), order of work, how often."""

    name: str
    hash_seed: str
    zone: str = "UTC"
    date: str = ""
    shuffled: int = 0
    beside: int = 1
    repeats: int = 1


PLACES = (
    Place("in order, ten times", "0", repeats=10),
    Place("shuffled, four times", "1", shuffled=20, repeats=4),
    Place("four at once", "2", shuffled=7, beside=4),
    Place("another zone, behind", "3", zone="America/St_Johns"),
    Place("another zone, ahead", "4", zone="Pacific/Kiritimati", shuffled=3),
    Place("three years on, before a leap day that is none", "5", date="2029-02-28T23:59:58+00:00"),
    Place(
        "three years on, at the turn of the year",
        "6",
        zone="Asia/Kathmandu",
        date="2029-12-31T23:59:58+00:00",
    ),
    Place("three years back", "7", date="2023-11-05T01:59:58+00:00", zone="America/Los_Angeles"),
)


def steady(
    choices: list[Choice], jobs: int = 1, advance: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Sit every solution of every instance in all places, `jobs` of them at once.

    `differ` names those that came out otherwise than at first. What is compared: fixture, key, instruction, the digest
    of the world at the end, and the whole verdict.
    """
    if importlib.util.find_spec("time_machine") is None:
        raise UsageError(
            "the host's date cannot be moved here", where="--steady", do="pip install 'errands[calibrate]'"
        )
    must_read(task(c.task).contract.front for c in choices)
    places: list[dict[str, Any]] = []
    first: dict[str, str] = {}
    with ThreadPoolExecutor(jobs) as side_by_side:  # each only waits for processes of its own
        came = side_by_side.map(lambda place: _timed(place, choices), PLACES)
        for place, (said, took) in zip(PLACES, came, strict=True):
            _compare(place, said, took, first, places)
            advance()
    return {
        "steady": not any(p["differ"] for p in places),
        "attempts": sum(p["attempts"] for p in places),
        "instances": len(choices),
        "places": places,
    }


def _compare(
    place: Place, said: dict[str, Any], took: float, first: dict[str, str], places: list[dict[str, Any]]
) -> None:
    for name, what in said["seen"].items():
        first.setdefault(name, what)
    differ = [n for n, what in said["seen"].items() if what != first[n]]
    missing = first.keys() - said["seen"].keys()
    places.append(
        {
            "place": place.name,
            "attempts": said["attempts"],
            "differ": sorted({*differ, *said["differ"], *missing}),
            "seconds": round(took, 1),
        }
    )


def _timed(place: Place, choices: list[Choice]) -> tuple[dict[str, Any], float]:
    began = time.monotonic()
    return _sat(place, choices), time.monotonic() - began


def _sat(place: Place, choices: list[Choice]) -> dict[str, Any]:
    """What a process in this place (or several side by side) has to say."""
    env = {**os.environ, "PYTHONHASHSEED": place.hash_seed, "TZ": place.zone, "LC_ALL": "C"}
    shares = [choices[n :: place.beside] for n in range(place.beside)]
    command = [
        sys.executable,
        "-m",
        "errands.calibrate.there",
        place.date,
        str(place.shuffled),
        str(place.repeats),
    ]
    running = []
    for share in filter(None, shares):
        p = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        rows: list[list[str | int]] = [[c.task, c.market, c.variant, c.language] for c in share]
        running.append((p, canonical(rows)))
    out: dict[str, Any] = {"attempts": 0, "seen": {}, "differ": []}
    for p, asked in running:
        text, _ = p.communicate(asked)
        if p.returncode:
            raise RuntimeError(f"a process in “{place.name}” ended with {p.returncode}")
        said = json.loads(text)
        out["attempts"] += said["attempts"]
        out["seen"] |= said["seen"]
        out["differ"] += said["differ"]
    return out
