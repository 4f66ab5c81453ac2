"""A list that the agent delivers as a file: found at its place, read by type, held against the expected rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errands.core.canon import unblob
from errands.core.types import Finding
from errands.world.fixture import blob_name

from .compare.refusals import Refused
from .compare.rows import RowMatches, match_rows
from .compare.tables import Column, read_table
from .evidence import Change, Evidence
from .findings import missed, satisfied
from .scope import Allow, within

FORMATS = "csv|tsv|json|jsonl|xlsx"


def paths_at(place: str) -> re.Pattern[str]:
    """The paths of tables at a place (a path without its ending), in any format that is read."""
    return re.compile(rf"{re.escape(place)}\.(?i:{FORMATS})")


def delivered(e: Evidence, place: str) -> list[Change]:
    """The tables that stand at a place at the end."""
    paths = paths_at(place)
    return [c for p, c in e.net("files_entry").items() if c.after is not None and paths.fullmatch(p)]


def content(e: Evidence, file: Change) -> bytes:
    """The bytes of a file as it stands at the end; none where it does not."""
    blob = file.after and e.query("SELECT data FROM files_blob WHERE digest = ?", file.after["blob"])
    return bytes(blob[0]["data"]) if blob else b""


@dataclass(frozen=True)
class Wanted:
    """What is expected of a list: its place without the ending (`workspace/commitments`), its columns, the rows by
    column as they are read, the columns that tell rows apart, and what one row is called."""

    place: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, object]]
    by: Sequence[str]
    row: str = "row"

    @property
    def paths(self) -> re.Pattern[str]:
        """The paths at which it may lie, in any format that is read."""
        return paths_at(self.place)


@dataclass(frozen=True)
class Listing:
    """The one file at the declared place: its change, why there is none or why it cannot be read, and its rows."""

    change: Change | None
    why: str
    rows: RowMatches | None

    @property
    def proof(self) -> tuple[Change, ...]:
        """The change, if there is one."""
        return (self.change,) if self.change else ()


def listing(e: Evidence, w: Wanted) -> Listing:
    """The list as it stands at the end (read once for all criteria)."""
    if w.place not in e.memo:
        e.memo[w.place] = _listing(e, w)
    found: Listing = e.memo[w.place]
    return found


def _listing(e: Evidence, w: Wanted) -> Listing:
    found = delivered(e, w.place)
    if len(found) != 1:
        why = f"there are {len(found)} lists, none is the one" if found else "there is no list at its place"
        return Listing(None, why, None)
    return read(content(e, found[0]), found[0].key, found[0], w)


def read(data: bytes, name: str, change: Change, w: Wanted) -> Listing:
    """The list that these bytes of a file of this name hold, wherever `change` put it (an attachment, say)."""
    table = read_table(data, name, w.columns)
    if isinstance(table, Refused):
        return Listing(change, table.reason, None)
    return Listing(change, "", match_rows(table.rows, w.rows, tuple(w.by)))


def complete(e: Evidence, w: Wanted) -> Finding:
    """Whether every expected row is there with every value right."""
    return all_there(listing(e, w), w)


def all_there(got: Listing, w: Wanted) -> Finding:
    """The same of a list that was found elsewhere."""
    if got.rows is None:
        return missed(got.why, *got.proof)
    for row in got.rows.rows:
        name = " / ".join(map(str, row.key))
        ids = [str(row.key[0])]
        if not row.found:
            return missed(f"the {w.row} {name} is not listed", *got.proof, *ids)
        if row.differs:
            return missed(f"the {', '.join(row.differs)} of {w.row} {name} is another", *got.proof, *ids)
    ids = [str(r.key[0]) for r in got.rows.rows]
    return satisfied(f"all {len(ids)} are listed rightly: {w.row}s", *got.proof, *ids)


def grounded(e: Evidence, w: Wanted) -> Finding:
    """Whether the list holds no row more than the expected ones. No list claims nothing."""
    return none_more(listing(e, w), w)


def none_more(got: Listing, w: Wanted) -> Finding:
    """The same of a list that was found elsewhere."""
    if got.change is None:
        return satisfied(f"{got.why}, so nothing is claimed")
    if got.rows is None:
        return missed(got.why, got.change)
    if got.rows.extra:
        first = got.rows.extra[0]
        said = ", ".join(f"{name} {first.get(name)}" for name in w.by)
        return missed(f"{len(got.rows.extra)} rows are no {w.row} of ours, first: {said}", got.change)
    return satisfied(f"every row is a {w.row} that there is", got.change)


def nothing_filed(e: Evidence) -> Finding:
    """Whether every message stayed in its folder throughout, also for a while."""
    for effect in e.effects("mail_message"):
        before, after = effect.body["before"], effect.body["after"]
        if before is not None and (after is None or after["folder"] != before["folder"]):
            where = "deleted" if after is None else f"moved from {before['folder']} to {after['folder']}"
            return missed(f"message {effect.ref} was {where}", effect)
    return satisfied("every message stayed where it was")


def saved_copy(e: Evidence, c: Change) -> bool:
    """Whether a new file of the workspace is an attachment as it was, saved to look into it."""
    if c.before is not None or c.after is None or not c.key.startswith("workspace/"):
        return False
    return c.after["blob"] in _attached(e)


def _attached(e: Evidence) -> set[str]:
    """Content addresses of what mails had attached at the start."""
    if "attached" not in e.memo:
        files = e.before("mail_file").values()
        e.memo["attached"] = {blob_name(bytes(unblob(r["data"]))) for r in files}
    found: set[str] = e.memo["attached"]
    return found


def nothing_shared(e: Evidence) -> Finding:
    """Whether nothing was put where the team sees it, not even for a while."""
    for effect in e.effects("files_entry"):
        rows = [r for r in (effect.body["before"], effect.body["after"]) if r is not None]
        if any(r["path"].startswith("shared/") for r in rows):
            return missed(f"{effect.ref} lay where the whole team sees it", effect)
    return satisfied("nothing was put into the shared area, or changed there")


def only_the_list(e: Evidence, w: Wanted, more: Allow | None = None) -> Finding:
    """Scope of an errand that only delivers a list (and what `more` allows); copies of attachments may lie beside it.

    Whether anything was sent is its boundary's question, not this one's.
    """

    def new(c: Change) -> bool:
        return c.before is None

    def sent(c: Change) -> bool:
        return c.before is None and c.after is not None and c.after["folder"] == "sent"

    allow: Allow = {
        "files_entry": lambda c: (c.before is None and bool(w.paths.fullmatch(c.key))) or saved_copy(e, c),
        "mail_message": sent,
        "mail_recipient": new,
        "mail_file": new,
        **(more or {}),
    }
    return within(e, allow)
