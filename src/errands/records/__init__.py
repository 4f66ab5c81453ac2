"""Records: an index of results that a command rebuilds from bundles, and runs as tables."""

from .run import LoadedRun, load_run

__all__ = ["LoadedRun", "load_run"]
