"""How English says that one of several is chosen or set aside, or that none will do: in parts of sentences.

Options stand there as `@n@` and are given by their numbers (see `errands.grading.clauses`).
"""

from __future__ import annotations

import re

from .clauses import MENTION, mentioned

_O = r"@\d+@"
_OS = rf"{_O}(?:'s)?(?:(?:,| and| or| &| \+|/|, and|, or) (?:the )?{_O})*"
_ANY = re.compile(_O)
_VERB = (
    r"(?:recommend\w*|suggest\w*|choos\w+|chose\w*|pick(?:s|ed|ing)?|select\w*|go(?:ing)? (?:with|for|to)"
    r"|went (?:with|for)|opt(?:ed|ing|s)? for"
    r"|settl\w+ (?:on|for)|stick(?:ing)? with|take|took|prefer\w*|propose\w*|(?:eat|dine|lunch|stay"
    r"|sit)(?:ing)? (?:at|in)|head(?:ing)? (?:to|for)"
    r"|vote (?:is )?for|favou?r\w*|pick is|lands? on|points? to|land(?:ed)? on|lean(?:ing)? (?:toward\w*|to)"
    r"|narrows? (?:it )?(?:down )?to|shortlist\w*|decided? on"
    r"|leaves? (?:only|just|you with|us with|me with)|(?:lunch|stay|room|nights?|meal|table|lodging) (?:at|in)"
    r"|book(?:ing)?|reserv(?:e|ing)|try|use|plan\w* (?:on|around|is|with)|combin\w+|pair\w*)"
)
_BOOKS = re.compile(r"\b(?:book\w*|reserv\w+|held|hold|paid|pay|cancel\w*)\b")
_BEST = (
    r"\b(?:(?:the |your |my |our |a |clear |overall |single |very )*(?:best(?! (?:price|value|deal|rate"
    r"|bargain))|top|winner|ideal|perfect|right|recommendation|recommended|pick"
    r"|choice|answer|selection|selected|chosen|(?:one|place|option|restaurant|lodging|hotel|venue"
    r"|offer)(?: (?:i'd|i would|i|to|for))|only (?:\w+ )?(?:one|option|place|restaurant|lodging|hotel|stay"
    r"|room|match|fit|choice|venue|spot|offer|candidate|property|slot)|way to go"
    r"|(?:your|my) (?:place|spot|restaurant|table|lunch|stay|hotel|room|lodging|bet)|good fit|great fit"
    r"|best fit|strongest|sweet spot|one|standout|safest)"
    r")\b"
)
_POOR = (
    r"(?:cheap\w*|expensive|affordable|runner|second|next|backup|fallback|alternativ\w*|closest|worst|wrong"
    r"|loud\w*|poor|bad|popular|not|n't|never|no longer|neither"
    r"|less|lowest|priciest|tempting|other|value|third|last|risk\w*|isn't|out\b|fails?|budget|if|than|~|except|but)"
)
_COND = re.compile(
    r"^\W*(?:but |and |so |or |though |although |however,? )?(?:only )?(?:if|unless|should you|were it not"
    r"|had it|in case|when|without the|were)\b|\bif (?:you(?:'d| would)? (?:don't|do not|didn't|didn't|can"
    r"|could|wanted|prefer|were|ever|change|later|really|relax)"
    r"|noise|quiet\w*|price|money|the (?:budget|price|noise|music)|budget|it (?:weren't|wasn't|didn't)"
    r"|that changes|cost|neither|none|step|only)\b|\botherwise\b|\bunless\b"
    r"|\bclosest\b|\bworth considering\b|\bcould also\b|\bmight also\b|\bcan also\b"
    r"|\bwould (?:otherwise|only|have)\b|\bwould be (?:\w+ ){1,4}(?:if|but)\b|\bconsider(?:ed|ing)\b"
    r"|\bat first\b|\bmy first (?:thought|instinct)\b|\btempting\b|\bon price alone\b"
)
_BACKUP = re.compile(
    r"\b(?:backup|back-up|fall-?back|runner-up|runners-up|second[- ](?:choice|best|place)|plan b|next[- ]best"
    r"|alternatives?|next option|also[- ]rans?)\b"
)
_NEG = (
    r"(?:\bnot\b|n't\b|\bnever\b|\bcannot\b|\bavoid\w*|\bagainst\b|\brather than\b|\binstead of\b"
    r"|\bno longer\b|\bunable\b|\bno (?:reason|need|way)\b|\bneither\b|\bhesitat\w+|\bbefore\b|\bwithout\b)"
)
_CAN = re.compile(
    r"\b(?:could|might|may|can|happy to|let me know|want me to|would you like|shall i|should i|like me to)\b"
)
_THIS = re.compile(
    rf"(?<!not )(?<!n't )(?<!never )\b(?:recommend|choose|pick|go with|suggest|go for|take|went with|chose"
    rf"|picked) (?:it|this one|that one|this place)\b(?!{_NEG})"
)
_LABEL = re.compile(
    r"^\W*(?:✅|✔|👉|🏆|⭐|🥇|the |my |your |our |final |overall |short |tl;?dr|bottom |suggested |proposed "
    r"|chosen |selected )*(?P<label>recommend\w*|pick|choice|best(?: \w+){0,3}|answer|selected|selection"
    r"|winner|verdict|decision"
    r"|conclusion|top pick|final|go with|result|line|suggestion|proposal|choose|summary|dr|option chosen"
    r"|in short)(?: (?!not\b)[\w'-]+){0,5}\s*(?:[:=|?]|\s-|->)"
)
_DOMAIN = re.compile(
    r"^\W*(?:so,? |ok(?:ay)?,? |well,? |for |the |your |my |our |suggested |proposed )*(?:lodging|hotel|stay"
    r"|accommodations?|where to (?:eat|stay|go)|plan|restaurant|lunch|venue|place|room|itinerary|option|slot)"
    r"(?: \([^)]*\))?\s*(?:[:=|]|\s-|->)"
)
_NO_LABEL = re.compile(
    r"\b(?:options|offers|candidates|others?|rest|rejected|ruled|not|why|alternatives?|considered|compar\w+"
    r"|excluded|eliminated|looked|available|reviewed|checked|runner|backup|second|trade-?offs?|don't"
    r"|unsuitable|fail\w*|no|skip|avoid|against|out|closest)\b"
)
_MEETS_ALL = re.compile(
    rf"{_O}(?:'s)?(?: \w+){{0,3}}? (?:meets?|fits?|satisf(?:y|ies)|match(?:es)?|ticks?|checks?|fulfils?"
    rf"|fulfills|covers?|pass(?:es)?|hits?|delivers?|has|does|gives? you|gets? you) (?:\w+ ){{0,3}}?(?:all"
    rf"|every\w*|each|your|both|the (?:bill|brief|lot|requirements|criteria|conditions|three|rest)|them)\b"
    rf"|{_O} (?:\w+ )?(?:qualif(?:y|ies)|works|wins|fits|it is|stands out|comes out on top|comes out ahead"
    rf"|suits|is (?:suitable|it|eligible|acceptable|in)|passes)\b"
    rf"|\bonly (?:the )?{_O}"
)
_OUT_AFTER = re.compile(
    r"^(?:'s)?\W{0,3}(?:(?:both|all|each|also|clearly|unfortunately|sadly|therefore|thus|so|however|,|alone"
    r"|really|simply|here|at \$[\d.]+|it's|it|which|that|but|and|though) ?)*"
    r"(?:(?:is|are|was|were|gets?|being|got|looks|seems|would be|has been|have been|had to be|must be|'s"
    r"|comes?)? ?(?:both |all |therefore |thus |also |immediately |automatically )?(?:out\b(?!doors?| on top"
    r"| ahead| of the)|ruled out|excluded|rejected"
    r"|eliminated|discarded|dismissed|disqualified|unsuitable|ineligible|off the (?:table|list)|a no(?:-go)?\b"
    r"|no good|set aside|knocked out|dropped|skipped|not (?:suitable|recommended|an option|a fit|a match"
    r"|eligible|viable|acceptable|right|for you|possible|qualif\w*|good|it\b))"
    r"|(?:does|do|did|would|can|could|will)(?:n't| not) (?:\w+ )?(?:meet|fit|qualify|work|satisf\w*|suit|match"
    r"|pass|do|count|comply|make|cut)|can't|cannot|won't|fails?\b|falls? (?:short|foul|down)|misses\b|violates"
    r"|breaks\b|loses\b|lacks\b|drops out|(?:is|are) (?:also )?too \w+"
    r"|(?:is|are) neither\b|(?:isn't|aren't|is not|are not|wasn't) (?:\w+ )?(?:suitable|recommended|an option"
    r"|a fit|a match|eligible|viable|acceptable|right|possible|good|it\b|step|refund|accessib\w*|vegetarian"
    r"|quiet|within)|(?:does|do|is|has|can|will)(?:n't| not)\W*$|would(?:n't| not)|exceeds?\b|goes over|(?:is"
    r"|are) over\b|never)"
)
_OUT_BEFORE = re.compile(
    rf"(?:\b(?:rul(?:e[sd]?|ing) out|exclud\w+|reject\w*|eliminat\w+|discard\w*|dismiss\w*|skip\w*|avoid\w*"
    rf"|drop(?:ped|ping)?|disqualif\w+|pass(?:ed|ing)? (?:on|over|up)|set aside|steer clear of"
    rf"|cross(?:ed)? (?:off|out)|not|n't (?:\w+ ){{0,3}}?(?:recommend|choose|pick|select|suggest|go (?:with|for"
    rf"|to)|take|use)|neither|nor|forget|turned down|left out|leaves? out|unsuitable|ruled out|rejected"
    rf"|not suitable|out)\b(?:\W+(?:the|both|either|with|for|at|is|was|are|were|out|:|because|of))*\W*)"
    rf"(?P<those>{_OS}(?: nor {_O})*)"
)
_CROSS, _TICK = re.compile("❌|✗|✘|✖|🚫|👎"), re.compile("✅|✔|✓|☑|👉|🏆|⭐|🥇|👍")
_THING = (
    r"(?:restaurants?|places?|options?|lodgings?|hotels?|plans?|offers?|combinations?|stays?|rooms?"
    r"|accommodations?|venues?|choices?|spots?|of them|of these|candidates?|one|itinerar(?:y|ies)|propert(?:y"
    r"|ies)|slots?|of the (?!others?\b)\w+(?: \w+){0,2})"
)
_FIT = (
    r"(?:fit\w*|meet\w*|qualif\w+|work\w*|satisf\w+|match\w*|suit\w*|pass\w*|fulfil\w*|tick\w*|compl\w+"
    r"|possible|available|can be|will do|does|do\b|is (?:both|all|quiet|step)|exist\w*|has|have|offers?\b"
    r"|combin\w+|covers?|stay\w* (?:within|under)|check\w*)"
)
_NONE = re.compile(
    rf"\b(?:none|nothing|no (?!other\b)(?:\w+ ){{0,2}}?{_THING}|not one|neither)\b(?! of the others?\b"
    rf"| of the other\b|(?: of (?:it|this|that))? (?:has|have|is|was|will be|would be|got)(?: been)?(?: yet"
    rf"| actually)? (?:book|reserv|paid|put|add|sent|charg|chang|held|order|submit|done|made))(?: (?!but\b"
    rf"|other\b|others\b|rival)[\w$',-]+){{0,14}}? {_FIT}"
    rf"|\bno[- ]plan\b|\bno (?:valid|feasible|workable|compliant|suitable|acceptable|qualifying|eligible"
    rf"|possible|viable|good) (?:\w+ )?{_THING}"
    rf"|\bnone[- ](?:qualif\w+|fits?|suitable|available)\b|\b(?:can't|cannot|can not|unable to|not able to"
    rf"|couldn't|could not|won't|not possible to|impossible to|there is no way to) (?:\w+ ){{0,3}}?(?:recommend"
    rf"|put together|make|build|offer|suggest|plan|propose|pick|choose|select|honestly"
    rf"|find (?:\w+ ){{0,3}}?{_THING})\b(?! (?:both|more than))"
    rf"|\bthere(?:'s| is| are|'re) (?:\w+ )?(?:no|none|nothing|not (?:a|any))\b(?: (?!other\b|reason|need"
    rf"|difference|service|tax|extra|booking|doubt|question|music|meat|loud|stairs"
    rf"|refund)[\w-]+){{0,6}}? (?:that|which|to|fit\w*|meet\w*|match\w*)\b"
    r"|\b(?:both|all(?: three| four| two| of them)?|every(?: one| option| place)?|each(?: one| of them| option"
    r"| place)?)\b(?: (?:lodgings?|hotels?|options?|places?|restaurants?|of them|offers?))? (?:fails?"
    r"|are ruled out|is ruled out|are out|miss(?:es)?|falls? short|breaks?|violates?|have to be ruled out"
    r"|must be ruled out|are disqualified)\b"
)
_WOULD = re.compile(
    r"\b(?:would|could|might|'d) (?:otherwise )?(?:be|have been|do|work|fit) ?(?:perfect\w*|ideal|great|fine"
    r"|right|good|nice\w*|suitable|lovely|enough|well|\W*$)|\blook\w* (?:good|right|perfect|best|tempting"
    r"|fine)\b|\bseem\w* (?:good|right|perfect|best|fine|ideal)\b"
)
_PLAIN = re.compile(
    r"[\W_]*(?:the )?@(\d+)@(?: (?:it is|wins|please|for sure|definitely|for lunch|then))?[\W_]*"
)
_TURN = re.compile(
    r"\s*;\s*|,?\s+\b(?:but|while|whereas|although|though|however|yet|except that)\b,?\s*|[.!?]\s+"
)
_OVER = re.compile(
    r"\b(?:over|instead of|rather than|than|versus|vs|unlike|compared (?:to|with)|as opposed to|in place of"
    r"|and not)\b|, not\b"
)
# "I recommend that you have lunch at @0@".
_VERB_OBJECT = re.compile(
    rf"\b(?P<verb>{_VERB})\b(?P<fill>(?: (?!(?:between|from|over|than|not|instead|rather|versus|vs|or|against|whether"
    rf"|if)\b)(?!{_O})[^\s@;]+){{0,9}}?):? (?:the )?(?P<those>{_OS})"
)
_WEAK_VERB = re.compile(r"book|reserv|stay|room|nights?|table|lunch|meal|use|plan|take|lodging")  # nouns too
_PRICED = re.compile(
    r"(?:'s)? (?:is|was|would be|costs?|comes? to|runs(?: to)?)(?: (?:only|just|about|around))? \$?\d"
)
_NO_VERB = re.compile(r"\b(?:to|for|of|can|could|if|the|has|was|were|been|have|nothing|is)\s*$")
_INTENDS = re.compile(rf"(?:{_BEST}|{_VERB}|plan|i'd|you)\b[^@]*$")
_DENIED = re.compile(rf"{_NEG}(?: [\w']+){{0,4}} ?$")
# "@0@ is clearly the best", and "the best option for you is @0@".
_IS_BEST = re.compile(rf"(?P<it>{_O})(?:'s)? (?P<fill>(?:[^\s@;]+ ){{0,6}}?)(?P<best>{_BEST})")
_LINK = re.compile(
    r"(?:is|was|are|'s|would|will|seems?|looks?|remains|comes?|stands?|makes?|wins|as|gets|it's|therefore|thus|so|still"
    r"|clearly|easily|,|-|has to be|emerges)\b|[-,:=]|$"
)
_BEST_IS = re.compile(
    rf"{_BEST}(?P<fill>(?:[^\S@]+[^\s@;]+){{0,9}}?)\s*(?:\bis\b|\bwas\b|\bwould be\b|\bwill be\b|\bremains\b"
    rf"|\bgoes to\b|\bhas to be\b|:|=|->| -)\s*(?:clearly |therefore |to (?:stay|eat|go|book|dine|have lunch|take)"
    rf" (?:at|in|to|with)? ?|the |having lunch at "
    rf"|lunch at |still |easily |definitely |probably |to |at |with |,|[\"“'])*(?P<those>{_OS})"
)
_POORLY = re.compile(rf"\b{_POOR}\b")
_BEGINS = re.compile(rf"\W*(?:the |option \w+\W+)?{_O}")


def begins(text: str) -> bool:
    """Whether a text begins with an option."""
    return _BEGINS.match(text) is not None


def lone(text: str) -> int | None:
    """The option that a text is nothing but."""
    only = _PLAIN.fullmatch(text)
    return int(only[1]) if only else None


def apart(text: str) -> tuple[str, list[str]]:
    """A sentence without the parentheses that name options or turn against what was said, and what stands in these."""
    loose: list[str] = []

    def cut(m: re.Match[str]) -> str:
        if not _ANY.search(m[1]) and not _TURN.search(m[1]):
            return m[0]
        loose.append(m[1])
        return " "

    return re.sub(r"\(([^()]*)\)", cut, text), loose


def turns(text: str) -> list[str]:
    """The parts of a sentence between turns ("but", "while"); what would be well, but is not, is left out."""
    parts = [p for p in _TURN.split(text) if p and p.strip()]
    return [p for n, p in enumerate(parts) if n == len(parts) - 1 or not _WOULD.search(p)]


def conditional(text: str) -> bool:
    """Whether a part holds on a condition, or tells what was only thought of."""
    return _COND.search(text) is not None


def unreserved(text: str) -> str:
    """A part without what it keeps in reserve ("with @1@ as a fallback")."""
    if not _BACKUP.search(text):
        return text
    return ",".join(piece for piece in text.split(",") if not _BACKUP.search(piece))


def crossed(text: str) -> bool:
    """Whether a part has a cross."""
    return _CROSS.search(text) is not None


def ticked(text: str) -> bool:
    """Whether a part has a tick."""
    return _TICK.search(text) is not None


def this_one(text: str) -> bool:
    """Whether it says "I recommend it"."""
    return _THIS.search(text) is not None


def none_fits(text: str) -> bool:
    """Whether a sentence says that none of all will do."""
    return _NONE.search(text) is not None and not _COND.match(text)


def set_aside(text: str) -> set[int]:
    """The options that a part of a sentence sets aside. What was not booked is not thereby set aside."""
    if _BOOKS.search(text) and re.search(_NEG, text):
        return set()
    out = {n for m in _OUT_BEFORE.finditer(text) for n in mentioned(m["those"])}
    return out | {int(m[1]) for m in MENTION.finditer(text) if _is_out(text[m.end() :])}


def _is_out(rest: str) -> bool:
    joined = re.match(rf"(?:(?:,| and| or| nor| &)+ (?:the )?{_O})+", rest)  # "@1@ and @2@ are out"
    return _OUT_AFTER.match(rest[joined.end() :] if joined else rest) is not None


def chosen(text: str, heading: str = "") -> list[int]:
    """The options that a part of a sentence chooses in so many words. `heading`: the label it is an item under."""
    out = [*_by_verb(text), *_by_praise(text), *_by_label(text, heading)]
    cut = _OVER.search(text)
    if cut and (
        before := mentioned(text[: cut.start()])
    ):  # "over @1@": what stands behind is not what was chosen
        out = [n for n in out if n in before]
    return out


def _by_verb(text: str) -> list[int]:
    out: list[int] = []
    for m in _VERB_OBJECT.finditer(text):
        before = text[: m.start()][-60:]
        if _DENIED.search(before) or re.search(_NEG, m["fill"]) or _CAN.search(before):
            continue
        weak = _WEAK_VERB.match(m["verb"]) is not None
        if weak and _PRICED.match(text, m.end()):  # "lunch at @0@ is only $14"
            continue
        if not (weak and _NO_VERB.search(before)) or _INTENDS.search(before):
            out += mentioned(m["those"])
    return out


def _by_praise(text: str) -> list[int]:
    out: list[int] = []
    for m in _IS_BEST.finditer(text):
        denied = re.search(r"\b(?:not|neither|nor|than|over|unlike)\s+(?:the )?$", text[: m.start()])
        if _LINK.match(m["fill"]) and not denied and not _POORLY.search(f"{m['fill']} {m['best']}"):
            out += mentioned(m["it"])
    for m in _BEST_IS.finditer(text):
        if not _POORLY.search(f"{text[max(0, m.start() - 14) : m.start()]} {m['fill']}"):
            out += mentioned(m["those"])
    return out


def _by_label(text: str, heading: str) -> list[int]:
    out: list[int] = []
    label = _LABEL.match(text)
    first = _ANY.search(text, label.end()) if label and not _NO_LABEL.search(label[0]) else None
    if label and first and not re.search(_NEG, text[label.end() : first.start()]):
        out += mentioned(first[0])
    if heading and _LABEL.match(heading) and not _NO_LABEL.search(heading):
        out += mentioned(text)[:1]
    return out


def likely(text: str, heading: str = "") -> list[int]:
    """The options that a part says to meet all that is asked, that stand behind a label ("Lodging: @0@") or a tick."""
    out: list[int] = []
    meets = _MEETS_ALL.search(text)
    if meets and not re.search(_NEG, text[: meets.end()]):
        out += mentioned(meets[0])
    label = _DOMAIN.match(text)
    if label and not _NO_LABEL.search(label[0]):
        out += mentioned(text[label.end() :])[:1]
    if heading and _DOMAIN.match(heading) and not _NO_LABEL.search(heading):
        out += mentioned(text)[:1]
    if ticked(text) and len(mentioned(text)) == 1:
        out += mentioned(text)
    return out
