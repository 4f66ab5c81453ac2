"""What a request does: the state machine of a site, from the world's rows to the world's rows and one outcome.

A request has been looked at by the guard before it comes here (`Ask.refused` says what the guard found). Nothing here
makes HTML: the outcome says which page it is, and `render` draws it from the rows. Every form that is sent leads to a
page of its own, so that it can be reloaded and gone back to; a form that is sent twice leads where it first led.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from errands.core import clock
from errands.core.canon import canonical, digest
from errands.world import World

from .fields import Counter, Slider, Unfit, whole
from .gestures import Event, events, opened, unexplained
from .site import Quote, Site, Step
from .state import asked, following, furthest, inputs, quote, standing, unanswered, wrong

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: `path` in its parts, the session that its cookie names ("" for none), the page that its form was on,
    the fields of the form. `foreign`: it was made past the page."""

    method: str
    path: tuple[str, ...]
    session: str = ""
    page: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    trace: tuple[Event, ...] = ()
    refused: tuple[str, ...] = ()
    foreign: bool = False

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
        foreign: bool,
    ) -> Ask:
        """From the arguments of the recorded call."""
        return cls(method, tuple(path), session, page, form, tuple(events(trace)), tuple(refused), foreign)

    @property
    def where(self) -> str:
        """Its path, written as one."""
        return "/" + "/".join(self.path)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which page the answer is, or where it leads (`to`); `shown` is the row that records the page, by which its forms
    are known."""

    status: int
    page: str
    item: str = ""
    to: str = ""
    session: str = ""
    shown: str = ""

    def body(self) -> dict[str, Any]:
        """As it is recorded."""
        return {k: v for k, v in asdict(self).items() if v}


def handle(w: World, site: Site, ask: Ask) -> Outcome:
    """Answer a request."""
    from .booking import BookingVisit

    visit = (BookingVisit if site.booking else Visit)(w, site, ask)
    if ask.refused:
        visit.refuse("; ".join(ask.refused))
        return Outcome(403, "refused", session=ask.session)
    if ask.method != "POST":
        return visit.answer()
    led = w.value(f"SELECT led FROM {site.name}_sent WHERE page = ? AND path = ?", ask.page, ask.where)
    if led is not None:
        return visit.again(led)
    out = visit.answer()
    w.insert(f"{site.name}_sent", page=ask.page, path=ask.where, led=out.to)
    return out


class Visit:
    """One request at a site, and what it does there."""

    def __init__(self, w: World, site: Site, ask: Ask):
        self.w, self.site, self.ask, self.s = w, site, ask, site.name
        self.session: Row | None = None
        if ask.session:
            self.session = w.one(f"SELECT * FROM {self.s}_session WHERE id = ?", ask.session)

    # ---- which page ------------------------------------------------------------------------------------------

    def answer(self) -> Outcome:
        """The page, or where the request leads."""
        method, path = self.ask.method, self.ask.path
        first, rest = (path[0], path[1:]) if path else ("", ())
        if method == "GET" and not path:
            return self._shown("home")
        if method == "POST" and path == ("start",):
            return self._start()
        if self.session is None:
            return self._to("/") if method == "GET" else self._not_now()
        page = self._pages().get((method, first, len(rest)))
        return self._missing() if page is None else page(*rest)

    def _pages(self) -> dict[tuple[str, str, int], Callable[..., Outcome]]:
        """What answers a request, by its method, its first part, and how many parts follow."""
        return {
            ("GET", "step", 1): self._step,
            ("POST", "step", 1): self._submit,
            ("GET", "expired", 0): lambda: self._shown("expired"),
            ("GET", "changed", 0): lambda: self._shown("changed"),
            ("GET", "results", 0): self._results,
            ("GET", "results", 1): self._results,
            ("POST", "filter", 0): self._filter,
            ("GET", "offer", 1): self._offer,
            ("POST", "fold", 1): self._fold,
            ("POST", "calc", 1): self._calculate,
            ("POST", "compare", 0): self._pick,
            **{("GET", "compare", n): self._compare for n in COMPARED},
            ("POST", "typing", 1): self._typing,
            ("GET", "at", 2): self._at,
            ("POST", "do", 2): self._do,
            ("GET", "did", 1): self._did,
        }

    def again(self, led: str) -> Outcome:
        """A form that was sent before (a second click, a reload): nothing happens twice."""
        if self.ask.path[:1] == ("typing",):
            return Outcome(204, "noted", session=self._id)
        if not led:
            self.refuse("the form was sent before")
            return Outcome(403, "refused", session=self._id)
        return self._to(led)

    def refuse(self, why: str, *, past: bool = False) -> None:
        """Put a refusal on record. `past`: only somebody who goes past the page can ask for that."""
        self.w.insert(
            f"{self.s}_refused",
            id=self.w.new_id("ref"),
            session=self.ask.session,
            path=self.ask.where[:200],
            why=why,
            past=int(past or self.ask.foreign),
            at=self.w.now,
        )

    def _shown(self, page: str, item: str = "") -> Outcome:
        return Outcome(200, page, item, session=self._id, shown=self._saw(page, item))

    def _saw(self, what: str, item: str) -> str:
        ident = self.w.new_id("see")
        self.w.insert(f"{self.s}_seen", id=ident, session=self._id, what=what, item=item, at=self.w.now)
        return ident

    def _to(self, where: str) -> Outcome:
        return Outcome(303, "", to=where, session=self._id)

    def _missing(self) -> Outcome:
        return Outcome(404, "missing", session=self._id)

    def _not_now(self) -> Outcome:
        """A form of a session that is over, or of a step that was not reached."""
        self.refuse("the session is not there yet, or no more")
        return Outcome(403, "expired", session=self._id)

    @property
    def _id(self) -> str:
        return str(self.session["id"]) if self.session else ""

    # ---- the form ----------------------------------------------------------------------------------------------

    def _start(self) -> Outcome:
        """Begin; whoever is in the middle already goes on there, unless the form says that it begins anew."""
        if self.session is not None and self.session["status"] == "open" and "anew" not in self.ask.form:
            return self._to(self._here())
        self._open()
        if not self.site.steps:
            self._finish(0)
        return self._to(furthest(self.site, 0))

    def _open(self) -> None:
        ident = self.w.new_id("ses")
        n = 1 + self.w.value(f"SELECT count(*) FROM {self.s}_session")
        self.w.insert(
            f"{self.s}_session", id=ident, n=n, opened=self.w.now, reached=0, status="open", closed=None
        )
        self.session = self.w.one(f"SELECT * FROM {self.s}_session WHERE id = ?", ident)

    def _here(self) -> str:
        """The furthest step that was reached."""
        assert self.session is not None
        return furthest(self.site, self.session["reached"])

    def _place(self, name: str) -> int:
        return next((i for i, s in enumerate(self.site.steps) if s.name == name), -1)

    def _step(self, name: str) -> Outcome:
        assert self.session is not None
        i = self._place(name)
        if i < 0:
            return self._missing()
        if self.session["status"] == "expired":
            return self._to("/expired")
        return self._to(self._here()) if i > self.session["reached"] else self._shown("step", name)

    def _submit(self, name: str) -> Outcome:
        assert self.session is not None
        i = self._place(name)
        if i < 0:
            return self._missing()
        if self.session["status"] == "expired" or i > self.session["reached"]:
            return self._not_now()
        step = self.site.steps[i]
        said = self._read(step)
        if said is None:
            return self._to(f"/step/{name}")
        self._typed(step, said)
        if name == self.site.expires_at and not self._has_expired():
            return self._expire(said)
        self._keep(step.name, said)
        self._drop_unasked()
        if name == self.site.soft_at:
            self._inquire("soft")
        said = self._inputs()
        n = min(following(self.site.steps, said, i), unanswered(self.site.steps, said))
        reached = max(self.session["reached"], n) if n < len(self.site.steps) else len(self.site.steps)
        self.w.run(f"DELETE FROM {self.s}_quote WHERE session = ?", self._id)
        if n < len(self.site.steps):
            self.w.update(f"{self.s}_session", self._id, reached=reached, status="open", closed=None)
            return self._to(f"/step/{self.site.steps[n].name}")
        self._finish(reached)
        return self._to("/results")

    def _finish(self, reached: int) -> None:
        """All that is asked has been answered: the offers are made."""
        self.w.update(f"{self.s}_session", self._id, reached=reached, status="done", closed=self.w.now)
        self._price()

    def _inputs(self) -> dict[str, str]:
        return inputs(self.w, self.site, self._id)

    def _read(self, step: Step, known: Mapping[str, str] | None = None) -> dict[str, str] | None:
        """What a form says; None, with what is wrong on record for its page, where it is not accepted. `known`: what
        was entered before it, where that is not what the steps hold."""
        said: dict[str, str] = {}
        errors: dict[str, str] = {}
        held = self._inputs() if known is None else known
        entered = {f.name: self.ask.form.get(f.name, "") for f in step.fields}
        here = {f.name for f in step.fields}
        before = {name: value for name, value in held.items() if name not in here}
        for f in step.fields:
            if not asked(f, {**before, **said}):
                continue
            try:
                said[f.name] = f.read(self.ask.form.get(f.name, ""))
                if isinstance(f, Slider | Counter):
                    begins = self._begins(step, f, held)
                    if why := unexplained(f, begins, said[f.name], list(self.ask.trace)):
                        self.refuse(why)
                        raise Unfit(_BY_HAND[f.kind])
            except Unfit as why_not:
                errors[f.name] = str(why_not)
                if isinstance(
                    f, Slider | Counter
                ):  # it stands where its page had it, and moves on from there
                    entered[f.name] = str(self._begins(step, f, held))
        self._note_wrong(step.name, errors, entered)
        return None if errors else said

    def _note_wrong(self, form: str, errors: Mapping[str, str], entered: Mapping[str, str]) -> None:
        """Put on record what was wrong in a form that was sent, in the place of what was wrong before."""
        self.w.run(f"DELETE FROM {self.s}_wrong WHERE session = ? AND form = ?", self._id, form)
        if errors:
            body = canonical({"errors": dict(errors), "entered": dict(entered)})
            self.w.insert(f"{self.s}_wrong", session=self._id, form=form, body=body)

    def _begins(self, step: Step, f: Slider | Counter, held: Mapping[str, str]) -> int:
        """Where a control stood when its page was shown."""
        shown = wrong(self.w, self.site, self._id, step.name)["entered"].get(f.name) or held.get(f.name)
        at = whole(shown or "")
        return f.begins if at is None else at

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

    def _drop_unasked(self) -> None:
        """Answers to what is asked no more are forgotten: nobody gave them for this quote."""
        said = self._inputs()
        for f in (f for step in self.site.steps for f in step.fields):
            if f.name in said and not asked(f, said):
                del said[f.name]
                self.w.run(f"DELETE FROM {self.s}_input WHERE session = ? AND field = ?", self._id, f.name)

    # ---- fields that wait for somebody's answer --------------------------------------------------------------

    def _typing(self, name: str) -> Outcome:
        """Somebody has begun to fill in a field that is watched."""
        if not any(f.watched and f.name == name for s in self.site.steps for f in s.fields):
            return self._missing()
        self._saw("typing", name)
        return Outcome(204, "noted", session=self._id)

    def _typed(self, step: Step, said: Mapping[str, str]) -> None:
        """A watched field that came filled in without a word before: it was filled in now, at the latest."""
        sql = f"SELECT 1 FROM {self.s}_seen WHERE session = ? AND what = 'typing' AND item = ?"
        for f in step.fields:
            if f.watched and said.get(f.name) and self.w.value(sql, self._id, f.name) is None:
                self._saw("typing", f.name)

    # ---- a session that ends -------------------------------------------------------------------------------

    def _has_expired(self) -> bool:
        return bool(self.w.value(f"SELECT count(*) FROM {self.s}_session WHERE status = 'expired'"))

    def _expire(self, said: Mapping[str, str]) -> Outcome:
        """The session ends here, once; a new one begins with what was entered, and with what the site mixes up."""
        stale = {r["field"]: r["value"] for r in self.w.all(f"SELECT * FROM {self.s}_stale")}
        entered = {**self._inputs(), **said, **stale}
        self.w.update(f"{self.s}_session", self._id, status="expired", closed=self.w.now)
        self._open()
        for step in self.site.steps:
            self._keep(
                step.name, {f.name: entered[f.name] for f in step.fields if f.name in entered}, stale=1
            )
        return self._to("/expired")

    # ---- the offers ------------------------------------------------------------------------------------------

    def _price(self) -> None:
        assert self.site.quotes_of is not None
        today = clock.from_ms(self.w.now, self.w.zone).date()
        found = self.site.quotes_of(self.site.rows(self.w), self._inputs(), today)
        for place, q in enumerate(found):
            self.w.insert(f"{self.s}_quote", session=self._id, place=place, id=q.id, body=q.body())

    def _done(self) -> bool:
        return self.session is not None and self.session["status"] == "done"

    def _results(self, page: str = "1") -> Outcome:
        if not self._done():
            return self._to(self._here())
        pages = -(-len(standing(self.w, self.site, self._id)) // self.site.page_size) or 1
        n = whole(page)
        return self._missing() if n is None or not 1 <= n <= pages else self._shown("results", str(n))

    def _filter(self) -> Outcome:
        if not self._done():
            return self._not_now()
        said = self._read(Step("filter", "Filter", self.site.filters))
        if said is not None:
            self._keep("filter", said)
            self._saw("filter", canonical(said))
        return self._to("/results")

    def _find(self, ident: str) -> Quote | None:
        return quote(self.w, self.site, self._id, ident)

    def _offer(self, ident: str) -> Outcome:
        if not self._done() or self._find(ident) is None:
            return self._missing()
        return self._shown("offer", ident)

    def _fold(self, ident: str) -> Outcome:
        """The content of a pop-over: only after a person's gesture on its opener."""
        if not self._done() or self._find(ident) is None:
            return self._missing()
        if not opened(f"fold-{ident}", list(self.ask.trace)):
            self.refuse("the price details were not opened by a person", past=True)
            return Outcome(403, "refused", session=self._id)
        return self._shown("fold", ident)

    def _calculate(self, ident: str) -> Outcome:
        """The calculator of an offer: what was entered and what came out are on record, and on its page."""
        offer, site = self._find(ident), self.site
        if not self._done() or offer is None or site.calculator is None or site.result_of is None:
            return self._missing()
        said = self._read(Step(f"calc-{ident}", "", site.calculator.fields))
        if said is not None:
            today = clock.from_ms(self.w.now, self.w.zone).date()
            result = site.result_of(site.rows(self.w), offer, {**self._inputs(), **said}, today)
            kept = {"id": ident, "said": said, "result": list(result.items())}
            self._saw("calc", canonical(kept))
        return self._to(f"/offer/{ident}")

    def _pick(self) -> Outcome:
        """Two to four offers to be put side by side."""
        if not self._done() or not self.site.compares:
            return self._missing()
        names = [name.removeprefix("pick-") for name in self.ask.form if name.startswith("pick-")]
        picked = [q.id for q in standing(self.w, self.site, self._id) if q.id in names]
        few = {} if len(picked) in COMPARED else {"pick": "Please tick two to four offers."}
        self._note_wrong("filter", few, {})
        if few:
            return self._to("/results")
        return self._to(f"/compare/{'/'.join(picked)}")

    def _compare(self, *idents: str) -> Outcome:
        if not self._done() or not self.site.compares or not all(map(self._find, idents)):
            return self._missing()
        return self._shown("compare", " ".join(idents))

    # ---- what cannot be taken back -------------------------------------------------------------------------

    def _at(self, deed: str, ident: str) -> Outcome:
        """A page before something consequential: it may be reached."""
        button = self.site.button(deed)
        if button is None or button.leads is None or not self._done() or self._find(ident) is None:
            return self._missing()
        return self._shown(f"at {deed}", ident)

    def _do(self, deed: str, ident: str) -> Outcome:
        button, offer = self.site.button(deed), self._find(ident)
        if button is None:
            return self._missing()
        if not self._done() or offer is None or self._outdated():
            return self._to("/changed")
        said: dict[str, str] | None = {}
        if button.leads is not None:
            said = self._read(button.leads)
            if said is None:
                return self._to(f"/at/{deed}/{ident}")
        body = {"quote": json.loads(offer.body()), "said": {**self._inputs(), **(said or {})}}
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
            text = f"{button.label}: {offer.who} {offer.name}"
            done = {
                "staged": deed,
                "digest": digest(body),
                "content": body,
                "text": text,
                "key": "",
                "done": "",
            }
            self.w.log("commit", f"{self.s}.{deed}", row, done)
        if button.inquiry:
            self._inquire(button.inquiry)
        return self._to(f"/did/{row}")

    def _outdated(self) -> bool:
        """Whether the prices were made anew after the page was shown on which somebody clicked."""
        assert self.session is not None
        shown = self.w.value(f"SELECT at FROM {self.s}_seen WHERE id = ?", self.ask.page)
        return shown is None or self.session["closed"] is None or shown < self.session["closed"]

    def _did(self, row: str) -> Outcome:
        found = self.w.one(f"SELECT * FROM {self.s}_deed WHERE id = ? AND session = ?", row, self._id)
        return self._missing() if found is None else self._shown("did", row)

    def _inquire(self, kind: str) -> None:
        self.w.signal("credit.inquired", kind=kind, site=self.s, session=self._id)


COMPARED = (2, 3, 4)  # so many offers fit beside each other
_BY_HAND = {
    "slider": "Please use the slider itself: drag it, or use the arrow keys.",
    "counter": "Please use the - and + buttons.",
}
