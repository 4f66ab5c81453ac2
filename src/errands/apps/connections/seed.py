"""How builders say which services are connected, and in words what each of their scopes lets one do."""

from __future__ import annotations

from collections.abc import Mapping

from errands.world.fixture import Draft


def service(d: Draft, *, id: str, app: str, name: str, lets: Mapping[str, str], about: str = "") -> str:
    """A connected service; `lets`: what each scope lets one do, in the order in which it is shown. Returns its id."""
    d.insert("connections_service", id=id, app=app, name=name, about=about)
    for place, (scope, words) in enumerate(lets.items()):
        d.insert("connections_scope", service=id, scope=scope, lets=words, place=place)
    return id
