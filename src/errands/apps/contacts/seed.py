"""How builders fill the address book."""

from __future__ import annotations

import json
from collections.abc import Iterable

from errands.world.fixture import Draft


def person(
    d: Draft,
    *,
    id: str,
    name: str,
    called: str,
    formal: str,
    email: str,
    phone: str = "",
    org: str = "",
    title: str = "",
    relation: str = "",
    zone: str = "",
    aliases: Iterable[str] = (),
    notes: str = "",
    related: Iterable[tuple[str, str]] = (),
) -> str:
    """One person; `related` are (kind, other person's id). Returns the id."""
    d.insert(
        "contacts_person",
        id=id,
        name=name,
        called=called,
        formal=formal,
        email=email,
        phone=phone,
        org=org,
        title=title,
        relation=relation,
        zone=zone,
        aliases=json.dumps(list(aliases), ensure_ascii=False),
        notes=notes,
    )
    for kind, other in related:
        d.insert("contacts_relation", person=id, kind=kind, other=other)
    return id
