"""Contacts: people, what they are called, how they stand to the user and to each other."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.canon import decode
from errands.core.errors import ToolError
from errands.world import App, World
from errands.world.refusals import offset

contacts = App("contacts", __name__, scopes=("contacts.read", "contacts.write"))
PAGE = 20
_FIELDS = ("name", "called", "email", "phone", "org", "title", "relation", "zone", "notes")


def _row(w: World, person: str) -> dict[str, Any]:
    return w.row(
        "contacts_person", person, "contact", "a contact id such as one from contacts_search", field="person"
    )


def _show(w: World, row: dict[str, Any]) -> dict[str, Any]:
    related = w.all(
        "SELECT kind, other FROM contacts_relation WHERE person = ? ORDER BY kind, other", row["id"]
    )
    return {**row, "aliases": decode(row["aliases"]), "related": related}


@contacts.read("contacts.read")
def search(
    w: World,
    query: Annotated[str, "words that must all occur in name, alias, address, firm or title"] = "",
    cursor: Annotated[str, "the `next` of the page before"] = "",
) -> dict[str, Any]:
    """Find people, in order of name, 20 a page. Names alike are common: compare firm and address."""
    words = [x.casefold() for x in query.split()][:20]
    hits = []
    for r in w.db.execute(
        "SELECT name, id, called, email, org, title, relation, aliases FROM contacts_person ORDER BY name, id"
    ):
        text = " ".join(r).casefold()
        if all(x in text for x in words):
            hits.append(
                dict(zip(("name", "id", "called", "email", "org", "title", "relation"), r[:-1], strict=True))
            )
    start = offset(cursor)
    return {"people": hits[start : start + PAGE], "next": str(start + PAGE) if hits[start + PAGE :] else ""}


@contacts.read("contacts.read")
def person(w: World, person: Annotated[str, "a contact id"]) -> dict[str, Any]:
    """Everything about one person: how they are addressed, where they are, to whom they are related."""
    return _show(w, _row(w, person))


def _fits(w: World, name: str, email: str, person: str = "") -> str:
    """The address as it is kept; ToolError for a blank name, or an address that is another person's."""
    if not name.strip():
        raise ToolError("invalid", "a contact needs a name", field="name", value=name, expected="a name")
    bare = email.strip().lower()
    same = w.value("SELECT id FROM contacts_person WHERE email = ? AND email <> '' AND id <> ?", bare, person)
    if same:
        raise ToolError(
            "conflict", f"{email} belongs to {same}", field="email", value=email, expected="a new address"
        )
    return bare


@contacts.write("contacts.write")
def create(
    w: World,
    name: Annotated[str, "full name"],
    email: Annotated[str, "e-mail address"] = "",
    phone: Annotated[str, "telephone number"] = "",
    org: Annotated[str, "firm or office"] = "",
    title: Annotated[str, "what they do there"] = "",
    notes: Annotated[str, "notes of your own"] = "",
) -> dict[str, Any]:
    """Add a person."""
    email = _fits(w, name, email)
    ident = w.new_id("per")
    w.insert(
        "contacts_person",
        id=ident,
        name=name,
        called=name,
        formal=name,
        email=email,
        phone=phone,
        org=org,
        title=title,
        relation="",
        zone="",
        aliases="[]",
        notes=notes,
    )
    return _show(w, _row(w, ident))


@contacts.write("contacts.write")
def update(
    w: World,
    person: Annotated[str, "id of the person"],
    name: Annotated[str | None, "full name"] = None,
    called: Annotated[str | None, "how you call them"] = None,
    email: Annotated[str | None, "e-mail address"] = None,
    phone: Annotated[str | None, "telephone number"] = None,
    org: Annotated[str | None, "firm or office"] = None,
    title: Annotated[str | None, "what they do there"] = None,
    notes: Annotated[str | None, "notes of your own"] = None,
) -> dict[str, Any]:
    """Change a person; what is not given stays."""
    given = {
        "name": name,
        "called": called,
        "email": email,
        "phone": phone,
        "org": org,
        "title": title,
        "notes": notes,
    }
    changes = {k: v for k, v in given.items() if v is not None}
    own = _row(w, person)
    fit = _fits(w, changes.get("name", own["name"]), changes.get("email", own["email"]), person)
    if email is not None:
        changes["email"] = fit
    if changes:
        w.update("contacts_person", person, **changes)
    return _show(w, _row(w, person))


@contacts.on("contacts.called")
def called(w: World, e: dict[str, Any]) -> list[str] | None:
    """By which names the person of an address may be named, longest first."""
    row = w.one("SELECT name, called, formal, aliases FROM contacts_person WHERE email = ?", e["email"])
    if row is None:
        return None
    names = {row["name"], row["called"], row["formal"], *decode(row["aliases"])}
    return sorted(names, key=lambda n: (-len(n), n))


@contacts.on("contacts.everyone")
def everyone(w: World, e: dict[str, Any]) -> list[str]:
    """All names in the address book: who hears a name must know whose it could be."""
    rows = w.db.execute("SELECT name, called, formal, email, aliases FROM contacts_person")
    return sorted({name for *names, aliases in rows for name in (*names, *decode(aliases)) if name})
