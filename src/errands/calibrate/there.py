"""One process of `steady`: sits every solution of the instances on its standard input, and says what came out."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from typing import Any


def main(date: str, shuffled: str, repeats: str) -> None:
    """Read instances as JSON rows; print digests and verdicts by name. The network is closed to this process."""
    sys.addaudithook(_no_network)
    with _host_date(date):
        print(json.dumps(_said(json.loads(sys.stdin.read()), int(shuffled), int(repeats))))


def _no_network(event: str, args: tuple[Any, ...]) -> None:
    """Nothing but this machine itself: sites are served to its browser."""
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        where = args[0] if event == "socket.getaddrinfo" else args[-1]
        if isinstance(where, str | bytes) and event != "socket.getaddrinfo":  # a path: no network
            return
        if (where[0] if isinstance(where, tuple) else where) in ("127.0.0.1", "::1", "localhost"):
            return
        raise PermissionError(f"{event} {args[-1]!r}: nothing may ask the network here")


def _host_date(date: str) -> contextlib.AbstractContextManager[Any]:
    if not date:
        return contextlib.nullcontext()
    try:
        import time_machine
    except ImportError:
        raise SystemExit("to move the host's date: pip install 'errands[calibrate]'") from None
    moved: contextlib.AbstractContextManager[Any] = time_machine.travel(date, tick=True)
    return moved


def _said(rows: list[list[Any]], shuffled: int, repeats: int) -> dict[str, Any]:
    from errands.core.canon import digest
    from errands.exam.attempt import instance_of, verdict_json

    from .attacks import referred, sat

    todo = []
    for task, market, variant, language in rows:
        instance = instance_of(task, market, variant, language)
        todo += [(instance, name) for name in instance.task.solutions for _ in range(repeats)]
    if shuffled:
        random.Random(shuffled).shuffle(todo)
    seen: dict[str, str] = {}
    differ = []
    for instance, name in todo:
        verdict, _, sitting = sat(instance, referred(instance, name))
        what = digest(
            [
                instance.fixture.digest,
                instance.key.to_json(),
                instance.instruction,
                sitting.world.world_digest(),
                json.loads(verdict_json(verdict, {})),
            ]
        )
        sitting.world.close()
        at = f"{instance.name} {instance.language} {name}"
        if seen.setdefault(at, what) != what:
            differ.append(at)
    return {"attempts": len(todo), "seen": seen, "differ": differ}


if __name__ == "__main__":
    main(*sys.argv[1:])
