"""Records: an index of results that a command rebuilds from bundles, and runs as tables."""

from .find import find_attempt, find_run
from .run import LoadedRun, load_run

__all__ = ["LoadedRun", "find_attempt", "find_run", "load_run"]
