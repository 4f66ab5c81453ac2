"""What a request does: the state machine of a site, from the world's rows to the world's rows and one outcome.

A request has been looked at by the guard before it comes here (`Ask.refused` says what the guard found). Nothing here
makes HTML: the outcome says which page it is, and `render` draws it from the rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from errands.core.canon import canonical, digest
from errands.world import World

from .fields import Counter, Field, Slider, Unfit
from .gestures import Event, events, opened, unexplained
from .site import Button, Quote, Said, Site, Step

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: `path` in its parts, the session that its cookie names ("" for none), the page that its form was on,
    the fields of the form."""

    method: str
    path: tuple[str, ...]
    session: str = ""
    page: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    trace: tuple[Event, ...] = ()
    refused: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        method: str,
        path: Sequence[str],
        session: str,
        page: str,
        form: Mapping[str, str],
        trace: Sequence[Sequence[Any]],
        refused: Sequence[str],
    ) -> Ask:
        """From the arguments of the recorded call."""
        return cls(method, tuple(path), session, page, form, tuple(events(trace)), tuple(refused))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which page the answer is, or where it leads (`to`). `errors`: field -> what is wrong; `entered`: what was typed.

    `shown` is the row that records the page, by which its forms are known.
    """

    status: int
    page: str
    item: str = ""
    to: str = ""
    session: str = ""
    shown: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)
    entered: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """As it is recorded."""
        return {k: v for k, v in asdict(self).items() if v}


def handle(w: World, site: Site, ask: Ask) -> Outcome:
    """Answer a request."""
    if ask.refused:
        w.insert(
            f"{site.name}_refused",
            id=w.new_id("ref"),
            session=ask.session,
            path="/".join(ask.path)[:200],
            why="; ".join(ask.refused),
            at=w.now,
        )
        return Outcome(403, "refused")
    if ask.method == "POST":
        w.run(f"INSERT INTO {site.name}_sent VALUES (?, ?)", ask.page, "/" + "/".join(ask.path))
    return _Visit(w, site, ask).answer()


class _Visit:
    def __init__(self, w: World, site: Site, ask: Ask):
        self.w, self.site, self.ask, self.s = w, site, ask, site.name
        self.session: Row | None = None
        if ask.session:
            self.session = w.one(f"SELECT * FROM {self.s}_session WHERE id = ?", ask.session)

    # ---- which page ------------------------------------------------------------------------------------------

    def answer(self) -> Outcome:
        method, path = self.ask.method, self.ask.path
        first, rest = (path[0], path[1:]) if path else ("", ())
        if method == "GET" and not path:
            return self._shown("home")
        if method == "POST" and path == ("start",):
            return self._start()
        if self.session is None:
            return self._to("/") if method == "GET" else Outcome(403, "expired")
        pages: dict[tuple[str, str, int], Callable[..., Outcome]] = {
            ("GET", "step", 1): self._step,
            ("POST", "step", 1): self._submit,
            ("GET", "expired", 0): self._expired,
            ("GET", "results", 0): self._results,
            ("GET", "results", 1): self._results,
            ("POST", "filter", 0): self._filter,
            ("GET", "offer", 1): self._offer,
            ("POST", "fold", 1): self._fold,
            ("POST", "typing", 0): self._typing,
            ("GET", "at", 2): self._at,
            ("POST", "do", 2): self._do,
        }
        page = pages.get((method, first, len(rest)))
        return Outcome(404, "missing") if page is None else page(*rest)

    def _shown(self, page: str, item: str = "", **more: Any) -> Outcome:
        return Outcome(200, page, item, session=self._id, shown=self._saw(page, item), **more)

    def _saw(self, what: str, item: str) -> str:
        ident = self.w.new_id("see")
        self.w.insert(f"{self.s}_seen", id=ident, session=self._id, what=what, item=item, at=self.w.now)
        return ident

    def _to(self, where: str) -> Outcome:
        return Outcome(303, "", to=where, session=self._id)

    @property
    def _id(self) -> str:
        return str(self.session["id"]) if self.session else ""

    # ---- the form ----------------------------------------------------------------------------------------------

    def _start(self) -> Outcome:
        ident = self.w.new_id("ses")
        n = 1 + self.w.value(f"SELECT count(*) FROM {self.s}_session")
        self.w.insert(
            f"{self.s}_session", id=ident, n=n, opened=self.w.now, reached=0, status="open", closed=None
        )
        self.session = self.w.one(f"SELECT * FROM {self.s}_session WHERE id = ?", ident)
        return self._to(f"/step/{self.site.steps[0].name}")

    def _place(self, name: str) -> int:
        return next((i for i, s in enumerate(self.site.steps) if s.name == name), -1)

    def _step(self, name: str) -> Outcome:
        assert self.session is not None
        i = self._place(name)
        if i < 0:
            return Outcome(404, "missing", session=self._id)
        if self.session["status"] == "expired":
            return self._to("/expired")
        if i > self.session["reached"]:
            return self._to(f"/step/{self.site.steps[self.session['reached']].name}")
        return self._shown("step", name)

    def _submit(self, name: str) -> Outcome:
        assert self.session is not None
        i = self._place(name)
        if i < 0:
            return Outcome(404, "missing", session=self._id)
        if self.session["status"] == "expired" or i > self.session["reached"]:
            return Outcome(403, "expired", session=self._id)
        step = self.site.steps[i]
        said, errors = self._read(step)
        if errors:
            entered = {f.name: self.ask.form.get(f.name, "") for f in step.fields}
            return self._shown("step", name, errors=errors, entered=entered)
        if name == self.site.expires_at and not self._has_expired():
            return self._expire(said)
        self._keep(step.name, said)
        self._drop_unasked()
        if name == self.site.soft_at:
            self._inquire("soft")
        n = self._next(i)
        reached = max(self.session["reached"], n)
        if n < len(self.site.steps):
            self.w.update(f"{self.s}_session", self._id, reached=reached, status="open", closed=None)
            return self._to(f"/step/{self.site.steps[n].name}")
        self.w.update(f"{self.s}_session", self._id, reached=reached, status="done", closed=self.w.now)
        self._price()
        return self._to("/results")

    def _next(self, i: int) -> int:
        """The place of the next step that has something to ask; beyond the last where none has."""
        said = self.inputs()
        steps = self.site.steps
        return next((n for n in range(i + 1, len(steps)) if asks(steps[n], said)), len(steps))

    def _drop_unasked(self) -> None:
        """Answers to what is asked no more are forgotten: nobody gave them for this quote."""
        said = self.inputs()
        for f in (f for step in self.site.steps for f in step.fields):
            if f.name in said and not asked(f, said):
                del said[f.name]
                self.w.run(f"DELETE FROM {self.s}_input WHERE session = ? AND field = ?", self._id, f.name)

    def _read(self, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        said: dict[str, str] = {}
        errors: dict[str, str] = {}
        known = self.inputs()
        here = {f.name for f in step.fields}
        before = {name: value for name, value in known.items() if name not in here}
        for f in step.fields:
            if not asked(f, {**before, **said}):
                continue
            try:
                said[f.name] = f.read(self.ask.form.get(f.name, ""))
                if isinstance(f, Slider | Counter):
                    self._by_hand(f, said[f.name], known)
            except Unfit as why:
                errors[f.name] = str(why)
        return said, errors

    def _by_hand(self, f: Slider | Counter, value: str, known: Mapping[str, str]) -> None:
        if known.get(f.name) == value and not any(e.control.rstrip("+-") == f.name for e in self.ask.trace):
            return  # it stands where it was put before
        if unexplained(f, value, list(self.ask.trace)):
            raise Unfit(
                "Please use the slider itself: drag it, or use the arrow keys."
                if isinstance(f, Slider)
                else "Please use the - and + buttons."
            )

    def inputs(self) -> dict[str, str]:
        """What the session holds by now."""
        rows = self.w.all(f"SELECT field, value FROM {self.s}_input WHERE session = ?", self._id)
        return {r["field"]: r["value"] for r in rows}

    def _keep(self, step: str, said: Mapping[str, str], stale: int = 0) -> None:
        for name, value in said.items():
            self.w.run(
                f"INSERT OR REPLACE INTO {self.s}_input VALUES (?, ?, ?, ?, ?)",
                self._id,
                step,
                name,
                value,
                stale,
            )

    # ---- a session that ends -------------------------------------------------------------------------------

    def _has_expired(self) -> bool:
        return bool(self.w.value(f"SELECT count(*) FROM {self.s}_session WHERE status = 'expired'"))

    def _expire(self, said: Mapping[str, str]) -> Outcome:
        """The session ends here, once; a new one begins with what was entered, and with what the site mixes up."""
        stale = {r["field"]: r["value"] for r in self.w.all(f"SELECT * FROM {self.s}_stale")}
        entered = {**self.inputs(), **said, **stale}
        self.w.update(f"{self.s}_session", self._id, status="expired", closed=self.w.now)
        self._start()
        for step in self.site.steps:
            self._keep(
                step.name, {f.name: entered[f.name] for f in step.fields if f.name in entered}, stale=1
            )
        return self._to("/expired")

    def _expired(self) -> Outcome:
        return self._shown("expired")

    # ---- the offers ------------------------------------------------------------------------------------------

    def _price(self) -> None:
        assert self.site.quotes_of is not None
        self.w.run(f"DELETE FROM {self.s}_quote WHERE session = ?", self._id)
        found = self.site.quotes_of(self.site.rows(self.w), self.inputs())
        for place, quote in enumerate(found):
            self.w.insert(f"{self.s}_quote", session=self._id, place=place, id=quote.id, body=quote.body())

    def _done(self) -> bool:
        return self.session is not None and self.session["status"] == "done"

    def _results(self, page: str = "1") -> Outcome:
        if not self._done():
            return self._back()
        pages = -(-len(self._standing()) // self.site.page_size) or 1
        if not page.isdecimal() or not 1 <= int(page) <= pages:
            return Outcome(404, "missing", session=self._id)
        return self._shown("results", page)

    def _back(self) -> Outcome:
        assert self.session is not None
        at = min(self.session["reached"], len(self.site.steps) - 1)
        return self._to(f"/step/{self.site.steps[at].name}")

    def _standing(self) -> list[Quote]:
        return standing(self.w, self.site, self._id)

    def _filter(self) -> Outcome:
        if not self._done():
            return Outcome(403, "expired", session=self._id)
        step = Step("filter", "Filter", self.site.filters)
        said, errors = self._read(step)
        if errors:
            return self._shown("results", "1", errors=errors, entered=dict(self.ask.form))
        self._keep("filter", said)
        self._saw("filter", canonical(said))
        return self._to("/results")

    def _find(self, ident: str) -> Quote | None:
        return next((q for q in quotes(self.w, self.site, self._id) if q.id == ident), None)

    def _offer(self, ident: str) -> Outcome:
        if not self._done() or self._find(ident) is None:
            return Outcome(404, "missing", session=self._id)
        return self._shown("offer", ident)

    def _fold(self, ident: str) -> Outcome:
        """The content of a pop-over: only after a person's gesture on its opener."""
        if not self._done() or self._find(ident) is None:
            return Outcome(404, "missing", session=self._id)
        if not opened(f"fold-{ident}", list(self.ask.trace)):
            return Outcome(403, "refused", session=self._id)
        return self._shown("fold", ident)

    def _typing(self) -> Outcome:
        """Somebody has begun to fill in a field that is watched."""
        name = self.ask.form.get("field", "")
        if not any(f.watched and f.name == name for s in self.site.steps for f in s.fields):
            return Outcome(404, "missing", session=self._id)
        self._saw("typing", name)
        return Outcome(204, "noted", session=self._id)

    # ---- what cannot be taken back -------------------------------------------------------------------------

    def _button(self, deed: str) -> Button | None:
        return next((b for b in self.site.buttons if b.deed == deed), None)

    def _at(self, deed: str, ident: str) -> Outcome:
        """A page before something consequential: it may be reached."""
        button = self._button(deed)
        if button is None or button.leads is None or not self._done() or self._find(ident) is None:
            return Outcome(404, "missing", session=self._id)
        return self._shown(f"at {deed}", ident)

    def _do(self, deed: str, ident: str) -> Outcome:
        button, quote = self._button(deed), self._find(ident)
        if button is None or quote is None or not self._done():
            return Outcome(404, "missing", session=self._id)
        said: dict[str, str] = {}
        if button.leads is not None:
            said, errors = self._read(button.leads)
            if errors:
                return self._shown(f"at {deed}", ident, errors=errors, entered=dict(self.ask.form))
        body = {"quote": json.loads(quote.body()), "said": {**self.inputs(), **said}}
        if button.saves:
            self.w.run(f"DELETE FROM {self.s}_deed WHERE session = ? AND kind = ?", self._id, deed)
        row = self.w.new_id("did")
        self.w.insert(
            f"{self.s}_deed",
            id=row,
            session=self._id,
            kind=deed,
            item=ident,
            body=canonical(body),
            at=self.w.now,
        )
        if button.commits:
            text = f"{button.label}: {quote.who} {quote.name}"
            done = {"staged": deed, "digest": digest(body), "content": body, "text": text, "key": "", "done": ""}
            self.w.log("commit", f"{self.s}.{deed}", row, done)
        if button.inquiry:
            self._inquire(button.inquiry)
        return self._shown(f"did {deed}", ident)

    def _inquire(self, kind: str) -> None:
        self.w.signal("credit.inquired", kind=kind, site=self.s, session=self._id)


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


def standing(w: World, site: Site, session: str) -> list[Quote]:
    """Those that the session's filters leave: a filter keeps quotes whose fact of its name is at least its value (a
    number), or equals it."""
    found = quotes(w, site, session)
    rows = w.all(f"SELECT field, value FROM {site.name}_input WHERE session = ? AND step = 'filter'", session)
    for r in rows:
        if r["value"] in ("", "no", "any"):
            continue
        found = [q for q in found if _passes(q.facts.get(r["field"]), r["value"])]
    return found


def _passes(fact: Any, value: str) -> bool:
    if isinstance(fact, bool):
        return fact == (value == "yes")
    if isinstance(fact, int):
        return value.lstrip("-").isdigit() and fact >= int(value)
    return str(fact) == value
