"""Which drinks a text names: those that it suggests or states, without those that it sets aside."""

from __future__ import annotations

import re

from errands.languages.text import fold, sentences

DRINKS = {
    "tea": r"(?<!iced )teas?|chai|oolong|earl gr[ea]y",
    "coffee": r"coffees?|espressos?|lattes?|cappuccinos?|americanos?",
    "hot chocolate": r"(?:hot )?chocolates?|cocoa",
    "lemonade": r"lemonades?",
    "ginger ale": r"ginger ales?",
    "cider": r"ciders?",
    "water": r"water",
    "juice": r"juices?|smoothies?",
    "soda": r"sodas?|colas?|soft drinks?",
    "iced tea": r"iced teas?",
    "kombucha": r"kombuchas?",
    "matcha": r"matcha",
    "beer": r"beers?",
    "wine": r"wines?",
}
_WORD = {name: re.compile(rf"\b(?:{p})\b") for name, p in DRINKS.items()}
_ANY = "|".join(DRINKS.values())
_BIT = (
    r"(?:your|the|a|an|any|some|old|new|cups? of|preference for|just|only|having|prefer(?:red|ring)?"
    r"|drinking|like|have) "
)
# "coffee rather than tea", "prefer coffee to tea": the first is meant.
_RATHER = re.compile(
    rf"\b(?P<meant>{_ANY}),? (?:over|instead of|in place of|rather than|more than|and not|not) (?:{_BIT})*(?:{_ANY})\b"
    rf"|\bprefer\w* (?P<liked>{_ANY}) to (?:{_BIT})*(?:{_ANY})\b"
)
# What stands before or behind a drink that is set aside.
_ASIDE = re.compile(
    r"\b(?:(?<!why )not|instead of|in place of|rather than|no longer|used to|formerly|previously|apart from|"
    r"(?:do|does|did|is|are)n't|(?:changed|switched|moved|went|gone|updated|replaced)(?: \w+){0,3}? from|"
    r"replac(?:es|ed|ing)|changed|old (?:one|preference|value|entry|choice)(?: was| of|,|:)?)"
    rf" (?:{_BIT})*(?:{_ANY})\b"
    rf"|\b(?:was|were) (?:{_BIT})*(?:{_ANY})\b(?=[^.!?\n]{{0,24}}\b(?:now|but|before|until|changed|earlier)\b)"
    rf"|\b(?:{_ANY}) ?(?:->|=>|→)"
    rf"|\b(?:{_ANY}) (?:before|earlier|until now|no longer|anymore|any more|was (?:replaced|deleted|your old))\b"
)


def named(text: str) -> frozenset[str]:
    """The drinks that a text names and does not set aside."""
    left = _RATHER.sub(lambda m: m["meant"] or m["liked"], fold(text))
    left = _ASIDE.sub(" ", left)
    return frozenset(name for name, word in _WORD.items() if word.search(left))


def claimed(text: str) -> frozenset[str]:
    """The drinks that a text states, each alone in a sentence that asks nothing: lists are examples."""
    out: set[str] = set()
    for s in sentences(text):
        found = {name for name, word in _WORD.items() if word.search(fold(s))}
        if len(found) == 1 and not s.rstrip(" \"'”’)*_").endswith("?"):
            out |= found
    return frozenset(out)
