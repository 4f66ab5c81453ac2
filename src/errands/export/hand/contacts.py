"""An address book as one .vcf file (vCard 3.0, RFC 2426), which every address book imports."""

from __future__ import annotations

from typing import Any

from errands.core.errors import UsageError
from errands.world import App

from .scene import Put, Row, Scene, listed, many


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """Everybody, with how they are called and how they stand to others in their note."""
    people = scene.fresh("contacts_person", since)
    known = {r["person"] for r in scene.fresh("contacts_relation", since)}
    if since is not None:
        ids = {p["id"] for p in people}
        people += [p for p in scene.rows("contacts_person") if p["id"] in known and p["id"] not in ids]
    how = [f"Delete the contact {p['name']}." for p in scene.gone("contacts_person", since)]
    if not people:
        return Put(how=tuple(how))
    how.insert(0, f"Import {many(len(people), 'contact')} into the account's address book.")
    return Put({"contacts/contacts.vcf": b"".join(_card(scene, p) for p in people)}, tuple(how))


def _card(scene: Scene, p: Row) -> bytes:
    vobject = library()
    card = vobject.vCard()
    card.add("fn").value = p["name"]
    card.add("n").value = vobject.vcard.Name(
        given=p["name"]
    )  # which part is the family's depends on the place
    nicknames = [x for x in (p["called"], *map(str, listed(p["aliases"]))) if x and x != p["name"]]
    if nicknames:
        card.add("nickname").value = ", ".join(dict.fromkeys(nicknames))
    if p["email"]:
        email = card.add("email")
        email.value, email.type_param = p["email"], "INTERNET"
    if p["phone"]:
        card.add("tel").value = p["phone"]
    if p["org"]:
        card.add("org").value = [p["org"]]
    if p["title"]:
        card.add("title").value = p["title"]
    if p["zone"]:
        zone = card.add("tz")
        zone.value, zone.value_param = p["zone"], "text"
    if note := "\n".join(_notes(scene, p)):
        card.add("note").value = note
    card.add("uid").value = p["id"]
    text: str = card.serialize(lineLength=75)
    return text.encode()


def _notes(scene: Scene, p: Row) -> list[str]:
    names = {x["id"]: x["name"] for x in scene.rows("contacts_person")}
    related = [r for r in scene.rows("contacts_relation") if r["person"] == p["id"]]
    lines = [
        ("Addressed as", p["formal"] if p["formal"] != p["name"] else ""),
        ("Relation", p["relation"]),
        *((r["kind"].replace("_", " ").capitalize(), names.get(r["other"], r["other"])) for r in related),
        ("Notes", p["notes"]),
    ]
    return [f"{label}: {text}" for label, text in lines if text]


def library() -> Any:
    """vobject; `UsageError` where it is not installed."""
    try:
        import vobject
    except ImportError:
        raise UsageError(
            "contacts need vobject, which is not installed", do="pip install 'errands[hand]'"
        ) from None
    return vobject
