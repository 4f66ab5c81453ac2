"""Whether a request comes from a page that this exam has shown, in a browser that shows it.

Secrets are derived, never stored: a cookie, and the token of each form that was rendered, are keyed hashes of the
attempt's secret, which only the door holds. What was rendered and what was used are rows of the world.

This is tamper-evident, not tamper-proof: whoever re-implements the page's script can pass. Keeping an agent's shell
away from the port is the door's business.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

FORM = "application/x-www-form-urlencoded"
TOKEN, PAGE, TRACE = "_token", "_page", "_trace"  # hidden fields of every form


@dataclass(frozen=True, slots=True)
class Raw:
    """A request as it arrived. Header names are in small letters; `form` is the decoded body of a post."""

    method: str
    path: str
    headers: Mapping[str, str]
    cookie: str = ""  # of this site and attempt
    form: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guard:
    """The guard of one site in one attempt. `origin`: as a browser sends it. `plain`: it is reached over plain HTTP by
    address, where browsers send no fetch metadata; then its absence is no reason to refuse."""

    secret: bytes
    site: str
    origin: str
    plain: bool = False

    def _mac(self, *parts: str) -> str:
        return hmac.new(self.secret, "\n".join((self.site, *parts)).encode(), "sha256").hexdigest()[:32]

    def cookie(self, session: str) -> str:
        """The value of a session's cookie ("" for who has no session yet)."""
        return f"{session}.{self._mac('cookie', session)}"

    def session(self, cookie: str) -> str | None:
        """The session that a cookie names; None where it is no cookie of ours."""
        session, _, mac = cookie.rpartition(".")
        return session if _equal(mac, self._mac("cookie", session)) else None

    def token(self, session: str, page: str, path: str) -> str:
        """The token of a form on a page that was rendered (`page`: the row that records it), for one path."""
        return self._mac("form", session, page, path)

    def element(self, session: str, name: str) -> str:
        """The id of an element: another one in each session, so that no script can know it beforehand."""
        return "e" + self._mac("element", session, name)[:9]

    def foreign(self, raw: Raw) -> list[str]:
        """What shows that a request was made past the page: by another client, or by a script; [] if nothing does."""
        if raw.method == "GET":
            return self._fetched(raw, "navigate", "document", any_site=True)
        if raw.method != "POST":
            return [f"method {raw.method}"]
        found = []
        if self.session(raw.cookie) is None:
            found.append("no session cookie")
        if raw.headers.get("content-type", "").partition(";")[0].strip() != FORM:
            found.append("not a form")
        if raw.headers.get("origin", "") != self.origin:
            found.append("another origin" if "origin" in raw.headers else "origin not sent")
        widget = raw.path.startswith(("/fold/", "/typing/"))
        return found + (
            self._fetched(raw, None, "empty") if widget else self._fetched(raw, "navigate", "document")
        )

    def unknown(self, raw: Raw, rendered: bool) -> list[str]:
        """What is wrong with the form of a post, which an old page may be to blame for; [] if nothing is.

        `rendered`: the page that it names was shown to that visitor.
        """
        if raw.method != "POST":
            return []
        session, page = self.session(raw.cookie), raw.form.get(PAGE, "")
        known = {
            self.token(s, page, raw.path) for s in (session or "", "")
        }  # shown before the session began, or in it
        if not any(_equal(raw.form.get(TOKEN, ""), token) for token in known):
            return ["no token of this form"]
        return [] if rendered else ["the form was never shown"]

    def _fetched(self, raw: Raw, mode: str | None, dest: str, any_site: bool = False) -> list[str]:
        """What the browser says of who asks, and for what."""
        site = raw.headers.get("sec-fetch-site")
        if site is None:
            return [] if self.plain else ["fetch metadata not sent"]
        found = []
        if site != "same-origin" and not (any_site and site in ("none", "same-site", "cross-site")):
            found.append(f"asked from {site}")
        if mode is not None and raw.headers.get("sec-fetch-mode") != mode:
            found.append(f"mode {raw.headers.get('sec-fetch-mode')}")
        if raw.headers.get("sec-fetch-dest") != dest:
            found.append(f"dest {raw.headers.get('sec-fetch-dest')}")
        return found


def _equal(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "replace"), b.encode())
