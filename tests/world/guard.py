"""`guard(world)`: an SQLite authorizer that finds every app that writes what is not its own (rule 13)."""

from __future__ import annotations

from functools import partial

import apsw

from errands.world import World

_WRITES = {apsw.SQLITE_INSERT: "INSERT", apsw.SQLITE_UPDATE: "UPDATE", apsw.SQLITE_DELETE: "DELETE"}
_LOOKS = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_RECURSIVE, apsw.SQLITE_SAVEPOINT}
_CHANCE = {"random", "randomblob", "current_time", "current_date", "current_timestamp"}
# The kernel fills these in an app's name (`schedule`, `notify`).
_OPEN = {"exam_agenda", "exam_notice"}


def guard(world: World) -> list[str]:
    """Watch this world from now on; returns the list that fills with what was caught: "app: OPERATION table".

    What is caught is also denied, so the call ends in a `WorldFault` unless the app swallows the error;
    assert that the list is empty. Only the app's own code is judged: what the kernel does round it
    (recording, undoing for a stale read,
    revoking) runs unwatched. Setting an authorizer expires cached statements, so
    the same SQL is judged again for each app.
    """
    caught: list[str] = []

    def watch(name: str) -> None:
        world.db.authorizer = partial(_judge, world, name, caught) if name else None

    world.watch(watch)
    return caught


def _judge(
    world: World, name: str, caught: list[str], op: int, one: str | None, two: str | None, *_: str | None
) -> int:
    if op in _LOOKS or (op == apsw.SQLITE_FUNCTION and two not in _CHANCE):
        return apsw.SQLITE_OK
    if op in _WRITES and (one in _OPEN or _owner(world, one or "") == name):
        return apsw.SQLITE_OK
    what = _WRITES.get(op) or apsw.mapping_authorizer_function[op].removeprefix("SQLITE_")
    caught.append(f"{name}: {what} {two if op == apsw.SQLITE_FUNCTION else one}")
    return apsw.SQLITE_DENY


def _owner(world: World, table: str) -> str:
    """The app whose name the table carries; the longest: `mail_list_x` is of `mail_list`, not of `mail`."""
    return max((a for a in world.apps if table.startswith(f"{a}_")), key=len, default="")
