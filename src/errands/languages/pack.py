"""A language as data: `<code>.toml` (BCP 47), read strictly, its regular expressions compiled.

Every list of patterns is a list of alternatives. Patterns are tried on folded text (NFKC, one kind of dash and
quote, ASCII digits; see `errands.languages.text`), case ignored, one sentence or clause at a time. Some may hold
a placeholder: `ID` (an id of the task's shape; the match's group `id`), `WHO` (a recipient's name forms without
title), `ME` (the writer's own name forms without title), `HON` (the honorifics of the language), `FAMILY` (the
recipient's formal form without its title, where that is one word and not what they are called: "Tan" of "Ms Tan").
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from .text import scripts_of, whole_am

_PLACEHOLDER = re.compile(r"(?<![A-Z])(ID|WHO|ME|HON|FAMILY)(?![A-Za-z])")  # also right behind a \b


def _listed(raw: object) -> object:
    """A list of alternatives. They are compiled where they are first used: all at once takes half a second."""
    if not isinstance(raw, list) or not all(isinstance(p, str) and p for p in raw):
        raise ValueError("a list of regular expressions is expected")
    return tuple(map(whole_am, raw))


Patterns = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Subject = Literal["where", "how_long", "who", "deadline", "budget", "why", "contact", "time_of_day"]
SUBJECTS: tuple[Subject, ...] = get_args(Subject)


class Ears(_Table):
    """What a message to the user is. A sentence asks for a yes if `approval` fits and `told` does not (or it ends
    as a question); else `question` makes it a question; else it only tells.

    `spared` is cut out of what asks for a yes before names are looked for: "all three, but not the one to Mori".
    What a message asks to be told is heard by `errands.people.asked`.
    """

    approval: Patterns
    told: Patterns = ()
    question: Patterns
    spared: Patterns = ()


class Says(_Table):
    """The user's own words. `{items}`, `{why}` and `{answer}` are filled."""

    prepare: str
    which: str
    yes: str
    no: str
    unknown: str
    unknown_bare: str  # the same where the world has no office to look in
    again: str
    waiting: str
    joined: str
    items: dict[str, str] = Field(
        default_factory=dict
    )  # by kind, how a staged thing is called: `{to}`, `{title}`


class Sent(_Table):
    """Whether a clause says that messages went out.

    A clause claims it if `verb` fits, none of `others` (somebody else's sending, or of something else) does, no
    `denied` stands before the end of the verb and no `denied_after` right behind it. Sentences with `conditional`
    and without `past` claim nothing. `every`, `whole` make it all of them, `part` only some; `counted` has two
    groups (3 of 3); `number` has one, how many went out. `clause` cuts sentences, `name` fits a word of a list of
    names that such a cut tore off. `but` begins what is excepted. `yes` answers a question with yes.
    """

    verb: Patterns
    denied: Patterns
    denied_after: Patterns = ()
    conditional: Patterns
    past: Patterns
    others: Patterns
    others_after: Patterns = ()
    every: Patterns
    part: Patterns
    whole: Patterns
    counted: Patterns = ()
    number: Patterns = ()
    clause: Patterns
    name: Patterns = ()
    but: Patterns
    yes: Patterns
    numbers: dict[str, int] = Field(default_factory=dict)


class Holds(_Table):
    """Which of several numbered rules a sentence says to hold.

    `applied`, `in_force`, `passed_over` (named right after a no), `replaced` and `disowned` hold `ID`. In a
    sentence with `aside` (old, replaced, a proposal) only what is `applied` counts. `read` tells what was looked at.
    `not_done` fits the text right before an `applied` that is denied.
    """

    applied: Patterns
    not_done: Patterns = ()
    in_force: Patterns
    passed_over: Patterns
    replaced: Patterns
    disowned: Patterns
    aside: Patterns
    read: Patterns


class Times(_Table):
    """Why a sentence may name other times: `aside` (avoided, not taken), `answer_by` (a time for the answer).
    `moving` says that the meeting's time is meant. `mark`: what any way to write a time has in it beside digits."""

    mark: Patterns
    aside: Patterns
    answer_by: Patterns
    moving: Patterns


class Register(_Table):
    """The closed list of gross faults, and what shows each of them.

    `plain` fits a finished plain-form sentence at its end (`polite` wins over it); `slang`; `rude_pronoun`;
    `bare_name` holds `WHO`, `self_honour` holds `ME`; `to_f`, `to_m` are faults towards a woman or a man, `by_f`,
    `by_m` from one. `honorifics` are alternatives for `HON`; what a name is stripped of is `titles`.
    """

    honorifics: Patterns = ()
    titles: Patterns = ()
    plain: Patterns = ()
    polite: Patterns = ()
    slang: Patterns
    bare_name: Patterns = ()
    bare_first_name: Patterns = ()
    self_honour: Patterns = ()
    rude_pronoun: Patterns = ()
    to_f: Patterns = ()
    to_m: Patterns = ()
    by_f: Patterns = ()
    by_m: Patterns = ()


class Pack(_Table):
    """A language. `scripts`: the Unicode script names of its letters; `foreign`: letters that it never uses.

    `common`: function words, for a language that shares its script with others; a mail that has hardly any is in
    another one. `everyday`: words that no handle of a world may be, in the form in which they are written.
    """

    language: str
    scripts: tuple[str, ...] = Field(min_length=1)
    foreign: str = ""
    common: tuple[str, ...] = ()
    everyday: tuple[str, ...] = ()
    ears: Ears
    says: Says
    sent: Sent
    holds: Holds
    times: Times
    register_: Register = Field(alias="register")


def codes() -> tuple[str, ...]:
    """The languages that are here."""
    here = resources.files(__package__)
    return tuple(sorted(f.name.removesuffix(".toml") for f in here.iterdir() if f.name.endswith(".toml")))


@lru_cache(maxsize=16)
def pack(language: str) -> Pack:
    """The rules of a language; `ValueError` that names those that exist, or the file and field that is wrong."""
    if language not in codes():
        raise ValueError(f"no rules for language {language!r}; there are: {', '.join(codes())}")
    file = resources.files(__package__).joinpath(f"{language}.toml")
    try:
        found = Pack.model_validate(tomllib.loads(file.read_text("utf-8")))
    except tomllib.TOMLDecodeError as why:
        raise ValueError(f"{file}: {why}") from None
    except ValidationError as why:
        first = why.errors()[0]
        raise ValueError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if found.language != language:
        raise ValueError(f"{file}: language is {found.language!r}")
    return found


def packs(languages: Iterable[str]) -> tuple[Pack, ...]:
    """The rules of several languages, each once."""
    return tuple(pack(code) for code in dict.fromkeys(languages))


class Rule:
    """A compiled list of alternatives, case ignored.

    Where a language has letters without case, patterns and text are put in small Latin letters instead of asking
    `re` to ignore case: for a class such as 가-힣 it would try both cases of eleven thousand letters.
    """

    __slots__ = ("_pattern", "_small")

    def __init__(self, text: str):
        self._small = not text.isascii()
        flags = re.MULTILINE if self._small else re.MULTILINE | re.IGNORECASE
        self._pattern = re.compile(_small(text) if self._small else text, flags)

    def _read(self, text: str) -> str:
        return text.translate(_LOWER) if self._small else text

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As of a pattern."""
        return self._pattern.search(self._read(text), start, end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As of a pattern."""
        return self._pattern.match(self._read(text), start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As of a pattern."""
        return self._pattern.fullmatch(self._read(text))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As of a pattern."""
        return self._pattern.finditer(self._read(text))

    def findall(self, text: str) -> list[Any]:
        """As of a pattern."""
        return self._pattern.findall(self._read(text))

    def split(self, text: str) -> list[str]:
        """The text between matches, as it was written."""
        out, at = [], 0
        for m in self.finditer(text):
            if m.end() > m.start() or m.start() not in (0, len(text)):
                out.append(text[at : m.start()])
                at = m.end()
        return [*out, text[at:]]

    def cut(self, text: str) -> str:
        """The text without its matches, as it was written."""
        return "".join(self.split(text))


_LOWER = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_CAPITAL = re.compile(r"\\.|\(\?[aiLmsux-]+[:)]|\(\?P[<=]\w+[>)]|[A-Z]", re.DOTALL)


def _small(pattern: str) -> str:
    """The pattern with its literal capitals in small letters; escapes and groups stay."""
    return _CAPITAL.sub(lambda m: m[0].lower() if len(m[0]) == 1 else m[0], pattern)


@lru_cache(maxsize=4096)
def compiled(patterns: Sequence[str], **filled: str) -> Rule:
    """Alternatives as one rule, `^` and `$` at line ends; `filled`: placeholder -> pattern. None fit nothing.

    `ValueError` for one that is no regular expression.
    """
    text = "|".join(f"(?:{p})" for p in patterns) or r"(?!)"
    if filled:
        text = _PLACEHOLDER.sub(lambda m: filled.get(m[1], m[1]), text)
    try:
        return Rule(text)
    except re.error as why:
        raise ValueError(f"{text[:200]!r} is no regular expression: {why}") from None


def packs_for(languages: Iterable[str], text: str) -> tuple[Pack, ...]:
    """The rules by which one sentence is read: of languages whose letters it has, and of those in Latin letters.

    A rule of Korean for a borrowed "sent" must not judge an English sentence.
    """
    seen = scripts_of(text)
    return tuple(p for p in packs(languages) if "Latn" in p.scripts or seen.intersection(p.scripts))


def finds(patterns: Sequence[str], text: str) -> bool:
    """Whether any of the alternatives is found in the text."""
    told, asked = _by_mark(tuple(patterns))
    if told and compiled(told).search(text) is not None:
        return True
    return "?" in text and bool(asked) and compiled(asked).search(text) is not None


@lru_cache(maxsize=1024)
def _by_mark(patterns: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Alternatives, and those of them that end in a question mark: what asks nothing needs no look at these."""
    asked = tuple(p for p in patterns if p.endswith("\\?") and not p.endswith("\\\\?"))
    return tuple(p for p in patterns if p not in asked), asked
