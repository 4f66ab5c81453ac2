"""Writing an exported fixture into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from errands.core.errors import UsageError

from .build import ARCHIVE


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files below a folder that is not there yet, or is empty; `UsageError` where it holds anything."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError("there is something here already", where=str(folder), do="choose another --to")
        for path, data in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        (folder / ARCHIVE).mkdir(exist_ok=True)
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(folder)) from None
