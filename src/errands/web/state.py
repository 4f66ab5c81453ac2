"""What the rows of a session say: what was entered, what is asked, which offers stand."""

from __future__ import annotations

import json
from typing import Any

from errands.world import World

from .fields import Field, whole
from .site import Quote, Said, Site, Step


def inputs(w: World, site: Site, session: str) -> dict[str, str]:
    """What was entered in the steps of a session."""
    sql = f"SELECT field, value FROM {site.name}_input WHERE session = ? AND step <> 'filter'"
    return {r["field"]: r["value"] for r in w.all(sql, session)}


def filtered(w: World, site: Site, session: str) -> dict[str, str]:
    """By what the offers of a session are filtered."""
    sql = f"SELECT field, value FROM {site.name}_input WHERE session = ? AND step = 'filter'"
    return {r["field"]: r["value"] for r in w.all(sql, session)}


def wrong(w: World, site: Site, session: str, form: str) -> dict[str, dict[str, str]]:
    """What was sent last in a form that was not accepted: `errors` and `entered`, by field."""
    body = w.value(f"SELECT body FROM {site.name}_wrong WHERE session = ? AND form = ?", session, form)
    return {"errors": {}, "entered": {}} if body is None else dict(json.loads(body))


def calculated(w: World, site: Site, session: str, ident: str) -> dict[str, Any]:
    """What an offer's calculator was last used with in a session since its prices were made, and what came out: `said`
    and `result`; {} before."""
    sql = f"SELECT s.item FROM {site.name}_seen s JOIN {site.name}_session v ON v.id = s.session WHERE s.session = ?"
    for row in w.all(
        f"{sql} AND s.what = 'calc' AND s.at >= v.closed ORDER BY s.at DESC, s.id DESC", session
    ):
        kept: dict[str, Any] = json.loads(row["item"])
        if kept["id"] == ident:
            return kept
    return {}


def asked(f: Field, said: Said) -> bool:
    """Whether a field is asked, by what was entered before it."""
    return f.shown_if is None or said.get(f.shown_if[0]) == f.shown_if[1]


def asks(step: Step, said: Said) -> bool:
    """Whether a step has anything to ask (what hangs on an answer of its own may be)."""
    here = {f.name for f in step.fields}
    return any(asked(f, said) or (f.shown_if is not None and f.shown_if[0] in here) for f in step.fields)


def quotes(w: World, site: Site, session: str) -> list[Quote]:
    """The quotes of a session, in the site's order."""
    rows = w.all(f"SELECT body FROM {site.name}_quote WHERE session = ? ORDER BY place", session)
    return [Quote.read(r["body"]) for r in rows]


def quote(w: World, site: Site, session: str, ident: str) -> Quote | None:
    """One of them."""
    return next((q for q in quotes(w, site, session) if q.id == ident), None)


def furthest(site: Site, reached: int) -> str:
    """The page of the furthest step that a session has come to."""
    return f"/step/{site.steps[min(reached, len(site.steps) - 1)].name}"


def standing(w: World, site: Site, session: str) -> list[Quote]:
    """Those that the session's filters leave: a filter keeps quotes whose fact of its name is at least its value (a
    number), or equals it."""
    found = quotes(w, site, session)
    for name, value in filtered(w, site, session).items():
        if value not in ("", "no", "any"):
            found = [q for q in found if _passes(q.facts.get(name), value)]
    return found


def _passes(fact: Any, value: str) -> bool:
    if isinstance(fact, bool):
        return fact == (value == "yes")
    if isinstance(fact, int):
        least = whole(value)
        return least is not None and fact >= least
    return str(fact) == value
