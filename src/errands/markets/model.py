"""What a market is: typed, frozen tables read from the TOML files of its folder, checked as they are read."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from string import Formatter
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from errands.core.clock import zone
from errands.core.money import MINOR
from errands.markets import folder, read_toml

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Register = Literal["F", "B", "S", "C"]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Table(BaseModel):
    """A table of one of our files: an unknown or empty field is an error, and nothing changes once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1)


def _regex(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


class Currency(Table):
    """The market's own money: ISO 4217 code and how many decimal digits its minor unit has."""

    code: str
    minor_units: int

    @model_validator(mode="after")
    def _as_iso(self) -> Self:
        if MINOR.get(self.code) != self.minor_units:
            raise ValueError(f"{self.code!r} with {self.minor_units} decimals is not in errands.core.money")
        return self


class Span(Table):
    """From `start` up to, not including, `end`, on the wall clock of one day."""

    start: dt.time
    end: dt.time

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.start >= self.end:
            raise ValueError(f"start {self.start} is not before end {self.end}")
        return self


class Closure(Span):
    """A soft closure: hours that people with `trait` keep free by custom; nothing stops a booking."""

    trait: str
    days: tuple[Weekday, ...] = Field(min_length=1)


class Week(Table):
    """Working days and office hours (local wall clock); `starts` is the first column of office tools."""

    days: tuple[Weekday, ...] = Field(min_length=1)
    hours: Span
    lunch: Span
    soft: tuple[Closure, ...] = ()
    starts: Weekday
    printed_starts: Weekday


class HalfDay(Table):
    """An eve on which offices let people go early (`office`, custom) and the exchange shuts (`exchange`)."""

    date: dt.date
    name: str
    office: dt.time
    exchange: dt.time | None = None


class Holiday(Table):
    """A public holiday; `in_lieu_of` is the day that it stands in for, `names` its name by language.

    `regions`: the market's regions that keep it; none named: all do.
    """

    date: dt.date
    name: str
    names: Mapping[str, str] = {}
    in_lieu_of: dt.date | None = None
    regions: tuple[str, ...] = ()


class Phone(Table):
    """Country code without "+", digits of a national number, the pattern of numbers that fiction may use.

    `trunk` is the national prefix that a country code replaces; it does not count among the digits.
    """

    country_code: str = Field(pattern=r"^[1-9]\d{0,2}$")
    trunk: str = Field("", pattern=r"^\d?$", min_length=0)
    digits: int
    fictional: str

    @field_validator("fictional")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return _regex(pattern)

    def is_fictional(self, number: str) -> bool:
        """Is `number`, written in any way with or without "+" and country code, one that nobody can have?"""
        digits = re.sub(r"\D", "", number)
        abroad = number.lstrip().startswith("+")
        national = digits.removeprefix(self.country_code if abroad else self.trunk)
        return re.fullmatch(self.fictional, national) is not None


class Postal(Table):
    """Postal codes: text of `digits` digits that starts with one of `sectors` (none listed: any).

    Where a code is more than a row of digits, `pattern` says what it is, and there are neither digits nor sectors.
    """

    digits: int | None = None
    sectors: tuple[str, ...] = ()
    pattern: str | None = None

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        if (self.digits is None) is (self.pattern is None) or (self.sectors and self.pattern is not None):
            raise ValueError("give digits (and sectors), or pattern")
        if self.pattern is not None:
            _regex(self.pattern)
        return self

    def accepts(self, code: str) -> bool:
        """Is `code` (text, leading zeros count), written as here, one that an address here can have?"""
        if self.pattern is not None:
            return code.isascii() and re.fullmatch(self.pattern, code) is not None
        whole = len(code) == self.digits and code.isascii() and code.isdigit()
        return whole and (not self.sectors or code.startswith(self.sectors))


class Address(Table):
    """A constructed address: `lines` as written below the recipient, `parts` as a form asks for them."""

    key: Key
    recipient: str
    lines: tuple[str, ...] = Field(min_length=1)
    postal: str
    parts: Mapping[str, str]
    kind: str
    person: str | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _agree(self) -> Self:
        for name, part in self.parts.items():
            if not any(part in line for line in self.lines):
                raise ValueError(f"{name} {part!r} is not in lines")
        if not any(self.postal in line.replace("-", "") for line in self.lines):  # 〒154-0088
            raise ValueError(f"postal {self.postal!r} is not in lines")
        return self


class Manner(Table):
    """How one writes to a kind of relation: register and forms, which may use {called} and {formal}.

    Registers: F letter, B business, S shop or service, C chat or family. `first_greeting` is for a
    first contact. A form may be absent where custom leaves it out (a chat has no closing).
    """

    register_: Register = Field(alias="register")
    greeting: str
    closing: str | None = None
    first_greeting: str | None = None

    @field_validator("greeting", "closing", "first_greeting")
    @classmethod
    def _known_slots(cls, form: str | None) -> str | None:
        used = {name for _, name, _, _ in Formatter().parse(form or "") if name is not None}
        if used - {"called", "formal"}:
            raise ValueError(f"{form!r}: only {{called}} and {{formal}} can be used")
        return form


class Priority(Table):
    """What gives way when two things collide: earlier ranks of `order` stay; within a rank they are equal."""

    order: tuple[tuple[str, ...], ...] = Field(min_length=1)
    moves: str
    resends: str


class Person(Table):
    """Somebody of this market's world: `called` in writing, `formal` at first contact, `alike` to others.

    `related` maps a kind of relation (`manager`, `assistant_to`, `mother_of`) to the key of the other person.
    `language` (BCP 47) is what they write in; None: the market's first.
    """

    key: Key
    name: str
    called: str
    formal: str
    email: str
    relation: str
    phone: str
    org: str | None = None
    title: str | None = None
    zone: str | None = None
    language: str | None = None
    gender: Literal["f", "m"] | None = None
    traits: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    related: Mapping[str, str] = {}

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        return None if name is None else zone(name).key


class Market(Table):
    """Everything that is fixed about a place. `years` are those whose holiday table is complete.

    `languages`: the first is that of business. `date_order` is how dates of numbers alone are read.
    `now`: only a place where nobody's life is told has it: the wall clock at which its errands begin.
    `regions`: where holidays differ within the country; the first is where the owner lives.
    """

    code: str = Field(pattern=r"^[a-z]{2}$")
    name: str
    zone: str
    currency: Currency
    languages: tuple[str, ...] = Field(min_length=1)
    date_order: Literal["DMY", "MDY", "YMD"]
    now: dt.datetime | None = None
    regions: tuple[str, ...] = ()
    week: Week
    phone: Phone
    postal: Postal
    addresses: tuple[Address, ...]
    registers: Mapping[str, Manner]
    priority: Priority
    half_days: tuple[HalfDay, ...]
    years: tuple[int, ...] = Field(min_length=1)
    holidays: tuple[Holiday, ...]
    known_flaws: tuple[str, ...] = ()
    owner: str
    people: Mapping[str, Person]

    @cached_property
    def holiday_on(self) -> Mapping[dt.date, Holiday]:
        """The holidays by date: those of the first region, where there are several."""
        return {h.date: h for h in self.holidays_in(self.regions[0] if self.regions else None)}

    def holidays_in(self, region: str | None) -> tuple[Holiday, ...]:
        """The holidays of one region, in order; None: those that all regions keep. ValueError for an unknown one."""
        if region is not None and region not in self.regions:
            raise ValueError(f"{self.code}: no region {region!r}; regions are: {', '.join(self.regions)}")
        return tuple(h for h in self.holidays if not h.regions or region in h.regions)

    @cached_property
    def half_day_on(self) -> Mapping[dt.date, HalfDay]:
        """The half-days by date."""
        return {h.date: h for h in self.half_days}

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        return zone(name).key  # ValueError with near matches

    @model_validator(mode="after")
    def _holidays_fit(self) -> Self:
        days = [h.date for h in self.holidays]
        if days != sorted(set(days)):
            raise ValueError("holidays.toml: holidays: dates must rise, each once")
        for h in self.holidays:
            at = f"holidays.toml: holidays {h.date}"
            if h.date.year not in self.years:
                raise ValueError(f"{at}: outside years {list(self.years)}")
            if foreign := sorted(set(h.names) - set(self.languages)):
                raise ValueError(f"{at}: names: {foreign} is no language here")
            if odd := sorted(set(h.regions) - set(self.regions)):
                raise ValueError(f"{at}: regions: {odd} is no region here")
            if h.in_lieu_of is not None and h.in_lieu_of not in days:
                raise ValueError(f"{at}: in_lieu_of {h.in_lieu_of} is no holiday")
        return self

    @field_validator("now")
    @classmethod
    def _on_the_wall(cls, now: dt.datetime | None) -> dt.datetime | None:
        if now is not None and now.tzinfo is not None:
            raise ValueError("now is a wall-clock time, without a zone")
        return now

    @model_validator(mode="after")
    def _people_fit(self) -> Self:
        if self.owner not in self.people:
            raise ValueError(f"people.toml: owner: {self.owner!r} is nobody's key")
        home = f"+{self.phone.country_code} "
        for p in self.people.values():
            at = f"people.toml: {p.key}"
            if p.key != self.owner and p.relation not in self.registers:
                raise ValueError(f"{at}.relation: {p.relation!r} has no register in market.toml")
            if p.phone.startswith(home) and not self.phone.is_fictional(p.phone):
                raise ValueError(f"{at}.phone: {p.phone!r} could be somebody's; use the fictional ranges")
            for field, keys in (("alike", p.alike), ("related", p.related.values())):
                if strangers := sorted(set(keys) - set(self.people)):
                    raise ValueError(f"{at}.{field}: {strangers} is nobody's key")
        return self

    @model_validator(mode="after")
    def _addresses_fit(self) -> Self:
        if len({a.key for a in self.addresses}) != len(self.addresses):
            raise ValueError("market.toml: addresses: a key is used twice")
        for a in self.addresses:
            at = f"market.toml: addresses {a.key}"
            if not self.postal.accepts(a.postal):
                raise ValueError(f"{at}: postal: {a.postal!r} is no code of this market")
            if a.person is not None and a.person not in self.people:
                raise ValueError(f"{at}: person: {a.person!r} is nobody's key")
        return self


class Entry(Table):
    """One thing in a calendar, single or repeated: timed (`start`, `minutes`) or all-day (`date`, `days`).

    `start` is the wall clock of `zone` (None: the life's). `rrule` is RFC 5545 RRULE text without the
    property name; where it has no end, the life's window ends it. `exdates` are local dates on which
    no occurrence is held. `shows` is what free/busy tells others.
    """

    title: str
    start: dt.datetime | None = None
    minutes: int | None = Field(None, ge=5, le=1440)
    date: dt.date | None = None
    days: int | None = Field(None, ge=1)
    zone: str | None = None
    rrule: str | None = Field(None, pattern=r"^FREQ=(DAILY|WEEKLY|MONTHLY)(;[A-Z]+=[A-Z0-9,+-]+)*$")
    exdates: tuple[dt.date, ...] = ()
    shows: Literal["busy", "free"] = "busy"

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        return None if name is None else zone(name).key

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [x is not None for x in (self.start, self.minutes, self.date, self.days)]
        if given not in ([True, True, False, False], [False, False, True, True]):
            raise ValueError(f"{self.title!r}: give start and minutes, or date and days")
        if self.start is not None and self.start.tzinfo is not None:
            raise ValueError(f"{self.title!r}: start is a wall-clock time; name its zone in zone")
        if self.exdates and self.rrule is None:
            raise ValueError(f"{self.title!r}: exdates without rrule")
        return self

    @property
    def first(self) -> dt.datetime:
        """Wall-clock start of the first occurrence (midnight for an all-day entry)."""
        if self.start is not None:
            return self.start
        assert self.date is not None  # _one_kind
        return dt.datetime.combine(self.date, dt.time())


class Appointment(Entry):
    """An entry of the owner's calendars. `attendees` are people keys other than the owner's."""

    key: Key
    calendar: Literal["Work", "Personal", "Team roster"]
    organizer: str | None = None
    attendees: tuple[str, ...] = ()
    location: str | None = None


class Names(Table):
    """What the owner's calendars are called on the screen."""

    work: str = Field(alias="Work")
    personal: str = Field(alias="Personal")
    roster: str = Field(alias="Roster")
    holidays: str = Field(alias="Holidays")


class Life(Table):
    """A calendar life: the owner's series and single events, and other people's busy hours.

    The window is `first` to `last`, both inclusive; `busy` is complete from `busy_first` to `busy_last`.
    `now` is the wall clock at which the market's errands begin, `names` what its calendars are called.
    """

    now: dt.datetime
    names: Names
    first: dt.date
    last: dt.date
    busy_first: dt.date
    busy_last: dt.date
    zone: str
    series: tuple[Appointment, ...]
    event: tuple[Appointment, ...]
    busy: Mapping[str, tuple[Entry, ...]]

    @model_validator(mode="after")
    def _fit(self) -> Self:
        keys = [a.key for a in (*self.series, *self.event)]
        if twice := sorted({k for k in keys if keys.count(k) > 1}):
            raise ValueError(f"key {twice} is used twice")
        if odd := [s.key for s in self.series if s.rrule is None] + [e.key for e in self.event if e.rrule]:
            raise ValueError(f"{odd}: a series has an rrule, an event has none")
        return self


T = TypeVar("T", bound=Table)


def _checked(
    kind: type[T], raw: Mapping[str, Any], home: Traversable, main: str, files: Mapping[str, str]
) -> T:
    """`raw` as a `kind`. ValueError that names file and field; `files`: top field -> file, others `main`."""
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        what = first["msg"].removeprefix("Value error, ")
        if not first["loc"]:  # a check over several tables, which names its own place (and file, if several)
            raise ValueError(f"{home if files else home.joinpath(main)}: {what}") from None
        path = ".".join(str(part) for part in first["loc"])
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        file = home.joinpath(files.get(str(first["loc"][0]), main))
        raise ValueError(f"{file}: {path}: {what}{more}") from None


@cache
def load_market(code: str) -> Market:
    """The market or locale `code` ("sg"), read once per process from market.toml, holidays.toml and people.toml.

    ValueError for an unknown code, or naming file and field of what is wrong in the files.
    """
    home = folder(code)
    people = read_toml(home.joinpath("people.toml"))
    raw = {
        **read_toml(home.joinpath("market.toml")),
        **read_toml(home.joinpath("holidays.toml")),
        "owner": people.pop("owner", None),
        "people": {k: {"key": k, **v} if isinstance(v, dict) else v for k, v in people.items()},
    }
    files = {"years": "holidays.toml", "holidays": "holidays.toml"}
    files |= {"owner": "people.toml", "people": "people.toml"}
    market = _checked(Market, raw, home, "market.toml", files)
    if market.now is not None and home.joinpath("words/calendar.toml").is_file():
        raise ValueError(f"{home.joinpath('market.toml')}: now: words/calendar.toml says when errands begin")
    return market


@cache
def load_life(code: str) -> Life:
    """The calendar life of market `code`'s owner, read once per process from words/calendar.toml.

    ValueError for an unknown code, or naming the file and field that is wrong, unknown people included.
    """
    market, home = load_market(code), folder(code).joinpath("words")
    life = _checked(Life, read_toml(home.joinpath("calendar.toml")), home, "calendar.toml", {})
    named = dict.fromkeys(life.busy, "busy")
    for one in (*life.series, *life.event):
        named |= dict.fromkeys((*one.attendees, one.organizer or market.owner), one.key)
    for who, where in named.items():
        if who not in market.people:
            raise ValueError(f"{home.joinpath('calendar.toml')}: {where}: {who!r} is nobody's key")
    return life
