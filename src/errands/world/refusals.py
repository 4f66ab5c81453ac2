"""What many tools refuse, in one wording: an id that is not there, a page that is none."""

from __future__ import annotations

from errands.core.errors import ToolError


def missing(what: str, ident: str, source: str, *, field: str = "") -> ToolError:
    """There is no `what` of this id. `source` says where ids come from, `field` which argument held it (default:
    `what`)."""
    return ToolError(
        "not_found", f"there is no {what} {ident[:80]!r}", field=field or what, value=ident, expected=source
    )


def bad_cursor(cursor: str) -> ToolError:
    """This list has no page that begins here."""
    return ToolError(
        "invalid",
        "this cursor is not one of this list",
        field="cursor",
        value=cursor,
        expected="the `next` of the page before, or nothing",
    )


def offset(cursor: str) -> int:
    """Where a page begins, of a list whose cursors count; `ToolError` where it is no such cursor."""
    if not cursor:
        return 0
    if cursor.isascii() and cursor.isdigit() and len(cursor) < 7:
        return int(cursor)
    raise bad_cursor(cursor)
