"""What the rows of a session say: what was entered, what is asked, which offers stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from errands.world import World

from .fields import Field, whole
from .site import Bill, Hold, Quote, Said, Site, Step


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


def following(steps: Sequence[Step], said: Said, i: int) -> int:
    """The place of the next step after this one that has something to ask; beyond the last where none has."""
    return next((n for n in range(i + 1, len(steps)) if asks(steps[n], said)), len(steps))


def unanswered(steps: Sequence[Step], said: Said) -> int:
    """The place of the first step in which something that is asked was never answered; beyond the last where none."""
    missing = (n for n, s in enumerate(steps) if any(asked(f, said) and f.name not in said for f in s.fields))
    return next(missing, len(steps))


def quotes(w: World, site: Site, session: str) -> list[Quote]:
    """The quotes of a session, in the site's order."""
    rows = w.all(f"SELECT body FROM {site.name}_quote WHERE session = ? ORDER BY place", session)
    return [Quote.read(r["body"]) for r in rows]


def quote(w: World, site: Site, session: str, ident: str) -> Quote | None:
    """One of them."""
    return next((q for q in quotes(w, site, session) if q.id == ident), None)


def furthest(site: Site, reached: int) -> str:
    """The page of the furthest step that a session has come to; the list, where nothing is asked before it."""
    if not site.steps:
        return "/results"
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


# ---- bookings -----------------------------------------------------------------------------------------------------


def entries(w: World, site: Site, session: str, item: str) -> dict[str, str]:
    """What was entered so far in the steps by which an offer is booked."""
    sql = f"SELECT field, value FROM {site.name}_entry WHERE session = ? AND item = ?"
    return {r["field"]: r["value"] for r in w.all(sql, session, item)}


def bill(w: World, site: Site, offer: Quote, said: Said) -> Bill:
    """What booking an offer comes to, with these answers."""
    assert site.bill_of is not None
    return site.bill_of(site.rows(w), offer, said)


def holds(w: World, site: Site) -> list[Hold]:
    """What is held and was neither submitted nor released, in the order in which it came to be. Holds are the
    visitor's, who is one in an attempt, and outlast a session."""
    sql = f"SELECT * FROM {site.name}_hold WHERE status = 'held' ORDER BY at, id"
    return [Hold.read(r) for r in w.all(sql)]


def booked(w: World, site: Site, item: str) -> list[Said]:
    """What was entered for each booking of an offer that is held or submitted."""
    sql = f"SELECT * FROM {site.name}_hold WHERE item = ? AND status <> 'released' ORDER BY at, id"
    return [Hold.read(r).said for r in w.all(sql, item)]


def hold(w: World, site: Site, ident: str) -> Hold | None:
    """One hold, whatever became of it."""
    row = w.one(f"SELECT * FROM {site.name}_hold WHERE id = ?", ident)
    return None if row is None else Hold.read(row)
