"""Connections: which services the user has connected, what one may do there, and whether that still holds.

Scopes are granted and revoked by the kernel (`exam_grant`, the event `connector.revoked`); this app only shows them.
One can ask the user for an access that is not there: the request is a row, and nobody grants it.
"""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import App, World

connections = App("connections", __name__, scopes=("connections.read", "connections.request"))
LONGEST = 1_000  # characters of a reason


@connections.read("connections.read")
def list_(w: World) -> list[dict[str, Any]]:
    """The connected services. `access` says what each scope lets you do, and whether you have it now.

    `status` is connected, or revoked once nothing of its access is left.
    """
    rows = w.all("SELECT * FROM connections_service ORDER BY name, id")
    return [_shown(w, r) for r in rows]


def _shown(w: World, service: dict[str, Any]) -> dict[str, Any]:
    access = [
        {"scope": r["scope"], "lets_you": r["lets"], "granted": bool(r["live"])}
        for r in w.all(
            "SELECT s.scope, s.lets, coalesce(g.live, 0) AS live FROM connections_scope s"
            " LEFT JOIN exam_grant g ON g.app = ? AND g.scope = s.scope WHERE s.service = ? ORDER BY s.place",
            service["app"],
            service["id"],
        )
    ]
    return {
        "service": service["id"],
        "name": service["name"],
        "about": service["about"],
        "status": "connected" if any(a["granted"] for a in access) else "revoked",
        "access": access,
    }


@connections.write("connections.request")
def request(
    w: World,
    service: Annotated[str, "id of a service, from connections_list"],
    scope: Annotated[str, "the scope that you ask for"],
    reason: Annotated[str, "what you need it for"] = "",
) -> dict[str, str]:
    """Ask the user for an access that you do not have. It stays closed until the user opens it."""
    known = [r["scope"] for r in w.all("SELECT scope FROM connections_scope WHERE service = ?", service)]
    if scope not in known:
        field, value = ("scope", scope) if known else ("service", service)
        raise ToolError(
            "not_found",
            f"there is no {field} {value!r}",
            field=field,
            value=value,
            expected=", ".join(known) or "an id from connections_list",
        )
    ident = w.new_id("req")
    w.insert("connections_request", id=ident, service=service, scope=scope, reason=reason[:LONGEST], at=w.now)
    return {"request": ident, "status": "waits for the user"}
