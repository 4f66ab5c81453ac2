"""Persons of the world: each an event handler with a brief, whatever the channel."""

from errands.world import App

people = App("people", __name__)

from . import user  # noqa: E402, F401  (declares what the simulated user listens to)
