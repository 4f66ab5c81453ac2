"""English text about several named options, clause by clause: which option each clause speaks of.

A clause is *sure* of whom it speaks where it names them itself, goes on about them in the same sentence, or stands in
their row, column or item of a list. What merely follows ("It costs more.", "You pay $4 more.") is not sure: whoever
reads facts lets such a clause speak of whichever option makes it true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from errands.languages.text import LONG, fold, plain, sentences


@dataclass(frozen=True, slots=True)
class Option:
    """One of the things that may be chosen: its id, and how people call it, the full name first."""

    id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence, folded, options as `@n@` (n counts in the order of the options).

    `about`: ids of the options that it speaks of, none where that is open. `named`: it names them itself. `sure`: see
    above. `versus`: options that it compares them with ("cheaper than @1@"), cut out of `text`, where `~` is left.
    `cut`: it is itself what was cut out; `aside`: of "over @1@", "instead of @1@". `heading`: the line or label that it
    stands under. `sentence`: the number of its sentence. `cell`: it is a cell of a table.
    """

    text: str
    about: tuple[str, ...] = ()
    named: bool = False
    sure: bool = False
    versus: tuple[str, ...] = ()
    cut: bool = False
    aside: bool = False
    heading: str = ""
    sentence: int = 0
    cell: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence with its options as `@n@`: the heading above, the options whose item it stands in, its clauses."""

    text: str
    heading: str
    clauses: tuple[Clause, ...]
    row: bool = False


MOST_CELLS = 40  # of a row of a table that are read
MENTION = re.compile(r"@(\d+)@")
_SOFT = str.maketrans({"—": " - ", "→": " -> ", "@": " at ", "~": "about "})
_ABBREVIATION = re.compile(r"\b(vs|e\.g|i\.e|approx|incl|excl|etc|no|min|max|st)\.(?=[\s,)])", re.IGNORECASE)
_MARKUP = re.compile(r"\*\*|__|[*`]|(?<!\w)_|_(?!\w)|^\s*>\s?", re.MULTILINE)
_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*•·▪‣–]|\(?\d{1,2}[.)]|[a-h][.)])\s+(?P<rest>.*)")
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?\s*)?")
_TITLE = re.compile(r"\s*(?:#{1,6}\s+(?P<hash>.+?)#*|\*\*(?P<bold>[^*]{1,80}?)\*\*:?)\s*$")

# Where a clause ends inside a sentence.
_BREAK = re.compile(
    r"\s+-+>?\s+|;\s*|[.!?]\s+|,?\s+\b(?:but|while|whereas|although|though|even though|however|yet|except that)\b"
    r"|,\s*(?=(?:and |so |which|who|where|because|since|as (?:it|they|that|the)\b|as @|making|leaving|it |its "
    r"|you |i |that |they |there )\b)"
    r"|\s+\b(?=(?:because|since|despite)\b)"
    r"|(?:,\s*(?:and|or)?|\band\b|\bor\b)\s+(?=(?:the |both )?@\d+@(?:'s)?(?! ?(?:,|and\b|or\b|&|\+|$)|\.?$))"
)
_FROM = re.compile(
    r"\b(?P<relation>than|over(?! (?:budget|the budget|your|\$))|versus|vs|unlike|instead of|rather than|in place of"
    r"|compared (?:to|with)|as opposed to|as (?:at|in|with)|against|beats?|ahead of|relative to|and not|, not)\b"
    r"(?P<between>[^@,;:]{0,28}?)(?P<first>@\d+@)"
)
_ASIDE = frozenset(
    ("over", "instead of", "rather than", "unlike", "as opposed to", "in place of", "and not", ", not")
)
_PHRASE_ENDS = re.compile(
    r",(?! (?:which|the (?:cheap|cost|most|least|dear|pric|low|high|quiet|loud|other)\w*)\b)|:"
    r"|\s(?=and\b(?! (?:the |at )?@)|(?:you|you'd|you'll|it|it's|i|i'd|we|they|there|this|that)\b|for (?:its"
    r"|the|a|your)\b|because\b|since\b|due to\b|thanks to\b|given\b|so\b|as it\b|to get\b|if\b|is\b)"
)
_WHICH = re.compile(r"^\W*(?:which|who|where|whose)\b")
_PRONOUN = re.compile(r"^\W*(?:and |so )?(?:it|its|it's|that|that's|they|this|these|those)\b")
# Options of whom a clause says something, one ("@0@ is", "I recommend @0@:") or several as one ("@0@ and @1@ are").
_SUBJECT = re.compile(
    r"^[^@]{0,60}@\d+@(?:'s)?(?:(?:,| and|, and| &| or| nor|,? the) (?:the )?@\d+@)*(?:'s)?"
    r"(?=\s*(?:$|[:,;=|(.!?+-]|[a-z]+(?:s|ed|n't|'d|'ll)\b|(?:have|had|were|are|would|will|can|cannot|could"
    r"|may|might|must|do|did|at|with|in|also|only|both"
    r"|alone|too|for|which|that|it|all|never|not|cost|over|because|than|~|please|today|instead|but|so|\$"
    r"|\d)(?![a-z])))[^@]*$"
)
_YOU = re.compile(r"^\W*(?:and |so |then |but )*you(?:'d|'ll|r|'re|'ve)?\b")
# Whose subject is not one of the options by name: "the other two", "neither".
_OTHERS = re.compile(
    r"\W*(?:(?:and|but|so|or|at|of|while|because|since|as) )*(?:(?:the )?(?:other (?:two|three|options?"
    r"|places?|ones?|hotels?"
    r"|restaurants?|lodgings?)|others|rest|alternatives|rivals|remaining)\b|neither\b|none\b|no (?:other"
    r"|one)\b|elsewhere\b"
    r"|(?:both|all|each|every|any) of (?:them|these|the)\b|all (?:three|four|two|options)\b|both\b"
    r"|every (?:option|place|one)\b)"
)
# "@0@ fails on price, @1@ on noise": what was said of the one is said of the next.
_VERB = re.compile(r"@\d+@ (?P<verb>[^@,]*?)\s*\b(?:by|on|for|because of|due to)\b")
_GAP = re.compile(r"(?P<who>\W*(?:and )?(?:the )?@\d+@) (?P<rest>(?:by|on|for|because of|due to)\b[^@]*)")


@lru_cache(maxsize=64)
def read(text: str, options: tuple[Option, ...]) -> tuple[Line, ...]:
    """The sentences of a text in order, headings, items and rows of tables included."""
    return tuple(_Reader(options).lines(marked(text, options)))


def clauses(text: str, options: tuple[Option, ...]) -> tuple[Clause, ...]:
    """All clauses of a text in order."""
    return tuple(c for line in read(text, options) for c in line.clauses)


def mentioned(text: str) -> list[int]:
    """The numbers of the options that a marked text names, in order, each once."""
    return list(dict.fromkeys(int(m[1]) for m in MENTION.finditer(text)))


def marked(text: str, options: Sequence[Option]) -> str:
    """The text with each mention of an option as `@n@`; lines and mark-up are kept.

    A name that the text anywhere writes as it is written (or in capitals) counts so alone: else "harbor" is a place.
    """
    text = _ABBREVIATION.sub(r"\1", plain(text).translate(_SOFT))
    names = [(name, n) for n, o in enumerate(options) for name in o.names]
    for name, n in sorted(names, key=lambda x: -len(x[0])):
        words = r"[\s-]+".join(re.escape(w) for w in plain(name).split())
        exact = re.compile(rf"(?<![\w@])(?:{words}|{words.upper()})(?![\w@])")
        loose = re.compile(rf"(?<![\w@])(?:{words})(?![\w@])", re.IGNORECASE)
        text = (exact if exact.search(text) else loose).sub(f"@{n}@", text)
    return text


@dataclass
class _Reader:
    """One walk down the lines of a marked text."""

    options: tuple[Option, ...]
    number: int = 0
    heading: str = ""
    under: tuple[str, ...] = ()  # whose section, or list below a sentence, this is
    lone: bool = False  # the section is that option's alone
    items: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)  # indent and option of open items
    last: tuple[str, ...] = ()  # those named in the sentence before
    so_far: frozenset[str] = frozenset()  # those named since the paragraph began
    topic: str = ""  # the one that a sentence of it was about
    colon: bool = False  # the heading is a sentence that ends in a colon

    def lines(self, text: str) -> Iterator[Line]:
        raw = text.splitlines()
        at = 0
        while at < len(raw):
            if at + 1 < len(raw) and "|" in raw[at] and _RULE.fullmatch(raw[at + 1]):
                end = at + 2
                while end < len(raw) and "|" in raw[end]:
                    end += 1
                yield from self._table([raw[at], *raw[at + 2 : end]])
                at = end
            else:
                yield from self._line(raw[at])
                at += 1

    def _part(self) -> None:
        """A paragraph, an item, a table begins."""
        self.last, self.so_far, self.topic = (), frozenset(), ""

    def ids(self, text: str) -> tuple[str, ...]:
        return tuple(self.options[n].id for n in mentioned(text))

    # ---- lines -----------------------------------------------------------------------------------------------------

    def _line(self, raw: str) -> Iterator[Line]:
        if not raw.strip():
            self._part()
            return
        title = _TITLE.match(raw)
        if title:
            yield from self._title(title["hash"] or title["bold"])
            return
        item = _BULLET.match(raw)
        if item is None:
            self.items = []
            text = _bare(raw)
            if self.heading and not self.lone and not raw.startswith(" ") and self.colon:
                self._enter("", (), lone=False)  # a list's heading holds for its items alone
            for sentence in sentences(text):
                yield self._sentence(fold(sentence), self.under, sure=self.lone)
            if text.rstrip().endswith(":"):
                said = fold(sentences(text)[-1])
                self._enter(said, self.ids(said), lone=len(self.ids(said)) == 1, colon=True)
            return
        indent, text = len(item["indent"].expandtabs(4)), _bare(item["rest"])
        self.items = [i for i in self.items if i[0] < indent]
        owner = self.items[-1][1] if self.items else ()
        begins = re.match(r"\W*(?:the |option \w+\W+)?@(\d+)@", fold(text))
        mine = (self.options[int(begins[1])].id,) if begins else ()
        self.items.append((indent, mine or owner))
        self._part()
        of = mine or owner or self.under
        for sentence in sentences(text):
            yield self._sentence(fold(sentence), of, sure=bool(mine or owner or self.lone))

    def _enter(self, heading: str, under: tuple[str, ...], *, lone: bool, colon: bool = False) -> None:
        self.heading, self.under, self.lone, self.colon = heading, under, lone, colon

    def _title(self, raw: str) -> Iterator[Line]:
        said = fold(_bare(raw))[:LONG]
        ids = self.ids(said)
        self.items = []
        self._part()
        yield self._sentence(said, (), sure=False)
        self._enter(said.rstrip(":"), ids, lone=len(ids) == 1)

    # ---- tables ----------------------------------------------------------------------------------------------------

    def _table(self, raw: list[str]) -> Iterator[Line]:
        grid = [[fold(_bare(c))[:LONG] for c in _cells(line)[:MOST_CELLS]] for line in raw]
        head = grid[0]
        columns = {n: self.ids(c) for n, c in enumerate(head) if self.ids(c)}
        self.items = []
        self._part()
        for row in grid[1:]:
            if len(columns) > 1 or (columns and 0 not in columns):
                yield self._row(row[0], [(row[0], c, columns.get(n, ())) for n, c in enumerate(row) if n])
                continue
            ids = next((self.ids(c) for c in row if self.ids(c)), ())
            labels = [head[n] if n < len(head) else "" for n in range(len(row))]
            yield self._row(
                " | ".join(row), [(label, c, ids) for label, c in zip(labels, row, strict=True)], row=True
            )

    def _row(self, text: str, cells: list[tuple[str, str, tuple[str, ...]]], *, row: bool = False) -> Line:
        self.number += 1
        out = []
        for label, cell, ids in cells:
            if cell and not MENTION.fullmatch(cell):
                said = f"{label}: {cell}" if label else cell
                inside = self.ids(cell)
                about = inside or ids
                out.append(
                    Clause(
                        said, about, bool(about), bool(about), heading=label, sentence=self.number, cell=True
                    )
                )
        return Line(text, self.heading, tuple(out), row)

    # ---- sentences -------------------------------------------------------------------------------------------------

    def _sentence(self, text: str, of: tuple[str, ...], *, sure: bool) -> Line:
        self.number += 1
        whole = text
        out, loose, text = self._parentheses(text)
        subject, certain = of, sure and len(of) == 1
        if not of:  # of whom a paragraph that names one alone goes on to speak is no question
            subject, certain = self.last, self.so_far == {self.topic}
        rivals: tuple[str, ...] = ()
        verb = ""
        for piece in [*_pieces(text), *(p for aside in loose for p in _pieces(aside))]:
            gap = _GAP.fullmatch(piece) if verb else None
            piece = f"{gap['who']} {verb} {gap['rest']}" if gap else piece
            verb = v["verb"] if (v := _VERB.search(piece)) else ""
            rest, objects = self._objects(piece)
            named = self.ids(rest)
            if not named and objects and re.fullmatch(r"\W*~?\W*", rest):
                rivals = tuple(i for o in objects for i in o.about)
                out += objects
                continue  # "unlike @1@," before what it is said of
            if named:
                subject, certain = named, _SUBJECT.match(rest) is not None
                self.topic = named[0] if certain and len(named) == 1 else self.topic
            elif _OTHERS.match(rest):
                out += [self._clause(rest, (), sure=False, versus=rivals), *objects]
                continue
            elif _WHICH.match(rest) and out and (named := self.ids(self._before(text, piece))[-1:]):
                subject, certain = named, False
            elif _YOU.match(rest) or (rivals and _PRONOUN.match(rest)):
                certain = False
            versus = tuple(i for o in objects for i in o.about) or rivals
            out.append(self._clause(rest, subject, named=bool(self.ids(rest)), sure=certain, versus=versus))
            out += objects
            rivals = versus
        self.last = self.ids(text) or self.last
        self.so_far |= {*self.ids(whole)}
        return Line(whole, self.heading, tuple(out))

    def _before(self, text: str, piece: str) -> str:
        return text[: max(0, text.find(piece))]

    def _clause(
        self,
        text: str,
        about: tuple[str, ...],
        *,
        named: bool = False,
        sure: bool,
        versus: tuple[str, ...] = (),
        cut: bool = False,
        aside: bool = False,
    ) -> Clause:
        versus = tuple(v for v in versus if v not in about)
        return Clause(
            text.strip(" ,"),
            about,
            named,
            sure and bool(about),
            versus,
            cut,
            aside,
            heading=self.heading,
            sentence=self.number,
        )

    def _parentheses(self, text: str) -> tuple[list[Clause], list[str], str]:
        """What stands in parentheses right behind a name, as clauses about it; what names others, apart; all else stays
        in its sentence."""
        out: list[Clause] = []
        loose: list[str] = []

        def cut(m: re.Match[str]) -> str:
            named = re.search(r"@(\d+)@(?:'s)?(?: [\w-]+)?\s*$", text[: m.start()])
            if MENTION.search(m[1]):
                loose.append(m[1])
                return " "
            if named is None:
                return f", {m[1]}, "
            about = (self.options[int(named[1])].id,)
            out.append(self._clause(m[1], about, named=True, sure=True))
            return " "

        left = re.sub(r"\(([^()]*)\)", cut, text)
        return out, loose, re.sub(r"\s+([,.;:])", r"\1", left)

    def _objects(self, piece: str) -> tuple[str, list[Clause]]:
        """A piece without the options that it only compares with, and these as clauses of their own."""
        out: list[Clause] = []
        while m := _FROM.search(piece):
            end = _PHRASE_ENDS.search(piece, m.end())
            stop = end.start() if end else len(piece)
            phrase = piece[m.start() + len(m["relation"]) : stop]
            relation = m["relation"]
            out.append(
                self._clause(
                    phrase, self.ids(phrase), named=True, sure=True, cut=True, aside=relation in _ASIDE
                )
            )
            piece = f"{piece[: m.start()]}{relation} ~{piece[stop:]}"
        return piece, out


def _pieces(text: str) -> list[str]:
    """The pieces of a sentence; what begins by comparing ends at its comma."""
    out = []
    for piece in _BREAK.split(text):
        if not piece or not piece.strip(" ,.:"):
            continue
        opening = re.match(
            r"\W*(?:unlike|compared (?:to|with)|versus|vs|rather than|instead of|if|as)\b[^,]*,", piece
        )
        if opening and opening.end() < len(piece):
            out += [piece[: opening.end() - 1], piece[opening.end() :]]
        else:
            out.append(piece)
    return out


def _bare(text: str) -> str:
    return _MARKUP.sub("", text).strip()


def _cells(line: str) -> list[str]:
    return [c.strip() for c in line.strip().strip("|").split("|")]
