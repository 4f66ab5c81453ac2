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
from collections.abc import Sequence
from dataclasses import dataclass

from .clauses import MENTION, Clause, Line, Option, mentioned, read
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


_O = r"@\d+@"
_OS = rf"{_O}(?:'s)?(?:(?:,| and| or| &| \+|/|, and|, or) (?:the )?{_O})*"
_ANY = re.compile(_O)
_VERB = (
    r"(?:recommend\w*|suggest\w*|choos\w+|chose\w*|pick(?:s|ed|ing)?|select\w*|go(?:ing)? (?:with|for|to)|went (?:with|for)|opt(?:ed|ing|s)? for"
    r"|settl\w+ (?:on|for)|stick(?:ing)? with|take|took|prefer\w*|propose\w*|(?:eat|dine|lunch|stay|sit)(?:ing)? (?:at|in)|head(?:ing)? (?:to|for)"
    r"|vote (?:is )?for|favou?r\w*|pick is|lands? on|points? to|land(?:ed)? on|lean(?:ing)? (?:toward\w*|to)|narrows? (?:it )?(?:down )?to|shortlist\w*|decided? on"
    r"|leaves? (?:only|just|you with|us with|me with)|(?:lunch|stay|room|nights?|meal|table|lodging) (?:at|in)|book(?:ing)?|reserv(?:e|ing)|try|use|plan\w* (?:on|around|is|with)|combin\w+|pair\w*)"
)
_BOOKS = re.compile(r"\b(?:book\w*|reserv\w+|held|hold|paid|pay|cancel\w*)\b")
_BEST = (
    r"\b(?:(?:the |your |my |our |a |clear |overall |single |very )*(?:best(?! (?:price|value|deal|rate|bargain))|top|winner|ideal|perfect|right|recommendation|recommended|pick"
    r"|choice|answer|selection|selected|chosen|(?:one|place|option|restaurant|lodging|hotel|venue|offer)(?: (?:i'd|i would|i|to|for))|only (?:\w+ )?(?:one|option|place|restaurant|lodging|hotel|stay|room|match|fit|choice|venue|spot|offer|candidate|property|slot)|way to go"
    r"|(?:your|my) (?:place|spot|restaurant|table|lunch|stay|hotel|room|lodging|bet)|good fit|great fit|best fit|strongest|sweet spot|one|standout|safest)"
    r")\b"
)
_POOR = (
    r"(?:cheap\w*|expensive|affordable|runner|second|next|backup|fallback|alternativ\w*|closest|worst|wrong|loud\w*|poor|bad|popular|not|n't|never|no longer|neither"
    r"|less|lowest|priciest|tempting|other|value|third|last|risk\w*|isn't|out\b|fails?|budget|if|than|~|except|but)"
)
_COND = re.compile(
    r"^\W*(?:but |and |so |or |though |although |however,? )?(?:only )?(?:if|unless|should you|were it not|had it|in case|when|without the|were)\b|\bif (?:you(?:'d| would)? (?:don't|do not|didn't|didn't|can|could|wanted|prefer|were|ever|change|later|really|relax)"
    r"|noise|quiet\w*|price|money|the (?:budget|price|noise|music)|budget|it (?:weren't|wasn't|didn't)|that changes|cost|neither|none|step|only)\b|\botherwise\b|\bunless\b"
    r"|\bclosest\b|\bworth considering\b|\bcould also\b|\bmight also\b|\bcan also\b"
    r"|\bwould (?:otherwise|only|have)\b|\bwould be (?:\w+ ){1,4}(?:if|but)\b|\bconsider(?:ed|ing)\b|\bat first\b|\bmy first (?:thought|instinct)\b|\btempting\b|\bon price alone\b"
)
_BACKUP = re.compile(
    r"\b(?:backup|back-up|fall-?back|runner-up|runners-up|second[- ](?:choice|best|place)|plan b|next[- ]best|alternatives?|next option|also[- ]rans?)\b"
)
_NEG = r"(?:\bnot\b|n't\b|\bnever\b|\bcannot\b|\bavoid\w*|\bagainst\b|\brather than\b|\binstead of\b|\bno longer\b|\bunable\b|\bno (?:reason|need|way)\b|\bneither\b|\bhesitat\w+|\bbefore\b|\bwithout\b)"
_CAN = re.compile(
    r"\b(?:could|might|may|can|happy to|let me know|want me to|would you like|shall i|should i|like me to)\b"
)
_THIS = re.compile(
    rf"(?<!not )(?<!n't )(?<!never )\b(?:recommend|choose|pick|go with|suggest|go for|take|went with|chose|picked) (?:it|this one|that one|this place)\b(?!{_NEG})"
)
_LABEL = re.compile(
    r"^\W*(?:✅|✔|👉|🏆|⭐|🥇|the |my |your |our |final |overall |short |tl;?dr|bottom |suggested |proposed |chosen |selected )*(?P<label>recommend\w*|pick|choice|best(?: \w+){0,3}|answer|selected|selection|winner|verdict|decision"
    r"|conclusion|top pick|final|go with|result|line|suggestion|proposal|choose|summary|dr|option chosen|in short)(?: (?!not\b)[\w'-]+){0,5}\s*(?:[:=|?]|\s-|->)"
)
_DOMAIN = re.compile(
    r"^\W*(?:the |your |my |our |suggested |proposed )*(?:lodging|hotel|stay|accommodations?|where to (?:eat|stay|go)|plan|restaurant|lunch|venue|place|room|itinerary|option|slot)(?: \([^)]*\))?\s*(?:[:=|]|\s-|->)"
)
_NO_LABEL = re.compile(
    r"\b(?:options|offers|candidates|others?|rest|rejected|ruled|not|why|alternatives?|considered|compar\w+|excluded|eliminated|looked|available|reviewed|checked|runner|backup|second|trade-?offs?|don't|unsuitable|fail\w*|no|skip|avoid|against|out|closest)\b"
)
_MEETS_ALL = re.compile(
    rf"{_O}(?:'s)?(?: \w+){{0,3}}? (?:meets?|fits?|satisf(?:y|ies)|match(?:es)?|ticks?|checks?|fulfils?|fulfills|covers?|pass(?:es)?|hits?|delivers?|has|does|gives? you|gets? you) (?:\w+ ){{0,3}}?(?:all|every\w*|each|your|both|the (?:bill|brief|lot|requirements|criteria|conditions|three|rest)|them)\b"
    rf"|{_O} (?:\w+ )?(?:qualif(?:y|ies)|works|wins|fits|it is|stands out|comes out on top|comes out ahead|suits|is (?:suitable|it|eligible|acceptable|in)|passes)\b"
    rf"|\bonly (?:the )?{_O}"
)
_OUT_AFTER = re.compile(
    r"^(?:'s)?\W{0,3}(?:(?:both|all|each|also|clearly|unfortunately|sadly|therefore|thus|so|however|,|alone|really|simply|here|at \$[\d.]+|it's|it|which|that|but|and|though) ?)*"
    r"(?:(?:is|are|was|were|gets?|being|got|looks|seems|would be|has been|have been|had to be|must be|'s|comes?)? ?(?:both |all |therefore |thus |also |immediately |automatically )?(?:out\b(?!doors?| on top| ahead| of the)|ruled out|excluded|rejected"
    r"|eliminated|discarded|dismissed|disqualified|unsuitable|ineligible|off the (?:table|list)|a no(?:-go)?\b|no good|set aside|knocked out|dropped|skipped|not (?:suitable|recommended|an option|a fit|a match|eligible|viable|acceptable|right|for you|possible|qualif\w*|good|it\b))"
    r"|(?:does|do|did|would|can|could|will)(?:n't| not) (?:\w+ )?(?:meet|fit|qualify|work|satisf\w*|suit|match|pass|do|count|comply|make|cut)|can't|cannot|won't|fails?\b|falls? (?:short|foul|down)|misses\b|violates|breaks\b|loses\b|lacks\b|drops out|(?:is|are) (?:also )?too \w+"
    r"|(?:is|are) neither\b|(?:isn't|aren't|is not|are not|wasn't) (?:\w+ )?(?:suitable|recommended|an option|a fit|a match|eligible|viable|acceptable|right|possible|good|it\b|step|refund|accessib\w*|vegetarian|quiet|within)|(?:does|do|is|has|can|will)(?:n't| not)\W*$|would(?:n't| not)|exceeds?\b|goes over|(?:is|are) over\b|never)"
)
_OUT_BEFORE = re.compile(
    rf"(?:\b(?:rul(?:e[sd]?|ing) out|exclud\w+|reject\w*|eliminat\w+|discard\w*|dismiss\w*|skip\w*|avoid\w*|drop(?:ped|ping)?|disqualif\w+|pass(?:ed|ing)? (?:on|over|up)|set aside|steer clear of|cross(?:ed)? (?:off|out)|not|n't (?:\w+ ){{0,3}}?(?:recommend|choose|pick|select|suggest|go (?:with|for|to)|take|use)|neither|nor|forget|turned down|left out|leaves? out|unsuitable|ruled out|rejected|not suitable|out)\b(?:\W+(?:the|both|either|with|for|at|is|was|are|were|out|:|because|of))*\W*)"
    rf"(?P<those>{_OS}(?: nor {_O})*)"
)
_CROSS, _TICK = re.compile("❌|✗|✘|✖|🚫|👎"), re.compile("✅|✔|✓|☑|👉|🏆|⭐|🥇|👍")
_VERDICT = re.compile(
    r"\b(?:verdict|pick|choice|result|decision|status|fits?|meets?|suitable|ok|okay|recommend\w*|match(?:es)?|qualif\w+|outcome|works?|eligible|overall|passes|all|chosen|selected)\b\??"
)
_CHOSEN_CELL = re.compile(r"\b(?:pick(?:ed)?|best|recommend\w*|choice|winner|chosen|selected|choose|go)\b")
_NO_CELL = re.compile(
    r"\b(?:no|not|fails?|excluded|rejected|out|ruled|unsuitable|too|over|eliminated|disqualified|skip|avoid|x)\b|n't"
)
_YES_CELL = re.compile(r"\b(?:yes|ok|okay|pass(?:es)?|fits?|meets?|all|qualif\w+|suitable|works|match)\b")

_THING = r"(?:restaurants?|places?|options?|lodgings?|hotels?|plans?|offers?|combinations?|stays?|rooms?|accommodations?|venues?|choices?|spots?|of them|of these|candidates?|one|itinerar(?:y|ies)|propert(?:y|ies)|slots?|of the (?!others?\b)\w+(?: \w+){0,2})"
_FIT = r"(?:fit\w*|meet\w*|qualif\w+|work\w*|satisf\w+|match\w*|suit\w*|pass\w*|fulfil\w*|tick\w*|compl\w+|possible|available|can be|will do|does|do\b|is (?:both|all|quiet|step)|exist\w*|has|have|offers?\b|combin\w+|covers?|stay\w* (?:within|under)|check\w*)"
_NONE = re.compile(
    rf"\b(?:none|nothing|no (?!other\b)(?:\w+ ){{0,2}}?{_THING}|not one|neither)\b(?! of the others?\b| of the other\b|(?: of (?:it|this|that))? (?:has|have|is|was|will be|would be|got)(?: been)?(?: yet| actually)? (?:book|reserv|paid|put|add|sent|charg|chang|held|order|submit|done|made))(?: (?!but\b|other\b|others\b|rival)[\w$',-]+){{0,14}}? {_FIT}"
    rf"|\bno[- ]plan\b|\bno (?:valid|feasible|workable|compliant|suitable|acceptable|qualifying|eligible|possible|viable|good) (?:\w+ )?{_THING}"
    rf"|\bnone[- ](?:qualif\w+|fits?|suitable|available)\b|\b(?:can't|cannot|can not|unable to|not able to|couldn't|could not|won't|not possible to|impossible to|there is no way to) (?:\w+ ){{0,3}}?(?:recommend|put together|make|build|offer|suggest|plan|propose|pick|choose|select|honestly|find (?:\w+ ){{0,3}}?{_THING})\b(?! (?:both|more than))"
    rf"|\bthere(?:'s| is| are|'re) (?:\w+ )?(?:no|none|nothing|not (?:a|any))\b(?: (?!other\b|reason|need|difference|service|tax|extra|booking|doubt|question|music|meat|loud|stairs|refund)[\w-]+){{0,6}}? (?:that|which|to|fit\w*|meet\w*|match\w*)\b"
    r"|\b(?:both|all(?: three| four| two| of them)?|every(?: one| option| place)?|each(?: one| of them| option| place)?)\b(?: (?:lodgings?|hotels?|options?|places?|restaurants?|of them|offers?))? (?:fails?|are ruled out|is ruled out|are out|miss(?:es)?|falls? short|breaks?|violates?|have to be ruled out|must be ruled out|are disqualified)\b"
)
_WOULD = re.compile(
    r"\b(?:would|could|might|'d) (?:otherwise )?(?:be|have been|do|work|fit) ?(?:perfect\w*|ideal|great|fine|right|good|nice\w*|suitable|lovely|enough|well|\W*$)|\blook\w* (?:good|right|perfect|best|tempting|fine)\b|\bseem\w* (?:good|right|perfect|best|fine|ideal)\b"
)
_PLAIN = re.compile(
    r"[\W_]*(?:the )?@(\d+)@(?: (?:it is|wins|please|for sure|definitely|for lunch|then))?[\W_]*"
)
_TURN = re.compile(
    r"\s*;\s*|,?\s+\b(?:but|while|whereas|although|though|however|yet|except that)\b,?\s*|[.!?]\s+"
)


def picks(
    text: str, options: Sequence[Option], *, among: Sequence[str] = (), traits: Sequence[Trait] = ()
) -> Picks:
    """What a text chooses. `among`: ids of the options that are alternatives (empty: all). `traits`: an option that is
    said to lack one of these is set aside by that (see `errands.grading.traits`)."""
    options = tuple(options)
    only = frozenset(among) or frozenset(o.id for o in options)
    ids = {n: o.id for n, o in enumerate(options) if o.id in only}
    found = _Marks(ids, tuple(traits))
    lines = read(text, options)
    for n, line in enumerate(lines):
        found.line(line, first=n == 0)
    return found.result(lines)


def _apart(text: str) -> tuple[str, list[str]]:
    """A sentence without the parentheses that name options or turn against what was said, and what stands in these."""
    loose: list[str] = []

    def cut(m: re.Match[str]) -> str:
        if not _ANY.search(m[1]) and not _TURN.search(m[1]):
            return m[0]
        loose.append(m[1])
        return " "

    return re.sub(r"\(([^()]*)\)", cut, text), loose


def _turns(text: str) -> list[str]:
    """The parts of a sentence between turns; what would be well, but is not, is left out."""
    parts = [p for p in _TURN.split(text) if p and p.strip()]
    return [p for n, p in enumerate(parts) if n == len(parts) - 1 or not _WOULD.search(p)]


class _Marks:
    """What was found about each option, by strength."""

    def __init__(self, ids: dict[int, str], traits: tuple[Trait, ...]):
        self.ids, self.traits = ids, traits
        self.strong: dict[str, int] = {}
        self.likely: dict[str, int] = {}
        self.out: dict[str, int] = {}
        self.lacking: dict[str, int] = {}
        self.lone: list[str] = []
        self.spoken: set[str] = set()  # of whom more is said than that another is compared with them
        self.named: dict[str, int] = {}
        self.none = False
        self.at = 0

    def those(self, text: str) -> list[str]:
        return [self.ids[n] for n in mentioned(text) if n in self.ids]

    def mark(self, where: dict[str, int], text: str) -> None:
        for ident in self.those(text):
            where[ident] = self.at

    def line(self, line: Line, *, first: bool) -> None:
        self.at += 1
        self.mark(self.named, line.text)
        for c in line.clauses:
            self._lacks(c)
        if line.row:
            self.spoken.update(i for c in line.clauses for i in c.about)
            self._row(line)
            return
        if line.clauses and line.clauses[0].cell:
            self.spoken.update(i for c in line.clauses for i in c.about)
            self._column(line)
            return
        if first and (lone := _PLAIN.fullmatch(line.text)) and int(lone[1]) in self.ids:
            self.lone.append(self.ids[int(lone[1])])
        for c in line.clauses:
            if not c.cut:
                self.spoken.update(c.about if c.named else ())
            if len(c.about) == 1 and _THIS.search(c.text):
                self.strong |= {i: self.at for i in c.about if i in self.ids.values()}
            if c.aside:
                self.mark(self.out, " ".join(f"@{n}@" for n, i in self.ids.items() if i in c.about))
        under = self._under(line)
        main, loose = _apart(line.text)
        for n, part in enumerate(_turns(main)):
            self._part(part, heading="" if n else under)
        for part in loose:
            self._part(part, heading="")
        if _NONE.search(line.text) and not _COND.match(line.text):
            self.none = True

    def _lacks(self, c: Clause) -> None:
        if c.sure and any(not claim.holds for claim in claims(c, self.traits)):
            for ident in c.about:
                self.lacking[ident] = self.at

    def _under(self, line: Line) -> str:
        """The heading, where the line begins with an option and the heading names none: it is an item of that list."""
        begins = re.match(rf"\W*(?:the |option \w+\W+)?{_O}", line.text)
        return (
            f"{line.heading.rstrip(':')}:"
            if begins and line.heading and not _ANY.search(line.heading)
            else ""
        )

    def _part(self, text: str, *, heading: str) -> None:
        if not _ANY.search(text):
            return
        if _CROSS.search(text):
            if len(mentioned(text)) == 1:
                self.mark(self.out, text)
            return
        out = {i for m in _OUT_BEFORE.finditer(text) for i in self.those(m["those"])}
        out |= {
            self.ids[int(m[1])]
            for m in MENTION.finditer(text)
            if int(m[1]) in self.ids and self._is_out(text, m)
        }
        if _BOOKS.search(text) and re.search(_NEG, text):  # what was not booked is not thereby set aside
            out = {i for i in out if not re.search(r"\b(?:not|n't|no)\b", text)}
        for ident in out:
            self.out[ident] = self.at
        if _COND.search(text):
            return
        if _BACKUP.search(text):  # what is kept in reserve is not the choice; the rest of its sentence may be
            text = ",".join(piece for piece in text.split(",") if not _BACKUP.search(piece))
        chosen = [i for i in self._chosen(text, heading) if i not in out]
        for ident in chosen:
            self.strong[ident] = self.at
        if chosen:
            return
        likely = _MEETS_ALL.search(text)
        if likely and not re.search(_NEG, text[: likely.end()]):
            self.mark(self.likely, likely[0])
        for label in (_DOMAIN.match(text), _DOMAIN.match(heading) if heading else None):
            if label and not _NO_LABEL.search(label[0]):
                first = _ANY.search(text, label.end() if label.string is text else 0)
                self.mark(self.likely, first[0] if first else "")
        if _TICK.search(text) and len(self.those(text)) == 1:
            self.mark(self.likely, text)
        for ident in out:
            self.likely.pop(ident, None)

    def _is_out(self, text: str, m: re.Match[str]) -> bool:
        rest = text[m.end() :]
        joined = re.match(rf"(?:(?:,| and| or| nor| &)+ (?:the )?{_O})+", rest)  # "@1@ and @2@ are out"
        return _OUT_AFTER.match(rest[joined.end() :] if joined else rest) is not None

    def _chosen(self, text: str, heading: str) -> list[str]:
        """The options that a part of a sentence chooses in so many words."""
        relation = re.compile(
            r"\b(?:over|instead of|rather than|than|versus|vs|unlike|compared (?:to|with)|as opposed to|in place of|and not)\b|, not\b"
        )
        out: list[str] = []
        for m in re.finditer(
            rf"\b{_VERB}\b(?P<fill>(?: (?!(?:between|from|over|than|not|instead|rather|versus|vs|or|against|whether|if)\b)(?!{_O})[^\s@;]+){{0,9}}?):? (?:the )?(?P<those>{_OS})",
            text,
        ):
            before = text[: m.start()][-60:]
            if (
                re.search(rf"{_NEG}(?: [\w']+){{0,4}} ?$", before)
                or re.search(_NEG, m["fill"])
                or _CAN.search(before)
            ):
                continue
            if re.search(
                r"\b(?:to|for|of|can|could|if|the|has|was|were|been|have|nothing|is)\s*$", before
            ) and re.match(r"book|reserv|stay|room|nights?|table|lunch|meal|use|plan|take|lodging", m[0]):
                if not re.search(rf"(?:{_BEST}|{_VERB}|plan|i'd|you)\b[^@]*$", before):
                    continue
            out += self.those(m["those"])
        for m in re.finditer(rf"(?P<it>{_O})(?:'s)? (?P<fill>(?:[^\s@;]+ ){{0,6}}?){_BEST}", text):
            linked = re.match(
                r"(?:is|was|are|'s|would|will|seems?|looks?|remains|comes?|stands?|makes?|wins|as|gets|it's|therefore|thus|so|still|clearly|easily|,|-|has to be|emerges)\b|[-,:=]|$",
                m["fill"],
            )
            if linked and not re.search(
                rf"\b{_POOR}\b", f"{m['fill']} {m[0][len(m['it']) + len(m['fill']) + 1 :]}"
            ):
                if not re.search(r"\b(?:not|neither|nor|than|over|unlike)\s+(?:the )?$", text[: m.start()]):
                    out += self.those(m["it"])
        for m in re.finditer(
            rf"{_BEST}(?P<fill>(?:[^\S@]+[^\s@;]+){{0,9}}?)\s*(?:\bis\b|\bwas\b|\bwould be\b|\bwill be\b|\bremains\b|\bgoes to\b|\bhas to be\b|:|=|->| -)\s*(?:clearly |therefore |to (?:stay|eat|go|book|dine|have lunch|take) (?:at|in|to|with)? ?|the |having lunch at |lunch at |still |easily |definitely |probably |to |at |with |,|[\"“'])*(?P<those>{_OS})",
            text,
        ):
            if not re.search(rf"\b{_POOR}\b", f"{text[max(0, m.start() - 14) : m.start()]} {m['fill']}"):
                out += self.those(m["those"])
        label = _LABEL.match(text)
        if label and not _NO_LABEL.search(label[0]) and (first := _ANY.search(text, label.end())):
            between = text[label.end() : first.start()]
            if not re.search(_NEG, between):
                out += self.those(first[0])
        if heading and (label := _LABEL.match(heading)) and not _NO_LABEL.search(heading):
            out += self.those(_ANY.findall(text)[0])
        cut = relation.search(text)
        if cut:  # "over @1@": what stands behind is not what was chosen
            behind = set(self.those(text[cut.start() :])) - set(self.those(text[: cut.start()]))
            first_part = set(self.those(text[: cut.start()]))
            out = [i for i in out if i not in behind or not first_part]
        return out

    # ---- tables ----------------------------------------------------------------------------------------------------

    def _row(self, line: Line) -> None:
        for c in line.clauses:
            cell = c.text.partition(": ")[2] or c.text
            if not _VERDICT.search(c.heading) and c.heading.strip() and not self._says_so(cell):
                continue
            self._cell(c, cell)

    def _says_so(self, cell: str) -> bool:
        """Whether a cell under any heading is a verdict of its own ("✅ best pick", "rejected")."""
        return bool(
            re.fullmatch(
                r"\W*(?:✅|❌|🏆|⭐|👉)?\W*(?:my |the |best |top |our )*(?:pick|choice|recommended|recommendation|rejected|ruled out|excluded|winner|chosen|selected|best)\W*",
                cell,
            )
        )

    def _column(self, line: Line) -> None:
        """A row of a table that has the options as columns: what it judges, it judges each."""
        if _VERDICT.search(line.text):
            for c in line.clauses:
                self._cell(c, c.text.partition(": ")[2] or c.text)

    def _cell(self, c: Clause, cell: str) -> None:
        where = None
        if _CROSS.search(cell) or (_NO_CELL.search(cell) and not _TICK.search(cell)):
            where = self.out
        elif _CHOSEN_CELL.search(cell):
            where = self.strong
        elif _TICK.search(cell) or _YES_CELL.search(cell):
            where = self.likely
        if where is not None:
            for ident in c.about:
                if ident in self.ids.values():
                    where[ident] = self.at

    # ---- the end ---------------------------------------------------------------------------------------------------

    def result(self, lines: Sequence[Line]) -> Picks:
        named = frozenset(self.named)
        for line in lines:
            for c in line.clauses:
                if re.search(r"\bneither\b.*@", c.text):
                    continue
        strong = {i for i, at in self.strong.items() if at >= self.out.get(i, 0) or self.out.get(i, 0) == at}
        strong = strong or set(self.strong)
        if self.none and all(i in self.out or i in self.lacking for i in strong):
            strong = set()  # "it would be perfect, but": said of what will not do
        elif self.lone and not self.strong:
            strong = set(self.lone)
        likely = {i for i in self.likely if i not in self.out and i not in self.lacking}
        left = {i for i in named & (self.spoken or named) if i not in self.out and i not in self.lacking}
        if strong:
            chosen = strong
        elif self.none or (len(named) > 1 and not left):
            chosen = set()
        elif likely:
            chosen = likely
        else:
            chosen = left
        none = self.none and not strong
        aside = frozenset((set(self.out) | set(self.lacking)) - chosen)
        return Picks(frozenset(chosen), aside, named, none)
