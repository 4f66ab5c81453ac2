"""Seats at which a right solution does one thing otherwise, and what of it is a list that it delivers."""

from __future__ import annotations

import json
from typing import Any

from errands.calibrate.seats import Effects
from errands.core.types import Turn
from errands.exam.sitting import Sitting
from errands.tasks.task import Instance

from .bench import leaves, recorded

TABLE = "files_write_table"


def table_calls(instance: Instance) -> list[tuple[int, dict[str, Any]]]:
    """The oracle's calls that write a list: the number among its changing calls, and the arguments."""
    return [(n, args) for n, (tool, args, _) in enumerate(recorded(instance)[0].done, 1) if tool == TABLE]


def exact_cells(instance: Instance, args: dict[str, Any]) -> list[tuple[int, int, str]]:
    """Of each column the first cell that is a value of the key (no code word): its row, column and text."""
    expected = {v for v in leaves(dict(instance.key)) if any(c.isdigit() or c == "@" for c in v)}
    found = []
    for column in range(len(args["columns"])):
        cells = ((n, row[column]) for n, row in enumerate(args["rows"]))
        found += [(n, column, cell) for n, cell in cells if cell in expected][:1]
    return found


class Editing(Effects):
    """Makes the n-th changing call with other arguments."""

    def __init__(self, sitting: Sitting, at: int, change: dict[str, Any]):
        super().__init__(sitting)
        self.at, self.change = at, change

    def act(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        return super().act(n, tool, {**args, **self.change} if n == self.at else args)


class AsText(Effects):
    """Writes the list of the n-th changing call as a text file of this ending instead, and calls it so later on."""

    def __init__(self, sitting: Sitting, at: int, ending: str, text: str):
        super().__init__(sitting)
        self.at, self.ending, self.text = at, ending, text
        self.paths: dict[str, str] = {}

    def look(self, tool: str, args: dict[str, Any]) -> Any:
        return super().look(tool, self._renamed(args))

    def act(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        if n != self.at:
            return super().act(n, tool, self._renamed(args))
        path = f"{args['path'].rpartition('.')[0]}.{self.ending}"
        self.paths[args["path"]] = path
        return self.plain("files_write", path=path, text=self.text)

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: self._renamed(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self._renamed(v) for v in value]
        return self.paths.get(value, value) if isinstance(value, str) else value


def as_objects(args: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a list by column."""
    return [dict(zip(args["columns"], row, strict=True)) for row in args["rows"]]


def as_json(args: dict[str, Any], row: int = -1, column: str = "", token: str = "") -> str:
    """The list as JSON; one cell may be any token, also such as JSON does not know (`NaN`)."""
    objects = as_objects(args)
    mark = "\ue000"
    if column:
        objects[row][column] = mark
    return json.dumps(objects, ensure_ascii=False).replace(f'"{mark}"', token)


class Saying(Effects):
    """Gives its last words in another dress."""

    def __init__(self, sitting: Sitting, dress: Any):
        super().__init__(sitting)
        self.dress = dress

    def reply(self, text: str) -> Turn | None:
        return super().reply(self.dress(text))
