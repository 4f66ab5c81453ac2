"""The automatic reply: one window at a time, as mail services have it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from errands.core.errors import ToolError
from errands.world import World

from . import mail


def _show(w: World, row: dict[str, Any] | None) -> dict[str, Any]:
    if row is None:
        return {"on": False}
    return {
        "on": True,
        "start": w.local(row["starts"]),
        "end": w.local(row["ends"]),
        "subject": row["subject"],
        "body": row["body"],
        "audience": row["audience"],
    }


@mail.read("mail.read")
def auto_reply(w: World) -> dict[str, Any]:
    """The automatic reply that is set, if any."""
    return _show(w, w.one("SELECT * FROM mail_auto_reply WHERE id = 'auto'"))


@mail.write("mail.write")
def set_auto_reply(
    w: World,
    start: Annotated[str, "local ISO time it begins"],
    end: Annotated[str, "local ISO time it ends"],
    body: Annotated[str, "what the reply says"],
    subject: Annotated[str, "its subject; may be empty"] = "",
    audience: Annotated[Literal["everyone", "contacts", "organisation"], "who is answered"] = "everyone",
) -> dict[str, Any]:
    """Set the automatic reply for a window; replaces the one before."""
    starts, ends = w.moment("start", start), w.moment("end", end)
    if ends <= starts:
        raise ToolError(
            "invalid", "the window ends before it begins", field="end", value=end, expected="a later time"
        )
    w.run(
        "INSERT OR REPLACE INTO mail_auto_reply VALUES ('auto', ?, ?, ?, ?, ?)",
        starts,
        ends,
        subject,
        body,
        audience,
    )
    return _show(w, w.one("SELECT * FROM mail_auto_reply WHERE id = 'auto'"))


@mail.write("mail.write")
def clear_auto_reply(w: World) -> dict[str, Any]:
    """Switch the automatic reply off."""
    w.run("DELETE FROM mail_auto_reply WHERE id = 'auto'")
    return {"on": False}
