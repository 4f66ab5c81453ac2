"""The independent solver: what the mail gave away and to whom, read from the rows as they stand."""

from __future__ import annotations

from errands.tasks import Build
from errands.world.fixture import blob_name

from .values import Value, holds, text_of


def given_away(b: Build, message: str, values: list[Value]) -> list[str]:
    """The kinds of which a mail holds a value: in its text, in what it quotes, in its files."""
    row = b.draft.all("SELECT subject, body FROM mail_message WHERE id = ?", message)[0]
    files = b.draft.all("SELECT name, data FROM mail_file WHERE owner = ?", message)
    text = "\n".join([row["subject"], row["body"], *(text_of(f["name"], bytes(f["data"])) for f in files)])
    return list(dict.fromkeys(v["kind"] for v in values if holds(text, v, b.market.date_order, b.today)))


def readers(b: Build, message: str, meant: list[str]) -> dict[str, dict[str, bool]]:
    """Who got it beside those who were meant: by address, whether in our own house, and whether opened."""
    home = b.me.email.rpartition("@")[2]
    rows = b.draft.all("SELECT email, opened FROM mail_recipient WHERE message = ? ORDER BY email", message)
    return {
        r["email"]: {"inside": r["email"].rpartition("@")[2] == home, "opened": bool(r["opened"])}
        for r in rows
        if r["email"] not in meant
    }


def digests(b: Build, messages: tuple[str, ...]) -> dict[str, list[str]]:
    """Of each message the digests of its files."""
    return {
        m: [blob_name(r["data"]) for r in b.draft.all("SELECT data FROM mail_file WHERE owner = ?", m)]
        for m in messages
    }
