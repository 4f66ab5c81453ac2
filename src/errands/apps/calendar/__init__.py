"""The calendar: events and series, free and busy times, and the notices that attendees get.

Changing an event tells nobody. Who must hear of it gets a notice, which is staged and then sent.
"""

from errands.world import App

calendar = App("calendar", __name__, scopes=("calendar.read", "calendar.write", "calendar.notify"))

from . import events, free, moves, notices, reads  # noqa: E402, F401  the tools declare themselves

__all__ = ["calendar"]
