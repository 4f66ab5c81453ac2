"""What a visit does where offers are booked: steps of an offer's own, a review, a hold, and what becomes of that.

    /book/<offer>            to the first step that is not answered, or to the review
    /book/<offer>/<step>     a step of the form
    /review/<offer>          what it comes to; what is accepted there is held: a new row of `<site>_hold`
    /held/<hold>             a hold, which can be submitted (the commit) or released

The form of a review names the bill that it shows: where that has changed since, the review is shown again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from errands.core.canon import canonical, digest

from .flow import Outcome, Visit
from .site import Booking, Hold, Quote, Step
from .state import asked, bill, booked, entries, following, hold, unanswered


class BookingVisit(Visit):
    """A request at a site where offers are booked."""

    def _pages(self) -> dict[tuple[str, str, int], Callable[..., Outcome]]:
        return {
            **super()._pages(),
            ("GET", "book", 1): self._go_on,
            ("GET", "book", 2): self._entering,
            ("POST", "book", 2): self._enter,
            ("GET", "review", 1): self._review,
            ("POST", "accept", 2): self._accept,
            ("GET", "held", 1): self._held,
            ("POST", "release", 1): self._release,
            ("POST", "submit", 1): self._submit_hold,
        }

    @property
    def _booking(self) -> Booking:
        assert self.site.booking is not None
        return self.site.booking

    # ---- the form ----------------------------------------------------------------------------------------------

    def _said(self, offer: Quote) -> dict[str, str]:
        return entries(self.w, self.site, self._id, offer.id)

    def _offered(self, ident: str) -> Quote | None:
        return self._find(ident) if self._done() else None

    def _go_on(self, ident: str) -> Outcome:
        offer = self._offered(ident)
        return self._missing() if offer is None else self._to(self._next(offer))

    def _next(self, offer: Quote) -> str:
        """Where somebody goes on: to the first step that is not answered, or where something is wrong; else to the
        review."""
        said = self._said(offer)
        n = unanswered(self._booking.steps, said)
        if n < len(self._booking.steps):
            return f"/book/{offer.id}/{self._booking.steps[n].name}"
        wrong = self._wrong(offer, said)
        for step in self._booking.steps:
            if mine := {f.name: wrong[f.name] for f in step.fields if f.name in wrong}:
                self._note_wrong(f"{step.name}-{offer.id}", mine, {})
                return f"/book/{offer.id}/{step.name}"
        return f"/review/{offer.id}"

    def _wrong(self, offer: Quote, said: Mapping[str, str]) -> dict[str, str]:
        """What the site does not take: field -> what the page says."""
        if self.site.wrong_of is None:
            return {}
        before = booked(self.w, self.site, offer.id)
        return dict(self.site.wrong_of(self.site.rows(self.w), offer, said, before))

    def _step_of(self, name: str) -> int:
        return next((i for i, s in enumerate(self._booking.steps) if s.name == name), -1)

    def _entering(self, ident: str, name: str) -> Outcome:
        offer, i = self._offered(ident), self._step_of(name)
        if offer is None or i < 0:
            return self._missing()
        if i > unanswered(self._booking.steps, self._said(offer)):
            return self._to(self._next(offer))
        return self._shown("book", f"{ident} {name}")

    def _enter(self, ident: str, name: str) -> Outcome:
        offer, i = self._offered(ident), self._step_of(name)
        if offer is None or i < 0:
            return self._missing()
        steps, before = self._booking.steps, self._said(offer)
        if i > unanswered(steps, before):
            return self._not_now()
        form = replace(steps[i], name=f"{name}-{ident}")
        said = self._read(form, before)
        if said is None:
            return self._to(f"/book/{ident}/{name}")
        wrong = {f: why for f, why in self._wrong(offer, {**before, **said}).items() if f in said}
        self._note_wrong(form.name, wrong, said)
        if wrong:
            return self._to(f"/book/{ident}/{name}")
        for field, value in said.items():
            self.w.run(
                f"INSERT OR REPLACE INTO {self.s}_entry VALUES (?, ?, ?, ?)", self._id, ident, field, value
            )
        self._forget_unasked(offer)
        now = self._said(offer)
        n = min(following(steps, now, i), unanswered(steps, now))
        return self._to(f"/book/{ident}/{steps[n].name}" if n < len(steps) else self._next(offer))

    def _forget_unasked(self, offer: Quote) -> None:
        said = self._said(offer)
        for f in (f for step in self._booking.steps for f in step.fields):
            if f.name in said and not asked(f, said):
                del said[f.name]
                sql = f"DELETE FROM {self.s}_entry WHERE session = ? AND item = ? AND field = ?"
                self.w.run(sql, self._id, offer.id, f.name)

    # ---- the review --------------------------------------------------------------------------------------------

    def _review(self, ident: str) -> Outcome:
        offer = self._offered(ident)
        if offer is None:
            return self._missing()
        to = self._next(offer)
        return self._shown("review", ident) if to == f"/review/{ident}" else self._to(to)

    def _accept(self, ident: str, shown: str) -> Outcome:
        """What was reviewed is held, as it was shown."""
        offer = self._offered(ident)
        if offer is None:
            return self._missing()
        to = self._next(offer)
        if to != f"/review/{ident}":
            return self._to(to)
        entered = self._said(offer)
        due = bill(self.w, self.site, offer, entered)
        said = self._read(
            Step(f"{self._booking.review.name}-{ident}", "", self._booking.review.fields), entered
        )
        if said is None or due.mark != shown:
            return self._to(to)
        row = self.w.new_id("hld")
        body = {
            "title": offer.title,
            "said": {**entered, **said},
            "lines": list(due.lines.items()),
            "costs": list(due.costs.items()),
        }
        self.w.insert(
            f"{self.s}_hold",
            id=row,
            session=self._id,
            item=ident,
            status="held",
            total=due.total,
            body=canonical(body),
            at=self.w.now,
        )
        self.w.run(f"DELETE FROM {self.s}_entry WHERE session = ? AND item = ?", self._id, ident)
        return self._to(f"/held/{row}")

    # ---- what is held ------------------------------------------------------------------------------------------

    def _held(self, ident: str) -> Outcome:
        return self._missing() if hold(self.w, self.site, ident) is None else self._shown("held", ident)

    def _standing(self, ident: str) -> Hold | None:
        found = hold(self.w, self.site, ident)
        return found if found is not None and found.status == "held" else None

    def _gone(self, ident: str) -> Outcome:
        """What is no more held can be neither submitted nor released."""
        self.refuse("nothing of this name is held")
        return self._to(f"/held/{ident}")

    def _release(self, ident: str) -> Outcome:
        if self._standing(ident) is None:
            return self._gone(ident)
        self.w.update(f"{self.s}_hold", ident, status="released")
        return self._to(f"/held/{ident}")

    def _submit_hold(self, ident: str) -> Outcome:
        held, picture = self._standing(ident), self.site.staged_kinds["hold"].show(self.w, ident)
        if held is None or picture is None:
            return self._gone(ident)
        deed = self._booking.deed
        self.w.update(f"{self.s}_hold", ident, status="submitted")
        self.w.insert(
            f"{self.s}_deed",
            id=self.w.new_id("did"),
            session=self._id,
            kind=deed,
            item=held.item,
            body=canonical(picture.content),
            at=self.w.now,
        )
        done = {
            "staged": "hold",
            "digest": digest(picture.content),
            "content": picture.content,
            "text": f"{self._booking.button}: {picture.text}",
            "key": "",
            "done": "",
        }
        self.w.log("commit", f"{self.s}.{deed}", ident, done)
        return self._to(f"/held/{ident}")
