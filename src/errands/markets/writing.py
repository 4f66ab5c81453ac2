"""How values are written in a market: money, dates, times, phone numbers, lists; by hand-kept patterns.

The patterns are data, one writing.toml in a market's folder with a table a language, so a market is added
by a file and no code asks "which language?". Locale libraries are not used for output: their answers change
between versions and what they print is not always what people write.

Placeholders by pattern (all are `str.format` names):
  day, full_date       {d} {dd} {m} {mm} {month} {month_full} {weekday} {weekday_full} {y} {yy}
  time.whole/minutes   {h} 1-12, {H} 0-23, {HH}, {m}, {mm}, {half}; optional noon, midnight: plain text
  official_date        as full_date, and {ey}: the year of the official era
  money styles         {amount} {short} {myriad} {code};  money.negative {text}
  phone styles         {number}, or {first} group and {rest};  list.pair/middle/last {a} {b}
Optional per language: year_offset (543 where years are counted in the Buddhist era), era_offset (-2018 for
Reiwa, -1911 for the Republic's years) with official_date, digits (ten, where others than 0-9 are written),
money.myriads (["", "만", "억"]: names of the powers of ten thousand) with between_myriads (a space in Korean).
Optional for phones: separator of the groups (a space), trunk (the national prefix that a country code replaces).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from importlib.resources.abc import Traversable
from string import Formatter
from typing import Any, TypeVar

from errands.core.money import MINOR
from errands.markets import folder, read_toml

T = TypeVar("T")

_DATE = ("d", "dd", "m", "mm", "month", "month_full", "weekday", "weekday_full", "y", "yy")
_TIME = ("h", "H", "HH", "m", "mm", "half")


@dataclass(frozen=True, slots=True)
class Writing:
    """The patterns of one language of one market. Made by `load_writing` or `read_writing`."""

    language: str
    months: Sequence[str]
    months_full: Sequence[str]
    weekdays: Sequence[str]
    weekdays_full: Sequence[str]
    day_pattern: str
    date_pattern: str
    official_pattern: str
    year_offset: int
    era_offset: int
    digits: str
    whole: str
    minutes: str
    halves: Sequence[str]
    noon: str | None
    midnight: str | None
    group: str
    point: str
    negative: str
    myriads: Sequence[str]
    between_myriads: str
    money_styles: Mapping[str, Mapping[str, str]]
    money_default: str
    country_code: str
    trunk: str
    separator: str
    phone_groups: Sequence[tuple[str, Sequence[int]]]
    phone_styles: Mapping[str, str]
    phone_default: str
    pair: str
    middle: str
    last: str

    def money(self, minor: int, currency: str, style: str | None = None) -> str:
        """`minor` units of `currency` (ISO 4217) in one of the language's styles (None: its usual one).

        ValueError for a currency that errands.core.money does not know or a style that the market lacks.
        """
        digits = _known(MINOR, currency, "currency")
        pattern = self.money_style(style)
        whole, part = divmod(abs(minor), 10**digits)
        grouped = f"{whole:,}".replace(",", self.group)
        decimals = f"{self.point}{part:0{digits}}" if digits else ""
        template = pattern.get(currency) or _known(pattern, "other", "currency pattern")
        short = grouped + (decimals if part else "")
        myriad = self._myriads(whole) + (decimals if part else "")
        text = template.format(amount=grouped + decimals, short=short, myriad=myriad, code=currency)
        return self._digits(self.negative.format(text=text) if minor < 0 else text)

    def _myriads(self, whole: int) -> str:
        """35000 as "3만 5,000" or "3万5,000": by powers of ten thousand, each with its name."""
        if not self.myriads:
            return f"{whole:,}".replace(",", self.group)
        parts: list[str] = []
        for name in self.myriads:
            whole, low = divmod(whole, 10_000)
            if low or (not whole and not parts):
                parts.append(f"{low:,}".replace(",", self.group) + name)
            if not whole:
                break
        else:
            if whole:
                raise ValueError(f"money.myriads has no name for {whole} times its last power")
        return self.between_myriads.join(reversed(parts))

    def _digits(self, text: str) -> str:
        return text.translate(str.maketrans("0123456789", self.digits)) if self.digits else text

    def money_style(self, style: str | None) -> Mapping[str, str]:
        """The patterns of a money style by currency (None: the usual style). ValueError if there is none."""
        return _known(self.money_styles, style or self.money_default, "money style")

    def day(self, on: date) -> str:
        """A day as people name it in a message: "Thu, 12 Nov" (no year; a datetime counts as its date)."""
        return self._written(self.day_pattern, on)

    def full_date(self, on: date) -> str:
        """A date with its year: "12 Nov 2026" (a datetime counts as its date)."""
        return self._written(self.date_pattern, on)

    def official_date(self, on: date) -> str:
        """A date as offices write it, by the era where there is one: "令和8年11月12日" (else as `full_date`)."""
        return self._written(self.official_pattern, on)

    def _written(self, pattern: str, on: date) -> str:
        year = on.year + self.year_offset
        text = pattern.format(
            ey=on.year + self.era_offset, y=year, yy=f"{year % 100:02}",
            d=on.day, dd=f"{on.day:02}", m=on.month, mm=f"{on.month:02}",
            month=self.months[on.month - 1], month_full=self.months_full[on.month - 1],
            weekday=self.weekdays[on.weekday()], weekday_full=self.weekdays_full[on.weekday()],
        )  # fmt: skip
        return self._digits(text)

    def clock_time(self, at: time | datetime) -> str:
        """A time of day to the minute, as on the given wall clock: "3.30pm", "9am". Seconds are left out."""
        for hour, special in ((0, self.midnight), (12, self.noon)):
            if special is not None and (at.hour, at.minute) == (hour, 0):
                return special
        text = (self.minutes if at.minute else self.whole).format(
            h=(at.hour + 11) % 12 + 1, H=at.hour, HH=f"{at.hour:02}", m=at.minute, mm=f"{at.minute:02}",
            half=self.halves[at.hour // 12],
        )  # fmt: skip
        return self._digits(text)

    def phone(self, number: str, style: str | None = None) -> str:
        """A phone number in one of the market's styles (None: as locals write their own numbers).

        `number` is "+" and country code, or a national number; spaces and marks do not matter. A number of
        another country is given back as it is, spaces tidied. ValueError for a length that has no grouping.
        """
        template = _known(self.phone_styles, style or self.phone_default, "phone style")
        digits = re.sub(r"\D", "", number)
        if number.lstrip().startswith("+"):
            if not digits.startswith(self.country_code):
                return " ".join(number.split())
            digits = digits.removeprefix(self.country_code)
        else:
            digits = digits.removeprefix(self.trunk)
        sizes = next((sizes for prefix, sizes in self.phone_groups if digits.startswith(prefix)), ())
        if not digits or sum(sizes) != len(digits):
            raise ValueError(f"{number!r} is no phone number of country code {self.country_code}")
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        parts = (digits[a : a + n] for a, n in zip(starts, sizes, strict=True))
        first, *rest = parts
        return template.format(
            number=self.separator.join((first, *rest)), first=first, rest=self.separator.join(rest)
        )

    def join(self, items: Sequence[str]) -> str:
        """The items as a list in a sentence: "a", "a and b", "a, b and c". ValueError for none."""
        if not items:
            raise ValueError("an empty list cannot be written")
        if len(items) <= 2:
            return items[0] if len(items) == 1 else self.pair.format(a=items[0], b=items[1])
        text = items[0]
        for item in items[1:-1]:
            text = self.middle.format(a=text, b=item)
        return self.last.format(a=text, b=items[-1])


@cache
def load_writing(code: str, language: str | None = None) -> Writing:
    """How market `code` writes in `language` (None: the market's usual one), read once per process.

    ValueError for an unknown market or language, or naming the file and field that is wrong.
    """
    return read_writing(folder(code).joinpath("writing.toml"), language)


def read_writing(file: Traversable, language: str | None = None) -> Writing:
    """The writing of `language` from a writing.toml (a Path will do). Errors as in `load_writing`."""
    raw = read_toml(file)
    top = _Fields(file, "", raw)
    name = language or top.take("default", str)
    tongue = top.table("language").table(name)
    clock, money, lists = tongue.table("time"), tongue.table("money"), tongue.table("list")
    phone = top.table("phone")
    styles = {
        style: {code: money.pattern(f"styles.{style}.{code}", text, ("amount", "short", "myriad", "code"))
                for code, text in table.items()}
        for style, table in money.take("styles", dict).items()
    }  # fmt: skip
    groups = [(g["prefix"], tuple(g["sizes"])) for g in phone.take("groups", list)]
    writing = Writing(
        language=name,
        months=tongue.texts("months", 12), months_full=tongue.texts("months_full", 12),
        weekdays=tongue.texts("weekdays", 7), weekdays_full=tongue.texts("weekdays_full", 7),
        day_pattern=tongue.take_pattern("day", _DATE), date_pattern=tongue.take_pattern("full_date", _DATE),
        official_pattern=(
            tongue.take_pattern("official_date", (*_DATE, "ey"))
            if "official_date" in tongue.raw
            else tongue.take_pattern("full_date", _DATE)
        ),
        year_offset=tongue.take("year_offset", int, 0), era_offset=tongue.take("era_offset", int, 0),
        digits=tongue.take("digits", str, ""),
        whole=clock.take_pattern("whole", _TIME), minutes=clock.take_pattern("minutes", _TIME),
        halves=clock.texts("halves", 2),
        noon=clock.take("noon", str, "") or None, midnight=clock.take("midnight", str, "") or None,
        group=money.take("group", str), point=money.take("point", str),
        negative=money.take_pattern("negative", ("text",)),
        myriads=tuple(money.take("myriads", list, [])), between_myriads=money.take("between_myriads", str, ""),
        money_styles=styles, money_default=money.take("default", str),
        country_code=phone.take("country_code", str), trunk=phone.take("trunk", str, ""),
        separator=phone.take("separator", str, " "), phone_groups=groups,
        phone_styles={k: phone.pattern(f"styles.{k}", v, ("number", "first", "rest"))
                      for k, v in phone.take("styles", dict).items()},
        phone_default=phone.take("default", str),
        pair=lists.take_pattern("pair", ("a", "b")), middle=lists.take_pattern("middle", ("a", "b")),
        last=lists.take_pattern("last", ("a", "b")),
    )  # fmt: skip
    for fields in (clock, money, lists, phone):
        fields.finish()
    tongue.finish()
    for default, known in (("money", writing.money_styles), ("phone", writing.phone_styles)):
        if (chosen := getattr(writing, f"{default}_default")) not in known:
            raise ValueError(f"{file}: {default}.default: no style {chosen!r}; styles are {', '.join(known)}")
    return writing


class _Fields:
    """A TOML table that is taken apart field by field; what is missing, wrong or left over is an error."""

    def __init__(self, file: Traversable, at: str, raw: Mapping[str, Any]) -> None:
        self.file, self.at, self.raw, self.taken = file, at, raw, set[str]()

    def _error(self, name: str, what: str) -> ValueError:
        return ValueError(f"{self.file}: {self.at}{name}: {what}")

    def take(self, name: str, kind: type[T], default: T | None = None) -> T:
        self.taken.add(name)
        value = self.raw.get(name, default)
        if not isinstance(value, kind):
            raise self._error(name, "missing" if value is None else f"{value!r} is not a {kind.__name__}")
        return value

    def table(self, name: str) -> _Fields:
        return _Fields(self.file, f"{self.at}{name}.", self.take(name, dict))

    def texts(self, name: str, count: int) -> tuple[str, ...]:
        found = self.take(name, list)
        if len(found) != count or not all(isinstance(text, str) and text for text in found):
            raise self._error(name, f"{count} texts are expected, not {found!r}")
        return tuple(found)

    def pattern(self, name: str, text: object, allowed: Sequence[str]) -> str:
        if not isinstance(text, str) or not text:
            raise self._error(name, f"{text!r} is not a text")
        try:
            used = [field for _, field, _, _ in Formatter().parse(text) if field is not None]
        except ValueError as error:
            raise self._error(name, f"{text!r}: {error}") from None
        if odd := [field for field in used if field not in allowed]:
            raise self._error(name, f"{{{odd[0]}}} is unknown here; known are {', '.join(allowed)}")
        return text

    def take_pattern(self, name: str, allowed: Sequence[str]) -> str:
        return self.pattern(name, self.take(name, str), allowed)

    def finish(self) -> None:
        if left := sorted(set(self.raw) - self.taken):
            raise self._error(left[0], "no such field")


def _known(table: Mapping[str, T], name: str, what: str) -> T:
    if name not in table:
        raise ValueError(f"no {what} {name!r}; known are {', '.join(table)}")
    return table[name]
