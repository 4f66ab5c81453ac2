"""Errands: an open exam for personal agents, graded from the world's own records."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["NoAccess", "ToolError", "__version__", "load_run"]  # types: see __init__.pyi
_LAZY = {
    "NoAccess": "errands.exam.desk",
    "ToolError": "errands.core.errors",
    "load_run": "errands.records",
}


def __getattr__(name: str) -> Any:
    """`load_run`, `ToolError` and `NoAccess`, imported where they are first used: `import errands` stays light."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
