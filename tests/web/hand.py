"""Pages without a browser: requests made by hand, with all that a browser would send. For the server's own rules."""

from __future__ import annotations

import json
import re
from typing import Any

from errands.exam.sitting import Limits, Sitting
from errands.web.guard import Guard, Raw
from errands.web.render import Response
from errands.world import World

ORIGIN = "http://site.example"
BROWSER = {
    "sec-fetch-site": "same-origin",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    "origin": ORIGIN,
    "content-type": "application/x-www-form-urlencoded",
}


def hidden(html: str, path: str) -> dict[str, str]:
    """The hidden fields of the form of a page that leads to `path`."""
    form = re.search(rf'<form[^>]*action="{re.escape(path)}"[^>]*>(.*?)</form>', html, re.S)
    return dict(re.findall(r'name="(_page|_token)" value="([^"]*)"', form[1])) if form else {}


def ref(snapshot: str, role: str, name: str) -> str:
    """The ref of an element in a snapshot."""
    found = re.search(rf'{role} "{re.escape(name)}[^\n]*\[ref=(\w+)\]', snapshot)
    assert found is not None, snapshot
    return found[1]


class Hand:
    """Somebody at a site; `text` is the page that came last."""

    def __init__(self, world: World, site: str, secret: bytes = b"a secret of this attempt"):
        self.world, self.site = world, site
        self.sitting = Sitting(world, Limits(calls=10_000))
        self.guard = Guard(secret, site, ORIGIN)
        self.cookie = self.text = ""

    def get(self, path: str) -> Response:
        """Open a page, and follow where it leads."""
        answer = self.ask(Raw("GET", path, BROWSER, self.cookie))
        return self.get(answer.to) if answer.status == 303 else answer

    def post(self, path: str, trace: list[Any] | None = None, **fields: str) -> Response:
        """Send the form of the page that leads to `path`."""
        form = {**self.hidden(path), **fields, "_trace": json.dumps(trace or [])}
        answer = self.ask(Raw("POST", path, BROWSER, self.cookie, form))
        return self.get(answer.to) if answer.status == 303 else answer

    def ask(self, raw: Raw) -> Response:
        """Send a request as it is."""
        answer = self.sitting.page(self.site, raw, self.guard)
        self.cookie = answer.cookie or self.cookie
        if answer.body:
            self.text = answer.body.decode()
        return answer

    def hidden(self, path: str) -> dict[str, str]:
        """The hidden fields of the form that leads to `path`."""
        return hidden(self.text, path)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The site's rows."""
        return self.world.all(f"SELECT * FROM {self.site}_{table}")

    def said(self) -> dict[str, str]:
        """All that is held, of the newest session."""
        last = self.world.value(f"SELECT id FROM {self.site}_session ORDER BY n DESC LIMIT 1")
        return {r["field"]: r["value"] for r in self.rows("input") if r["session"] == last}
