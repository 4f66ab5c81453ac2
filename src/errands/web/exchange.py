"""One request and its answer: what the guard says, what the world does, what the browser gets."""

from __future__ import annotations

from errands.world import World

from .flow import Outcome
from .gestures import read_trace
from .guard import PAGE, TOKEN, TRACE, Guard, Raw
from .render import Response, draw
from .site import Site

MAX_FORM = 200_000  # characters of a form


def exchange(w: World, name: str, raw: Raw, guard: Guard) -> Response:
    """Answer a request to the site of this name."""
    site = w.apps.get(name)
    if not isinstance(site, Site):
        return Response(404, b"There is no such site.", "text/plain; charset=utf-8")
    session = guard.session(raw.cookie)
    page = raw.form.get(PAGE, "")
    shown = f"SELECT count(*) FROM {name}_seen WHERE id = ? AND session = ?"
    refused = guard.reasons(
        raw,
        used=bool(w.value(f"SELECT count(*) FROM {name}_sent WHERE page = ? AND path = ?", page, raw.path)),
        rendered=bool(w.value(shown, page, session or "")),
    )
    if sum(map(len, raw.form.values())) > MAX_FORM:
        refused.append("too much for a form")
    body = w.call(
        f"{name}_page",
        {
            "method": raw.method[:10],
            "path": [part[:80] for part in raw.path.strip("/").split("/") if part][:6],
            "session": session or "",
            "page": page if not refused else "",
            "form": {} if refused else {k: v for k, v in raw.form.items() if k not in (TOKEN, PAGE, TRACE)},
            "trace": [] if refused else read_trace(raw.form.get(TRACE, "")),
            "refused": refused,
        },
        page=True,
    )
    return draw(w, site, guard, Outcome(**{"page": "", **body}))
