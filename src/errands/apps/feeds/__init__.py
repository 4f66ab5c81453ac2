"""Feeds: items that appear as time passes, to be read; whoever published one may recall it.

A new item is a silent change of the world: nobody is told of it unless something watches (`feeds.appeared`).
"""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import App, World
from errands.world.refusals import missing

feeds = App("feeds", __name__, scopes=("feeds.read",))
MOST = 50


@feeds.on("feeds.publish")
def publish(w: World, e: dict[str, Any]) -> None:
    """An item appears (an event of the fixture): `id`, `feed`, `kind`, `subject`, `body`."""
    w.insert(
        "feeds_item",
        id=e["id"],
        feed=e["feed"],
        kind=e["kind"],
        subject=e["subject"],
        body=e["body"],
        at=w.now,
        recalled=0,
    )
    name = w.value("SELECT name FROM feeds_channel WHERE id = ?", e["feed"])
    w.signal("feeds.appeared", feed=e["feed"], name=name, item=e["id"], subject=e["subject"], body=e["body"])


@feeds.on("feeds.recall")
def recall(w: World, e: dict[str, Any]) -> None:
    """An item is taken back by who published it (an event of the fixture): `item`."""
    w.update("feeds_item", e["item"], recalled=1)


@feeds.on("feeds.named")
def named(w: World, e: dict[str, Any]) -> str | None:
    """The name of a feed, for another app; None where there is none."""
    name = w.value("SELECT name FROM feeds_channel WHERE id = ?", e["feed"])
    return None if name is None else str(name)


@feeds.read("feeds.read")
def list_(w: World) -> list[dict[str, Any]]:
    """The feeds that you can read."""
    return w.all("SELECT id AS feed, name, about FROM feeds_channel ORDER BY id")


@feeds.read("feeds.read")
def items(
    w: World,
    feed: Annotated[str, "a feed's id, from feeds_list"],
    since: Annotated[str, "local ISO time; only items from then on. Empty: all"] = "",
    limit: Annotated[int, "how many at most, 1 to 50"] = 20,
) -> dict[str, Any]:
    """The items of a feed, newest first, with their text. Of a recalled one only the subject is left."""
    name = named(w, {"feed": feed})
    if name is None:
        raise missing("feed", feed, "an id from feeds_list")
    if not 1 <= limit <= MOST:
        raise ToolError("invalid", "not so many at once", field="limit", value=limit, expected=f"1 to {MOST}")
    start = w.moment("since", since) if since else -(1 << 60)
    rows = w.all(
        "SELECT * FROM feeds_item WHERE feed = ? AND at >= ? ORDER BY at DESC, id DESC LIMIT ?",
        feed,
        start,
        limit,
    )
    return {"feed": feed, "name": name, "items": [_shown(w, r) for r in rows]}


def _shown(w: World, r: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": r["id"],
        "kind": r["kind"],
        "subject": r["subject"],
        "body": "" if r["recalled"] else r["body"],
        "at": w.local(r["at"]),
        "recalled": bool(r["recalled"]),
    }
