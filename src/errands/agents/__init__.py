"""What sits: reference agents, and functions of Python. All pump the same sitting."""

from .resolve import Agent, resolve

__all__ = ["Agent", "resolve"]
