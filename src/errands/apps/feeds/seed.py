"""How builders fill feeds: what is there at the start. What appears later is an event, `feeds.publish`."""

from __future__ import annotations

from errands.world.fixture import Draft


def channel(d: Draft, *, id: str, name: str, about: str = "") -> str:
    """A feed; returns its id."""
    d.insert("feeds_channel", id=id, name=name, about=about)
    return id


def item(d: Draft, *, id: str, feed: str, subject: str, body: str, at: int, kind: str = "note") -> str:
    """An item that has appeared already, at `at` (UTC ms); returns its id."""
    d.insert("feeds_item", id=id, feed=feed, kind=kind, subject=subject, body=body, at=at, recalled=0)
    return id
