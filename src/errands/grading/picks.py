"""Which of several named options an English text chooses, which it sets aside, and whether it says that none will do.

The rules, in order:

1. What is chosen in so many words ("I recommend Fern", "the best option is Fern", "Pick: Fern", a lone "Fern.") is
   chosen; under a condition ("if noise did not matter, Rush") or as a second choice it is not.
2. Without such words: what is said to meet all that is asked, or stands behind a label ("Lodging: Hotel Cedar") or a
   tick.
3. Without these: what is named and neither set aside nor said to lack something that is asked, where others are named
   that are; or the only one that is named.

Two that are chosen alike are both chosen: a list of favourites is no pick.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import choosing
from .clauses import Clause, Line, Option, mentioned, read
from .traits import Trait, claims


@dataclass(frozen=True, slots=True)
class Picks:
    """Ids of the options that a text chooses, sets aside, and names; `none`: it says that none will do."""

    chosen: frozenset[str]
    aside: frozenset[str]
    named: frozenset[str]
    none: bool

    @property
    def single(self) -> str:
        """The one that is chosen; empty where none is, or several."""
        return next(iter(self.chosen)) if len(self.chosen) == 1 else ""


_VERDICT = re.compile(
    r"\b(?:verdict|pick|choice|result|decision|status|fits?|meets?|suitable|ok|okay|recommend\w*|match(?:es)?"
    r"|qualif\w+|outcome|works?|eligible|overall|passes|all|chosen|selected)\b\??"
)
_CHOSEN_CELL = re.compile(r"\b(?:pick(?:ed)?|best|recommend\w*|choice|winner|chosen|selected|choose|go)\b")
_NO_CELL = re.compile(
    r"\b(?:no|not|fails?|excluded|rejected|out|ruled|unsuitable|too|over|eliminated|disqualified|skip|avoid|x)\b|n't"
)
_YES_CELL = re.compile(r"\b(?:yes|ok|okay|pass(?:es)?|fits?|meets?|all|qualif\w+|suitable|works|match)\b")
_OWN_VERDICT = re.compile(
    r"\W*(?:my |the |best |top |our )*(?:pick|choice|recommended|recommendation|rejected|ruled out|excluded|winner"
    r"|chosen|selected|best)\W*"
)


def picks(
    text: str, options: Sequence[Option], *, among: Sequence[str] = (), traits: Sequence[Trait] = ()
) -> Picks:
    """What a text chooses. `among`: ids of the options that are alternatives (empty: all). `traits`: an option that is
    said to lack one of these is set aside by that (see `errands.grading.traits`)."""
    options = tuple(options)
    only = frozenset(among) or frozenset(o.id for o in options)
    found = _Marks({n: o.id for n, o in enumerate(options) if o.id in only}, tuple(traits))
    for n, line in enumerate(read(text, options)):
        found.line(line, first=n == 0)
    return found.result()


class _Marks:
    """What was found about each option, and in which sentence last."""

    def __init__(self, ids: dict[int, str], traits: tuple[Trait, ...]):
        self.ids, self.traits = ids, traits
        self.chosen: dict[str, int] = {}
        self.likely: dict[str, int] = {}
        self.out: dict[str, int] = {}
        self.lacking: dict[str, int] = {}
        self.named: dict[str, int] = {}
        self.spoken: dict[str, int] = {}  # of whom more is said than that another is compared with them
        self.lone = ""
        self.none = False
        self.at = 0

    def mark(self, where: dict[str, int], numbers: Iterable[int]) -> None:
        where |= {self.ids[n]: self.at for n in numbers if n in self.ids}

    def mark_all(self, where: dict[str, int], c: Clause) -> None:
        where |= {i: self.at for i in c.about if i in self.ids.values()}

    def line(self, line: Line, *, first: bool) -> None:
        self.at += 1
        self.mark(self.named, mentioned(line.text))
        for c in line.clauses:
            if not c.cut and (c.named or c.cell):
                self.mark_all(self.spoken, c)
            # "Rush is cheaper, but you'd hear loud music": said of it, as its sentence names no other.
            its = c.sure or (
                len(c.about) == 1 and {*c.about} == {self.ids.get(n) for n in mentioned(line.text)}
            )
            if its and any(not claim.holds for claim in claims(c, self.traits)):
                self.mark_all(self.lacking, c)
        if any(c.cell for c in line.clauses):
            self._row(line)
        else:
            self._sentence(line, first=first)

    def _sentence(self, line: Line, *, first: bool) -> None:
        only = choosing.lone(line.text)
        if first and only is not None:
            self.lone = self.ids.get(only, "")
        for c in line.clauses:
            if len(c.about) == 1 and choosing.this_one(c.text):
                self.mark_all(self.chosen, c)
            if c.aside:
                self.mark_all(self.out, c)
        main, loose = choosing.apart(line.text)
        for n, part in enumerate(choosing.turns(main)):
            self._part(part, "" if n else _label(line))
        for part in loose:
            self._part(part)
        self.none = self.none or choosing.none_fits(line.text)

    def _part(self, text: str, heading: str = "") -> None:
        if not mentioned(text):
            return
        if choosing.crossed(text):
            self.mark(self.out, mentioned(text) if len(mentioned(text)) == 1 else ())
            return
        out = choosing.set_aside(text)
        self.mark(self.out, out)
        if choosing.conditional(text):
            return
        text = choosing.unreserved(text)
        chosen = [n for n in choosing.chosen(text, heading) if n not in out]
        self.mark(self.chosen, chosen)
        if not chosen:
            self.mark(self.likely, [n for n in choosing.likely(text, heading) if n not in out])

    def _row(self, line: Line) -> None:
        """A row of a table: its verdicts, one of its option, or of each where the options are its columns."""
        for c in line.clauses:
            cell = c.text.partition(": ")[2] or c.text
            label = c.heading if line.row else line.text
            if not label.strip() or _VERDICT.search(label) or _OWN_VERDICT.fullmatch(cell):
                self._cell(c, cell)

    def _cell(self, c: Clause, cell: str) -> None:
        if choosing.crossed(cell) or (_NO_CELL.search(cell) and not choosing.ticked(cell)):
            self.mark_all(self.out, c)
        elif _CHOSEN_CELL.search(cell):
            self.mark_all(self.chosen, c)
        elif choosing.ticked(cell) or _YES_CELL.search(cell):
            self.mark_all(self.likely, c)

    def result(self) -> Picks:
        bad = {*self.out, *self.lacking}
        chosen = {i for i, at in self.chosen.items() if at >= self.out.get(i, 0)} or {*self.chosen}
        if self.none and chosen <= bad:  # "it would be perfect, but": said of what will not do
            chosen = set()
        chosen = chosen or {self.lone} - {""}
        none = self.none and not chosen
        if not chosen and not none:
            chosen = {*self.likely} - bad or {*(self.spoken or self.named)} - bad
        return Picks(frozenset(chosen), frozenset(bad - chosen), frozenset(self.named), none)


def _label(line: Line) -> str:
    """The heading, where a line begins with an option and the heading names none: it is an item of that list."""
    if not line.heading or mentioned(line.heading) or not choosing.begins(line.text):
        return ""
    return f"{line.heading.rstrip(':')}:"
