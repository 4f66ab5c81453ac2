"""One request and its answer: what the guard says, what the world does, what the browser gets."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from errands.core.errors import WorldFault
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
    raw = replace(raw, path=_clean(raw.path), form={_clean(k): _clean(v) for k, v in raw.form.items()})
    session = guard.session(raw.cookie)
    page = raw.form.get(PAGE, "")
    shown = f"SELECT count(*) FROM {name}_seen WHERE id = ? AND session IN (?, '')"
    foreign = guard.foreign(raw)
    refused = [*foreign, *guard.unknown(raw, rendered=bool(w.value(shown, page, session or "")))]
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
            "trace": [] if refused else _trace(raw),
            "refused": refused,
            "foreign": bool(foreign),
        },
        page=True,
    )
    try:
        return draw(w, site, guard, Outcome(**{"page": "", **body}), session)
    except Exception as why:
        raise WorldFault(
            f"{type(why).__name__}: {why}", do="a page could not be drawn: a bug of ours"
        ) from why


def _trace(raw: Raw) -> list[list[str | bool]]:
    return [
        [x if isinstance(x, bool) else _clean(x) for x in row] for row in read_trace(raw.form.get(TRACE, ""))
    ]


def _clean(text: str) -> str:
    """Text as a world takes it: valid, composed, without null characters."""
    valid = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return unicodedata.normalize("NFC", valid)
