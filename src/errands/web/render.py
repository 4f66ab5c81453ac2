"""From an outcome to a page: HTML that a browser shows, drawn from the rows of the world and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from errands.core import clock
from errands.world import World

from .fields import Field
from .flow import Outcome
from .guard import Guard
from .site import Said, Site, Step
from .state import (
    asked,
    asks,
    bill,
    calculated,
    entries,
    filtered,
    furthest,
    hold,
    holds,
    inputs,
    quote,
    standing,
    unanswered,
    wrong,
)

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC = {"/site.css": "text/css", "/site.js": "text/javascript", "/favicon.ico": "image/svg+xml"}
_ICON = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#345"/>'
    b'<path d="M4 8h8M8 4v8" stroke="#fff" stroke-width="2"/></svg>'
)
_PAGES = (
    "home",
    "step",
    "results",
    "offer",
    "fold",
    "compare",
    "book",
    "review",
    "held",
)  # have a template each
_WORDS = {  # page: title, text, where its link leads, what the link says
    "refused": (
        "That did not work",
        "Please use the page itself, in the browser, and reload it first.",
        "/",
        "Start again",
    ),
    "missing": ("There is no such page", "The address may be old or mistyped.", "/", "Home"),
    "expired": (
        "Your session has ended",
        "For your safety we sign you out after a while. We have kept your answers: please check every one of them.",
        "/",
        "Go on",
    ),
    "changed": (
        "The prices have changed",
        "Please look at the {nouns} as they are now.",
        "/results",
        "All {nouns}",
    ),
    "did": ("Thank you", "", "/results", "All {nouns}"),
}


@dataclass(frozen=True, slots=True)
class Response:
    """What goes back to the browser. `cookie`: the session's, where it is set anew."""

    status: int
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    to: str = ""
    cookie: str = ""


def static(path: str) -> Response | None:
    """A file that every site has, or None."""
    kind = STATIC.get(path)
    if kind is None:
        return None
    body = _ICON if path == "/favicon.ico" else (_pages() / path[1:]).read_bytes()
    return Response(200, body, kind)


def draw(w: World, site: Site, guard: Guard, out: Outcome, known: str | None) -> Response:
    """The response to a request that led to this outcome. `known`: the session that its cookie named, None for no
    cookie; it is set anew only where that changes."""
    fresh = out.session != known and (out.status in (200, 303) or bool(out.session))
    cookie = guard.cookie(out.session) if fresh else ""
    if out.status == 303:
        return Response(303, to=out.to, cookie=cookie)
    if out.status == 204:
        return Response(204, cookie=cookie)
    context = _Context(w, site, guard, out, out.shown).values()
    name = out.page if out.page in _PAGES else None
    if name is None and out.page.startswith("at "):
        name = "at"
    if name is None:
        title, text, to, link = (words.format(nouns=site.nouns) for words in _WORDS[out.page])
        if out.page == "did":
            text = _receipt(w, site, out)
        if out.page == "expired":
            to = furthest(site, 0)
        context["words"] = {"title": title, "text": text, "to": to, "link": link}
        name = "plain"
    html = _environment().get_template(f"{name}.html").render(context)
    return Response(out.status, html.encode(), cookie=cookie)


def _receipt(w: World, site: Site, out: Outcome) -> str:
    """What was done, and for how much."""
    deed = w.one(f"SELECT kind, body FROM {site.name}_deed WHERE id = ?", out.item)
    assert deed is not None
    button = site.button(deed["kind"])
    assert button is not None
    label = button.label
    q = json.loads(deed["body"])["quote"]
    return f"{label}: {q['who']} {q['name']}, {site.money(q['price'])} {site.per}".strip() + "."


@dataclass
class _Context:
    w: World
    site: Site
    guard: Guard
    out: Outcome
    page: str

    def values(self) -> dict[str, Any]:
        w, site, out = self.w, self.site, self.out
        said = inputs(w, site, out.session)
        form = {"step": out.item, "results": "filter", "offer": f"calc-{out.item}"}.get(out.page, "")
        desk = _desk(w, site, out)
        form = desk.pop("form", form)
        if button := next((b for b in site.buttons if b.leads and out.page == f"at {b.deed}"), None):
            form = button.leads.name if button.leads else ""
        sent = wrong(w, site, out.session, form)
        held = {**said, **filtered(w, site, out.session)}
        worked = calculated(w, site, out.session, out.item) if out.page == "offer" else {}
        held |= worked.get("said", {}) | desk.get("said", {})

        def value_of(f: Field) -> str:
            return sent["entered"][f.name] if f.name in sent["entered"] else held.get(f.name, "")

        more: dict[str, Any] = desk
        if out.page == "step":
            row = w.one(f"SELECT reached FROM {site.name}_session WHERE id = ?", out.session)
            more = {**_form(site.steps, out.item, said), "reached": row["reached"] if row else 0}
        elif desk:
            pass
        elif out.page == "results":
            found, n, size = standing(w, site, out.session), int(out.item), site.page_size
            more = {
                "offers": found[(n - 1) * size : n * size],
                "total": len(found),
                "number": n,
                "pages": -(-len(found) // size) or 1,
                "holds": holds(w, site) if site.booking else [],
            }
        elif out.page == "compare":
            side = [q for ident in out.item.split() if (q := quote(w, site, out.session, ident))]
            more = {"offers": side, "labels": list(dict.fromkeys(label for q in side for label in q.shown))}
        elif out.item:
            more["worked"] = dict(worked.get("result", []))
            more["q"] = quote(w, site, out.session, out.item)
            more["button"] = button
        elif out.page == "home" and out.session:
            row = w.one(f"SELECT status, reached FROM {site.name}_session WHERE id = ?", out.session)
            more["resume"] = _resume(site, row)
        return {
            "site": site,
            "today": site.long_date(clock.from_ms(w.now, w.zone).date()),
            "page_id": self.page,
            "token": lambda path: self.guard.token(out.session, self.page, path),
            "dom": lambda name: self.guard.element(out.session, name),
            "errors": sent["errors"],
            "resume": "",
            "value_of": value_of,
            **more,
        }


def _form(steps: Sequence[Step], name: str, said: Said) -> dict[str, Any]:
    """One step of several: what is asked there, which others there are, which comes before it."""
    at = [s.name for s in steps].index(name)
    step = steps[at]
    here = {f.name for f in step.fields}
    return {
        "step": step,
        "fields": [f for f in step.fields if asked(f, said) or (f.shown_if and f.shown_if[0] in here)],
        "here": here,
        "way": [s for s in steps if asks(s, said)],
        "before": next((s.name for s in reversed(steps[:at]) if asks(s, said)), ""),
    }


def _desk(w: World, site: Site, out: Outcome) -> dict[str, Any]:
    """What the pages show on which an offer is booked; {} for any other. `form`: by which its faults are kept."""
    if site.booking is None or out.page not in ("book", "review", "held"):
        return {}
    if out.page == "held":
        return {"hold": hold(w, site, out.item)}
    ident, _, name = out.item.partition(" ")
    q, said = quote(w, site, out.session, ident), entries(w, site, out.session, ident)
    assert q is not None
    steps = site.booking.steps
    if out.page == "book":
        reached = unanswered(steps, said)
        return {
            "form": f"{name}-{ident}",
            "q": q,
            "said": said,
            "reached": reached,
            **_form(steps, name, said),
        }
    last = next(s.name for s in reversed(steps) if asks(s, said))
    due = bill(w, site, q, said)
    return {"form": f"{site.booking.review.name}-{ident}", "q": q, "said": said, "bill": due, "before": last}


def _resume(site: Site, row: dict[str, Any] | None) -> str:
    """Where somebody goes on who has begun before."""
    if row is None or row["status"] == "expired":
        return ""
    return "/results" if row["status"] == "done" else furthest(site, row["reached"])


def _pages() -> Any:
    return resources.files("errands.web") / "pages"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(name: str) -> str:
        return str((_pages() / name).read_text(encoding="utf-8"))

    return Environment(
        loader=FunctionLoader(load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
