"""From an outcome to a page: HTML that a browser shows, drawn from the rows of the world and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from errands.core import clock
from errands.core.money import Money
from errands.world import World

from .fields import Field
from .flow import Outcome, asked, asks, quotes, standing
from .guard import Guard
from .site import Site

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC = {"/site.css": "text/css", "/site.js": "text/javascript", "/favicon.ico": "image/svg+xml"}
_ICON = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#345"/>'
    b'<path d="M4 8h8M8 4v8" stroke="#fff" stroke-width="2"/></svg>'
)
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
    "done": ("Thank you", "This has been recorded.", "/results", "All offers"),
}


@dataclass(frozen=True, slots=True)
class Response:
    """What goes back to the browser. `cookie`: the session's, where it is set anew."""

    status: int
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    to: str = ""
    cookie: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def static(path: str) -> Response | None:
    """A file that every site has, or None."""
    kind = STATIC.get(path)
    if kind is None:
        return None
    body = _ICON if path == "/favicon.ico" else (_pages() / path[1:]).read_bytes()
    return Response(200, body, kind)


def draw(w: World, site: Site, guard: Guard, out: Outcome) -> Response:
    """The response to a request that led to this outcome."""
    cookie = guard.cookie(out.session)
    if out.status == 303:
        return Response(303, to=out.to, cookie=cookie)
    if out.status == 204:
        return Response(204, cookie=cookie)
    context = _Context(w, site, guard, out, out.shown).values()
    name = {"home": "home", "step": "step", "results": "results", "offer": "offer", "fold": "fold"}.get(
        out.page
    )
    if name is None and out.page.startswith("at "):
        name = "at"
    if name is None:
        key = out.page if out.page in _WORDS else "done"
        title, text, to, link = _WORDS[key]
        if key == "done" and context.get("q"):
            text = _receipt(site, out, context)
        if key == "expired":
            to = f"/step/{site.steps[0].name}"
        context["words"] = {"title": title, "text": text, "to": to, "link": link}
        name = "plain"
    html = _environment().get_template(f"{name}.html").render(context)
    return Response(out.status, html.encode(), cookie=cookie)


def _receipt(site: Site, out: Outcome, context: dict[str, Any]) -> str:
    """What was done, and for how much."""
    label = next(b.label for b in site.buttons if out.page == f"did {b.deed}")
    q = context["q"]
    return f"{label}: {q.who} {q.name}, {context['money'](q.price)} {site.per}".strip() + "."


@dataclass
class _Context:
    w: World
    site: Site
    guard: Guard
    out: Outcome
    page: str

    def values(self) -> dict[str, Any]:
        w, site, out = self.w, self.site, self.out
        said = {
            r["field"]: r["value"]
            for r in w.all(f"SELECT field, value FROM {site.name}_input WHERE session = ?", out.session)
        }

        def value_of(f: Field) -> str:
            return out.entered[f.name] if f.name in out.entered else said.get(f.name, "")

        more: dict[str, Any] = {}
        if out.page == "step":
            at = [s.name for s in site.steps].index(out.item)
            row = w.one(f"SELECT reached FROM {site.name}_session WHERE id = ?", out.session)
            step = site.steps[at]
            here = {f.name for f in step.fields}
            more = {
                "step": step,
                "fields": [
                    f for f in step.fields if asked(f, said) or (f.shown_if and f.shown_if[0] in here)
                ],
                "here": here,
                "way": [s for s in site.steps if asks(s, said)],
                "before": next((s.name for s in reversed(site.steps[:at]) if asks(s, said)), ""),
                "reached": row["reached"] if row else 0,
            }
        elif out.page == "results":
            found, n, size = standing(w, site, out.session), int(out.item), site.page_size
            more = {
                "offers": found[(n - 1) * size : n * size],
                "total": len(found),
                "number": n,
                "pages": -(-len(found) // size) or 1,
            }
        elif out.item:
            more["q"] = next((q for q in quotes(w, site, out.session) if q.id == out.item), None)
            more["button"] = next((b for b in site.buttons if f"at {b.deed}" == out.page), None)
        return {
            "site": site,
            "today": clock.from_ms(w.now, w.zone).strftime("%A, %-d %B %Y"),
            "page_id": self.page,
            "token": lambda path: self.guard.token(out.session, self.page, path),
            "dom": lambda name: self.guard.element(out.session, name),
            "errors": out.errors,
            "value_of": value_of,
            "money": lambda minor: f"{site.sign}{Money(minor, site.currency).major:,}",
            **more,
        }


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
