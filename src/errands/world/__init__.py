"""The world of an attempt: one SQLite file that holds its state and its whole history."""

from .app import App, Shown, Tool, app
from .state import FRESH
from .world import World, open_world

__all__ = ["FRESH", "App", "Shown", "Tool", "World", "app", "open_world"]
