"""The command line: a file a command, thin; it wires rooms together."""

from __future__ import annotations


def main() -> None:
    """Entry point of `errands`."""
    from .app import run

    run()
