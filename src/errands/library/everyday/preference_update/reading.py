"""How replies about drinks and memory are read: which drinks they name, whether they say that nothing is stored."""

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
    r"(?:your|the|a|an|any|some|old|new|cups? of|preference for|just|only|having|prefer(?:red|ring)?|drinking|like"
    r"|have) "
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

_NOTHING = re.compile(
    r"\b(?:nothing|none|empty|no (?:\w+ ){0,4}(?:preferences?|entry|entries|records?|memory|memories|notes?|data"
    r"|drinks?))\b"
    r"|(?:\bnot|n't|\bnever) (?:\w+ ){0,3}(?:stor\w+|sav\w+|kept|keep\w*|remember\w*|record\w*|any|anything)\b"
)
_HOW = re.compile(
    r"\b(?:you can|you could|you may|to (?:delete|remove|erase|clear|forget) (?:it|this|that|them)|go to|open|settings|"
    r"in your|ask (?:me|support)|by (?:deleting|removing|clearing))\b"
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


def nothing_stored(text: str) -> bool:
    """Whether a text says that nothing is stored."""
    return _NOTHING.search(fold(text)) is not None


def how_to_delete(text: str) -> bool:
    """Whether a text tells the user how to delete something."""
    return _HOW.search(fold(text)) is not None
