"""What sits: reference agents, and functions of Python. All pump the same sitting."""

from .resolve import resolve

__all__ = ["resolve"]
