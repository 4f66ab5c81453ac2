"""Word banks: what people in a world say, in TOML, with slots and a few language-aware filters.

A bank, one file a language:

    language = "en"              # BCP 47; plural rules, particles and list words follow it
    market = "sg"                # optional: whose writing.toml dates, money and lists are written by
    [say.moved]
    slots = ["to", "at"]         # optional: facts that every alternative must carry
    subject = "New time"         # optional
    text = ["Hi {to|called}, ...", "..."]     # or one string
    [plural.meeting]             # CLDR categories, exactly those that the language has for whole numbers
    one = "{n} meeting"
    other = "{n} meetings"
    [counter.person]
    pattern = "{n} pax"          # ko "{n}명", th "{n} คน"

Placeholders: `{slot}`, `{slot.attr}`, and filters left to right, `{slot|filter|filter:argument}`; `{{` and
`}}` are braces. A filter before `join` is applied to every item of a list.

    called, formal       how a person is addressed
    date, day            a date: 12 Nov 2026; Thu, 12 Nov
    time                 a time or local datetime: 3.30pm
    money, money:style   a Money, or whole minor units of the market's currency
    plural:noun          a whole number, by the table of that noun
    counter:kind         a whole number, by the pattern of that kind
    join                 a list, with the language's "and"
    josa:이/가           a value and the Korean particle that fits it

There is no chance here: which alternative is said follows from a number that the caller passes in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from typing import Any

from errands.core.money import Money
from errands.markets import folder, read_toml
from errands.markets.josa import josa, particles
from errands.markets.plurals import CATEGORIES, plural_categories, plural_category
from errands.markets.writing import Writing, load_writing

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_SLOT = re.compile(r"([a-z_][a-z0-9_]*)((?:\.[a-z][a-z0-9_]*)*)((?:\|[^|]*)*)")


class WordsError(ValueError):
    """A bank, or the use of one, is wrong; the message names file, key and slot."""


@dataclass(frozen=True, slots=True)
class Said:
    """What is said: a text and, where the bank has one, a subject. Both are NFC."""

    subject: str | None
    text: str


@dataclass(frozen=True, slots=True)
class _Hole:
    """A placeholder: the slot, attributes to follow, filters with their argument ("" for none)."""

    source: str
    slot: str
    attrs: tuple[str, ...]
    filters: tuple[tuple[str, str], ...]


_Template = tuple[str | _Hole, ...]


@dataclass(frozen=True, slots=True)
class _Say:
    subject: _Template | None
    texts: tuple[_Template, ...]
    slots: frozenset[str]


@dataclass(frozen=True, slots=True)
class Words:
    """A loaded bank. Made by `load_words`."""

    source: str
    language: str
    writing: Writing | None
    currency: str | None
    says: Mapping[str, _Say]
    plurals: Mapping[str, Mapping[str, str]]
    counters: Mapping[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """What can be said, in the order of the file."""
        return tuple(self.says)

    def slots(self, key: str) -> frozenset[str]:
        """The slots that `say(key, ...)` asks for, over all alternatives."""
        return self._find(key).slots

    def alternatives(self, key: str) -> int:
        """How many texts there are under `key`."""
        return len(self._find(key).texts)

    def say(self, key: str, choice: int, /, **slots: object) -> Said:
        """The text under `key`: alternative `choice` modulo their number, its slots filled.

        All slots of the key must be given and no others, whichever alternative is chosen, so that a
        mistake does not depend on the draw. WordsError for that, for an unknown key and for a value that
        a filter cannot write (a date without a filter is an error too: its form would be a guess).
        """
        found = self._find(key)
        for name in sorted(found.slots ^ set(slots)):
            lacking = f"is given, and no {{{name}}} stands in the text{_near(name, found.slots)}"
            what = "stands in the text and is not given" if name in found.slots else lacking
            raise WordsError(f"{self.source}: say.{key}: slot {name!r} {what}")
        subject = None if found.subject is None else self._fill(key, found.subject, slots)
        return Said(subject, self._fill(key, found.texts[choice % len(found.texts)], slots))

    def _find(self, key: str) -> _Say:
        if key not in self.says:
            raise WordsError(f"{self.source}: no say.{key}{_near(key, self.says)}")
        return self.says[key]

    def _fill(self, key: str, template: _Template, slots: Mapping[str, object]) -> str:
        done = []
        for piece in template:
            try:
                done.append(piece if isinstance(piece, str) else self._value(piece, slots[piece.slot]))
            except ValueError as error:
                assert isinstance(piece, _Hole)  # plain text cannot fail
                raise WordsError(f"{self.source}: say.{key}: slot {piece.source}: {error}") from None
        return unicodedata.normalize("NFC", "".join(done))

    def _value(self, hole: _Hole, value: object) -> str:
        for attr in hole.attrs:
            value = _attr(value, attr)
        for name, arg in hole.filters:
            apply = _FILTERS[name].apply
            if name != "join" and isinstance(value, list | tuple):
                value = [apply(self, item, arg) for item in value]
            else:
                value = apply(self, value, arg)
        return _plain(value)


def load_words(path: Traversable, writing: Writing | None = None) -> Words:
    """The bank in the TOML file `path` (a Path will do), checked whole.

    `writing` overrides the one of the bank's `market`. WordsError, naming file, key and slot, for anything
    unknown (field, filter, noun, kind), for an empty text and for a declared slot that an alternative
    leaves out.
    """
    try:
        raw = read_toml(path)
    except ValueError as error:
        raise WordsError(str(error)) from None
    return _Bank(str(path), raw, writing).words()


class _Bank:
    """A bank being read: checks that need the whole file, with messages that name the place."""

    def __init__(self, source: str, raw: Mapping[str, Any], writing: Writing | None) -> None:
        self.source, self.raw = source, raw
        self._only("", raw, ("language", "market", "say", "plural", "counter"))
        self.language = self._text("language", raw.get("language"))
        self.currency: str | None = None
        self.writing = writing
        if "market" in raw:
            self._market(self._text("market", raw["market"]))
        self.plurals = {n: self._plural(n, t) for n, t in self._tables("plural").items()}
        self.counters = {k: self._counter(k, t) for k, t in self._tables("counter").items()}

    def words(self) -> Words:
        says = {key: self._say(key, table) for key, table in self._tables("say").items()}
        return Words(
            self.source, self.language, self.writing, self.currency, says, self.plurals, self.counters
        )

    def _error(self, at: str, what: str) -> WordsError:
        return WordsError(f"{self.source}: {at}: {what}" if at else f"{self.source}: {what}")

    def _market(self, code: str) -> None:
        try:
            currency = read_toml(folder(code).joinpath("market.toml"))["currency"]["code"]
            self.writing = self.writing or load_writing(code, self.language)
        except ValueError as error:
            raise self._error("market", str(error)) from None
        self.currency = str(currency)

    def _only(self, at: str, table: Mapping[str, Any], fields: Sequence[str]) -> None:
        for name in table:
            if name not in fields:
                raise self._error(at, f"unknown field {name!r}{_near(name, fields)}")

    def _tables(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        tables = self.raw.get(name, {})
        if not isinstance(tables, dict):
            raise self._error(name, "a table is expected")
        for key, table in tables.items():
            if not isinstance(table, dict):
                raise self._error(f"{name}.{key}", "a table is expected")
        return tables

    def _text(self, at: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            empty = isinstance(value, str)
            raise self._error(at, "empty text" if empty else f"a text is expected, not {value!r}")
        return value.strip("\n")

    def _plural(self, noun: str, table: Mapping[str, Any]) -> Mapping[str, str]:
        at = f"plural.{noun}"
        self._only(at, table, CATEGORIES)
        try:
            needed = plural_categories(self.language)
        except ValueError as error:
            raise self._error("language", str(error)) from None
        for name in CATEGORIES:
            if (name in table) != (name in needed):
                what = "is missing: " if name in needed else "is never used: "
                raise self._error(at, f"{name!r} {what}{self.language} has {', '.join(needed)}")
        return {name: self._number_text(f"{at}.{name}", text, must=False) for name, text in table.items()}

    def _counter(self, kind: str, table: Mapping[str, Any]) -> str:
        self._only(f"counter.{kind}", table, ("pattern",))
        return self._number_text(f"counter.{kind}.pattern", table.get("pattern"), must=True)

    def _number_text(self, at: str, value: object, *, must: bool) -> str:
        text = self._text(at, value)
        if re.search(r"[{}]", text.replace("{n}", "")):
            raise self._error(at, f"{text!r}: only {{n}} can be used")
        if must and "{n}" not in text:
            raise self._error(at, f"{text!r}: {{n}} is missing")
        return text

    def _say(self, key: str, table: Mapping[str, Any]) -> _Say:
        at = f"say.{key}"
        self._only(at, table, ("subject", "text", "slots"))
        given = table.get("text")
        texts = given if isinstance(given, list) else [given]
        if not texts:
            raise self._error(f"{at}.text", "empty text")
        subject = self._template(f"{at}.subject", table["subject"]) if "subject" in table else None
        parsed = tuple(self._template(f"{at}.text", text) for text in texts)
        in_subject = _slots(subject or ())
        used = in_subject.union(*map(_slots, parsed))
        if "slots" not in table:
            return _Say(subject, parsed, used)
        declared = table["slots"]
        if not isinstance(declared, list) or not all(isinstance(name, str) for name in declared):
            raise self._error(f"{at}.slots", f"a list of names is expected, not {declared!r}")
        for name in sorted(used.difference(declared)):
            raise self._error(at, f"slot {name!r} is not declared{_near(name, declared)}")
        for number, text in enumerate(parsed):
            for name in declared:
                if name not in in_subject | _slots(text):
                    raise self._error(at, f"slot {name!r} is declared but unused in alternative {number}")
        return _Say(subject, parsed, frozenset(declared))

    def _template(self, at: str, value: object) -> _Template:
        pieces: list[str | _Hole] = []
        for match in _PIECE.finditer(self._text(at, value)):
            piece = match.group()
            if piece in ("{", "}"):
                raise self._error(at, f"a single {piece!r} in {value!r}; write it twice for a brace")
            if match.group(1) is None:
                pieces.append({"{{": "{", "}}": "}"}.get(piece, piece))
            else:
                pieces.append(self._hole(at, match.group(1)))
        return tuple(pieces)

    def _hole(self, at: str, inside: str) -> _Hole:
        source = f"{{{inside}}}"
        match = _SLOT.fullmatch(inside)
        if match is None:
            raise self._error(at, f"slot {source}: {{slot}}, {{slot.attr}} or {{slot|filter:arg}} expected")
        slot, attrs, rest = match.groups()
        filters = []
        for step in rest.split("|")[1:]:
            name, colon, arg = step.partition(":")
            if name not in _FILTERS:
                raise self._error(at, f"slot {source}: unknown filter {name!r}{_near(name, _FILTERS)}")
            if bool(arg) not in _FILTERS[name].argument or bool(colon) != bool(arg):
                what = "needs an argument" if True in _FILTERS[name].argument else "takes no argument"
                raise self._error(at, f"slot {source}: filter {name!r} {what}")
            try:
                _FILTERS[name].check(self, arg)
            except ValueError as error:
                raise self._error(at, f"slot {source}: filter {name!r}: {error}") from None
            filters.append((name, arg))
        return _Hole(source, slot, tuple(attrs.split(".")[1:]), tuple(filters))

    def need_noun(self, arg: str) -> None:
        if arg not in self.plurals:
            raise ValueError(f"no [plural.{arg}]{_near(arg, self.plurals)}")

    def need_counter(self, arg: str) -> None:
        if arg not in self.counters:
            raise ValueError(f"no [counter.{arg}]{_near(arg, self.counters)}")

    def need_writing(self, arg: str) -> None:
        if self.writing is None:
            raise ValueError("name the bank's market, or load it with a writing")

    def need_money_style(self, arg: str) -> None:
        self.need_writing(arg)
        assert self.writing is not None
        self.writing.money_style(arg or None)

    def need_korean(self, arg: str) -> None:
        if self.language.split("-")[0] != "ko":
            raise ValueError(f"particles are Korean, the bank is {self.language!r}")
        particles(arg)


def _slots(template: _Template) -> frozenset[str]:
    return frozenset(piece.slot for piece in template if isinstance(piece, _Hole))


def _near(name: str, known: Any) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


# --- values and filters -------------------------------------------------------------------------------------


def _attr(value: object, name: str) -> object:
    """A public field of a value: an attribute, or an entry of a mapping."""
    found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    if found is None or callable(found):
        raise ValueError(f"{type(value).__name__} has no {name!r}")
    return found


def _plain(value: object) -> str:
    """The text of a value that needs no filter: a non-empty text or a whole number."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    hint = " (an empty text)" if value == "" else ", which needs a filter such as date, called, money or join"
    raise ValueError(f"the value is {type(value).__name__}{hint}")


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"a whole number is expected, not {value!r}")
    return value


def _date(value: object) -> date:
    if not isinstance(value, date):
        raise ValueError(f"a date is expected, not {value!r}")
    return value


def _by(words: Words) -> Writing:
    assert words.writing is not None  # need_writing was asked at load
    return words.writing


def _say_time(words: Words, value: object, arg: str) -> str:
    if not isinstance(value, time | datetime):
        raise ValueError(f"a time or a local datetime is expected, not {value!r}")
    return _by(words).clock_time(value)


def _say_money(words: Words, value: object, arg: str) -> str:
    if isinstance(value, Money):
        return _by(words).money(value.minor, value.currency, arg or None)
    if words.currency is None:
        raise ValueError("no currency: name the bank's market, or give a Money")
    return _by(words).money(_whole(value), words.currency, arg or None)


def _say_join(words: Words, value: object, arg: str) -> str:
    if not isinstance(value, list | tuple):
        raise ValueError(f"a list is expected, not {value!r}")
    return _by(words).join([_plain(item) for item in value])


def _say_plural(words: Words, value: object, arg: str) -> str:
    n = _whole(value)
    return words.plurals[arg][plural_category(words.language, n)].replace("{n}", str(n))


@dataclass(frozen=True, slots=True)
class _Filter:
    """How a filter writes a value, what is checked at load, and whether an argument may be there or not."""

    apply: Callable[[Words, object, str], object]
    check: Callable[[_Bank, str], None] = lambda bank, arg: None
    argument: tuple[bool, ...] = (False,)


_FILTERS: Mapping[str, _Filter] = {
    "called": _Filter(lambda words, value, arg: _attr(value, "called")),
    "formal": _Filter(lambda words, value, arg: _attr(value, "formal")),
    "date": _Filter(lambda words, value, arg: _by(words).full_date(_date(value)), _Bank.need_writing),
    "day": _Filter(lambda words, value, arg: _by(words).day(_date(value)), _Bank.need_writing),
    "time": _Filter(_say_time, _Bank.need_writing),
    "money": _Filter(_say_money, _Bank.need_money_style, (False, True)),
    "join": _Filter(_say_join, _Bank.need_writing),
    "plural": _Filter(_say_plural, _Bank.need_noun, (True,)),
    "counter": _Filter(
        lambda words, value, arg: words.counters[arg].replace("{n}", str(_whole(value))),
        _Bank.need_counter, (True,),
    ),
    "josa": _Filter(
        lambda words, value, arg: josa(_plain(value), arg), _Bank.need_korean, (True,)
    ),
}  # fmt: skip


def words_of(source: str, raw: Mapping[str, Any], writing: Writing | None = None) -> Words:
    """A bank from tables already read; `source` stands for the file in error messages."""
    return _Bank(source, raw, writing).words()
