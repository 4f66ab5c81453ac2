"""Files of the draw: JSON in one layout, so that the same content is the same bytes; unknown keys are refused."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from errands.core.canon import sha256
from errands.core.errors import UsageError


class Part(BaseModel):
    """Part of a file of the draw."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Written(Part):
    """A file of the draw. `kind` says which; fields stand in the order in which they are declared."""

    kind: str
    format: int

    @property
    def text(self) -> bytes:
        """As it is written: keys in order, lists and objects of the first level an entry a line, defaults left out."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return (
            "{\n" + ",\n".join(f" {_dumps(k)}: {_laid_out(v)}" for k, v in data.items()) + "\n}\n"
        ).encode()

    @property
    def digest(self) -> str:
        """SHA-256 of the file as it is written."""
        return sha256(self.text)


def is_date(text: str) -> bool:
    """Whether this is a day as files of the draw write it: 2026-10-04."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


W = TypeVar("W", bound=Written)


def read(model: type[W], path: Path) -> W:
    """A file of this kind; `UsageError` naming file and field."""
    return parsed(model, content(path), str(path))


def content(path: Path) -> bytes:
    """A file's bytes; `UsageError` where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as why:
        raise UsageError(f"it cannot be read: {why.strerror}", where=str(path)) from None


def parsed(model: type[W], data: bytes, where: str) -> W:
    """The bytes of such a file as what they hold."""
    try:
        return model.model_validate_json(data)
    except ValidationError as why:
        first = why.errors()[0]
        place = " → ".join(str(x) for x in first["loc"])
        raise UsageError(
            first["msg"],
            where=f"{where}, {place}" if place else where,
            expected=f"a file of kind {model.model_fields['kind'].annotation.__args__[0]}",  # type: ignore[union-attr]
            do="see docs/draw.md",
        ) from None


def _laid_out(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(x, (dict, list)) for x in value):
        return "[\n" + ",\n".join(f"  {_dumps(x)}" for x in value) + "\n ]"
    if isinstance(value, dict) and len(value) > 2:
        return "{\n" + ",\n".join(f"  {_dumps(k)}: {_dumps(x)}" for k, x in value.items()) + "\n }"
    return _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
