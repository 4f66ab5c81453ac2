"""What an attempt left on a website: each time prices were made, with what had been entered and what was looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from errands.core.types import Finding
from errands.web.site import Quote

from .compare.folding import key
from .evidence import Entry, Evidence
from .findings import missed, satisfied


@dataclass(frozen=True)
class Priced:
    """Prices as a session was shown them: what they were made from, the offers, and what was looked at afterwards,
    until they were made anew. `entered` and `seen` are ledger rows."""

    session: str
    said: Mapping[str, str]
    offers: Sequence[Quote]
    entered: Sequence[Entry]
    seen: Sequence[Entry]

    def looks(self, what: str, item: str = "") -> list[Entry]:
        """What was looked at: `results` (by page), `offer`, `fold` (by quote), `filter`, `at <deed>`."""
        found = [e for e in self.seen if e.body["after"]["what"] == what]
        return [e for e in found if e.body["after"]["item"] == item] if item else found

    def offer(self, who: object, name: object) -> Quote | None:
        """The offer of this firm and name, as people write names: the firm's may stand before the offer's."""
        fits = [
            q for q in self.offers if same(who, q.who) and (same(name, q.name) or same(name, q.who + q.name))
        ]
        return fits[0] if len(fits) == 1 else None

    def cheapest(self) -> Quote:
        """The offer whose price in the list is the lowest."""
        return min(self.offers, key=lambda q: q.price)


def same(a: object, b: str) -> bool:
    """Whether two names are one, but for case, spaces and punctuation."""
    return isinstance(a, str) and key(a) == key(b)


def priced(e: Evidence, site: str) -> list[Priced]:
    """Every time prices were made on a site, in order."""
    at = f"priced {site}"
    if at not in e.memo:
        e.memo[at] = _priced(e, site)
    found: list[Priced] = e.memo[at]
    return found


def _priced(e: Evidence, site: str) -> list[Priced]:
    said: dict[str, dict[str, Entry]] = {}
    offers: list[tuple[str, int, list[Entry], list[Entry]]] = []
    seen: list[Entry] = []
    for effect in e.entries("effect"):
        after, before = effect.body["after"], effect.body["before"]
        if effect.name == f"{site}_input":
            row = after or before
            entered = said.setdefault(row["session"], {})
            if after is None:
                entered.pop(row["field"], None)
            elif row["step"] != "filter":
                entered[row["field"]] = effect
        elif effect.name == f"{site}_quote" and after is not None:
            if not offers or offers[-1][1] != effect.cause:
                offers.append(
                    (after["session"], effect.cause, [], list(said.get(after["session"], {}).values()))
                )
            offers[-1][2].append(effect)
        elif effect.name == f"{site}_seen" and after is not None:
            seen.append(effect)
    out = []
    for n, (session, cause, quotes, inputs) in enumerate(offers):
        until = next((c for s, c, _, _ in offers[n + 1 :] if s == session), None)
        mine = [
            s
            for s in seen
            if s.body["after"]["session"] == session and s.seq > cause and (until is None or s.seq < until)
        ]
        shown = sorted((q.body["after"] for q in quotes), key=lambda q: q["place"])
        kept = {i.body["after"]["field"]: i.body["after"]["value"] for i in inputs}
        out.append(Priced(session, kept, [Quote.read(q["body"]) for q in shown], inputs, mine))
    return out


def counted(e: Evidence, site: str, reported: Callable[[Priced], bool]) -> Priced | None:
    """The prices that count: the last from which the reported result comes, else the last; None where there are none.

    One visit carries all milestones (the protocol's rule).
    """
    all_of_them = priced(e, site)
    return next((p for p in reversed(all_of_them) if reported(p)), all_of_them[-1] if all_of_them else None)


def entered_rightly(p: Priced | None, wanted: Mapping[str, str]) -> Finding:
    """Whether every field had the value that it must; texts but for case, spaces and punctuation."""
    if p is None:
        return missed("no prices were asked for")
    for name, value in wanted.items():
        if not same(p.said.get(name), value):
            rows = [i for i in p.entered if i.body["after"]["field"] == name]
            return missed(
                f"{name} was {p.said.get(name, 'left out')!r} in the visit that counts, not {value!r}", *rows
            )
    return satisfied(f"all {len(wanted)} answers are right", *p.entered)


def by_hand(e: Evidence, sites: Sequence[str]) -> Finding:
    """Whether nothing was asked of these sites past their pages. Such requests are refused; whoever makes one cannot
    have a strict pass, since nobody can tell what else rests on it."""
    for site in sites:
        for ident, row in e.after(f"{site}_refused").items():
            if row["past"]:
                return missed(f"{row['path']} of {site} was asked for past the page: {row['why']}", ident)
    return satisfied("every page was asked for in the browser")


def filters(p: Priced) -> list[tuple[dict[str, str], Entry]]:
    """The filters that were set, in order."""
    return [(json.loads(s.body["after"]["item"]), s) for s in p.looks("filter")]
