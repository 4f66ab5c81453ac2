"""Tables as files: JSON Lines, or Parquet where the `tables` extra is installed."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errands.core.errors import UsageError
from errands.evidence.seal import write_whole

FORMATS = ("jsonl", "parquet")


def write(
    form: str,
    folder: Path,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    columns: Mapping[str, Mapping[str, type]],
) -> list[Path]:
    """Write each table as `folder/NAME.FORM` with exactly these columns; the files written.

    `UsageError` for a format that is not there, a file that exists, or a folder that cannot be written.
    """
    files = {name: folder / f"{name}.{form}" for name in tables}
    if there := [f for f in files.values() if f.exists()]:
        raise UsageError("this file exists already", where=str(there[0]), do="choose another --out")
    packed = {
        name: _jsonl(rows, columns[name]) if form == "jsonl" else _parquet(rows, columns[name])
        for name, rows in tables.items()
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, file in files.items():
            write_whole(file, packed[name])
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(folder)) from None
    return list(files.values())


def _jsonl(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> bytes:
    lines = [
        json.dumps({k: r.get(k) for k in columns}, ensure_ascii=False, allow_nan=False) + "\n" for r in rows
    ]
    return "".join(lines).encode()


def _parquet(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed", do="pip install 'errands[tables]', or jsonl"
        ) from None
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    table = pyarrow.Table.from_pylist([{k: r.get(k) for k in columns} for r in rows], schema=schema)
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()
