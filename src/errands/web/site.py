"""A website of a world: declared as data and a few functions, registered as an app of its own.

    cover = Site("harborcover", __name__, title="Harbor Cover", market="us", look="ledger", steps=(HOUSE, COVER))

    @cover.quotes
    def quotes(rows, said, today):      # what the site's tables hold, what was entered, the world's date
        return [Quote("hm", "Harbor Mutual", "Standard", price, {...}), ...]

A site knows nothing of scores. What people did on it are rows of its tables: sessions, what was entered, what was
looked at, the quotes of that session, and deeds (what cannot be taken back); criteria read them. Site-log tables are
incidental.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib import resources
from typing import Any, Literal, get_args

from errands.core.canon import canonical, digest
from errands.core.errors import SchemaError
from errands.markets import load_market
from errands.markets.writing import load_writing
from errands.world import App, Shown, World
from errands.world.app import declared

from .fields import Field

Look = Literal["ledger", "meadow", "harbour", "night", "paper"]
LOOKS: tuple[Look, ...] = get_args(Look)
Said = Mapping[str, str]  # field -> what was entered, as it is kept

# `past`: refused, and made past the page, by another client or a script. `stale`: not entered in that session.
_TABLES = """
CREATE TABLE {s}_session (id TEXT PRIMARY KEY, n INTEGER NOT NULL, opened INTEGER NOT NULL, reached INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'done', 'expired')), closed INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_input (session TEXT NOT NULL REFERENCES {s}_session, step TEXT NOT NULL, field TEXT NOT NULL,
  value TEXT NOT NULL, stale INTEGER NOT NULL, PRIMARY KEY (session, field)) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_seen (id TEXT PRIMARY KEY, session TEXT NOT NULL, what TEXT NOT NULL, item TEXT NOT NULL,
  at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_quote (session TEXT NOT NULL REFERENCES {s}_session, place INTEGER NOT NULL, id TEXT NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (session, id)) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_sent (page TEXT NOT NULL, path TEXT NOT NULL, led TEXT NOT NULL, PRIMARY KEY (page, path))
  STRICT, WITHOUT ROWID;
CREATE TABLE {s}_wrong (session TEXT NOT NULL, form TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, form))
  STRICT, WITHOUT ROWID;
CREATE TABLE {s}_refused (id TEXT PRIMARY KEY, session TEXT NOT NULL, path TEXT NOT NULL, why TEXT NOT NULL,
  past INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_stale (field TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_deed (id TEXT PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, item TEXT NOT NULL,
  body TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""
# Of a site where offers are booked: what was entered so far, and what is held.
_BOOKING_TABLES = """
CREATE TABLE {s}_entry (session TEXT NOT NULL REFERENCES {s}_session, item TEXT NOT NULL, field TEXT NOT NULL,
  value TEXT NOT NULL, PRIMARY KEY (session, item, field)) STRICT, WITHOUT ROWID;
CREATE TABLE {s}_hold (id TEXT PRIMARY KEY, session TEXT NOT NULL, item TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('held', 'submitted', 'released')), total INTEGER NOT NULL,
  body TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""


# What visits leave behind: no criterion counts these tables unless its task names them.
LOGS = ("session", "input", "seen", "sent", "wrong", "quote", "refused", "entry")


@dataclass(frozen=True, slots=True)
class Step:
    """One page of a form."""

    name: str
    title: str
    fields: tuple[Field, ...]
    intro: str = ""
    button: str = "Continue"


@dataclass(frozen=True, slots=True)
class Quote:
    """What the site offers a session: who, what it is called, the price shown first, and all else.

    `shown` stands in the list of results, `details` only on the offer's own page, `folded` only in a pop-over that was
    opened (label -> text each). `facts` are for the engine and for criteria, never for a page.
    """

    id: str
    who: str
    name: str
    price: int  # minor units of the site's currency, as the list shows it
    shown: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    folded: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Who and what, as it is called."""
        return f"{self.who} {self.name}".strip()

    def body(self) -> str:
        """As it is kept: what a page shows in its order."""
        lists = {name: list(getattr(self, name).items()) for name in _LISTS}
        return canonical({**asdict(self), **lists})

    @classmethod
    def read(cls, body: str) -> Quote:
        """From what was kept."""
        kept = json.loads(body)
        return cls(**{**kept, **{name: dict(kept[name]) for name in _LISTS}})


_LISTS = ("shown", "details", "folded")


@dataclass(frozen=True, slots=True)
class Button:
    """Something consequential beside each offer, or on a page of its own: a click on it is an event on the server.

    `deed` is what it is called in the site's records, and `commits` whether it cannot be taken back (the kernel then
    records a commit of scope `<site>.<deed>`, which a gate of the task may forbid). `leads`: to a page that may be
    reached, with a button of its own there.
    """

    deed: str
    label: str
    commits: bool = True
    leads: Step | None = None
    saves: bool = False  # keeps the quote as it stands (a session's last save replaces the one before)
    inquiry: Literal["", "soft", "hard"] = ""  # asks the credit bureau (the signal `credit.inquired`)


@dataclass(frozen=True, slots=True)
class Bill:
    """What is booked and what it comes to: both as pages show them (label -> text), and the total in minor units."""

    lines: Mapping[str, str]
    costs: Mapping[str, str]
    total: int

    @property
    def mark(self) -> str:
        """What tells it from another bill."""
        return digest([list(self.lines.items()), list(self.costs.items()), self.total])[:16]


@dataclass(frozen=True, slots=True)
class Hold:
    """A booking whose total was accepted and which is not submitted: the offer, what was entered, the bill."""

    id: str
    session: str
    item: str
    status: str  # held, submitted, released
    title: str  # what the offer is called
    said: Mapping[str, str]
    lines: Mapping[str, str]
    costs: Mapping[str, str]
    total: int

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Hold:
        """From its row in `<site>_hold`."""
        body = json.loads(row["body"])
        kept: dict[str, Any] = {name: row[name] for name in ("id", "session", "item", "status", "total")}
        kept |= {name: dict(body[name]) for name in ("said", "lines", "costs")}
        return cls(title=body["title"], **kept)


@dataclass(frozen=True, slots=True)
class Booking:
    """How offers are booked: steps of their own, a review whose total must be accepted, then a hold, which waits to be
    submitted or released.

    A hold is what the kernel calls staged (kind `hold`, a row of `<site>_hold`); submitting it is a commit of scope
    `<site>.<deed>`. What was entered is checked by what `checks` declares, and the bill made by what `bills` declares.
    """

    label: str  # of the way to it, beside each offer: "Enroll"
    steps: tuple[Step, ...]
    review: Step  # its fields are what must be accepted; its button holds
    held: str  # the title of a hold's page, and what it says there
    note: str
    deed: str
    button: str  # on the hold's page: "Submit enrollment"
    release: str = "Release this hold"


Rows = Callable[[str], list[dict[str, Any]]]  # a table of the site's, by its name without the site's
QuotesOf = Callable[[Rows, Said, date], Sequence[Quote]]
ResultOf = Callable[[Rows, Quote, Said, date], Mapping[str, str]]
BillOf = Callable[[Rows, Quote, Said], Bill]
WrongOf = Callable[[Rows, Quote, Said, Sequence[Said]], Mapping[str, str]]


@dataclass
class Site(App):
    """An app that is reached by pages. Money and dates are written as in its `market`. `tables` is SQL for the site's
    own rows (rates, plans), named after the site.

    `expires_at`: the session ends when that step is first submitted, once; what was entered before is offered again,
    with the rows of `<site>_stale` put over it. `soft_at`: sending that step makes a soft inquiry at the credit bureau.
    `compares`: two to four offers can be put side by side. `calculator`: a form on each offer's own page, whose result
    is worked out by what `calculates` declares. `booking`: offers are booked, see there.

    A site without steps shows its offers at once. `noun` and `nouns` are what it calls one and several of them.
    """

    title: str = ""
    line: str = ""  # what the site says of itself
    market: str = "us"
    look: Look = "ledger"
    steps: tuple[Step, ...] = ()
    buttons: tuple[Button, ...] = ()
    filters: tuple[Field, ...] = ()
    page_size: int = 20
    tables: str = ""
    per: str = ""  # what the price is for: "a year"
    expires_at: str = ""
    soft_at: str = ""
    compares: bool = False
    calculator: Step | None = None
    booking: Booking | None = None
    noun: str = "offer"
    nouns: str = "offers"
    start: str = "Get started"
    quotes_of: QuotesOf | None = None
    result_of: ResultOf | None = None
    wrong_of: WrongOf | None = None
    bill_of: BillOf | None = None

    def __post_init__(self) -> None:
        own = self.tables or _own_tables(self.package)
        booked = _BOOKING_TABLES.format(s=self.name) if self.booking else ""
        self.schema = _TABLES.format(s=self.name) + booked + own
        self.scopes = (f"{self.name}.browse",)
        self.incidental = frozenset(f"{self.name}_{log}" for log in LOGS)
        super().__post_init__()
        self._tool("write", f"{self.name}.browse", None, page=True)(_page_of(self))
        if self.booking:
            self.staged("hold", table=f"{self.name}_hold")(_shown(self))
        forms = (
            [s.fields for s in self.steps]
            + [self.filters]
            + [b.leads.fields for b in self.buttons if b.leads]
            + ([self.calculator.fields] if self.calculator else [])
            + ([s.fields for s in (*self.booking.steps, self.booking.review)] if self.booking else [])
        )
        names = [f.name for form in forms for f in form]
        if twice := {n for n in names if names.count(n) > 1}:
            raise SchemaError(
                f"fields are declared twice: {', '.join(sorted(twice))}", where=f"site {self.name}"
            )

    @property
    def commits(self) -> frozenset[str]:
        """What its buttons commit."""
        deeds = [b.deed for b in self.buttons if b.commits] + ([self.booking.deed] if self.booking else [])
        return frozenset(f"{self.name}.{deed}" for deed in deeds)

    def money(self, minor: int) -> str:
        """An amount in the minor units of the site's money, as it is written there."""
        return load_writing(self.market).money(minor, load_market(self.market).currency.code)

    def long_date(self, on: date) -> str:
        """A day with its weekday, as it is written there."""
        writing = load_writing(self.market)
        return f"{writing.weekdays_full[on.weekday()]}, {writing.full_date(on)}"

    def quotes(self, fn: QuotesOf) -> QuotesOf:
        """Declare the pricing: a pure function of the site's rows, of what was entered, and of the world's date."""
        self.quotes_of = fn
        return fn

    def calculates(self, fn: ResultOf) -> ResultOf:
        """Declare the calculator: a pure function of the site's rows, the offer, what was entered (in the steps and in
        the calculator), and the world's date; label -> text of each line of its result."""
        self.result_of = fn
        return fn

    def checks(self, fn: WrongOf) -> WrongOf:
        """Declare what a booking may not be: a pure function of the site's rows, the offer, what was entered, and what
        was entered for each hold of this offer that the session has; field -> what the page says beside it."""
        self.wrong_of = fn
        return fn

    def bills(self, fn: BillOf) -> BillOf:
        """Declare what a booking comes to: a pure function of the site's rows, the offer, and what was entered."""
        self.bill_of = fn
        return fn

    def button(self, deed: str) -> Button | None:
        """The button of this deed."""
        return next((b for b in self.buttons if b.deed == deed), None)

    def rows(self, w: World) -> Rows:
        """The site's own rows by table, in the order of their keys."""
        return lambda table: w.all(f'SELECT * FROM "{self.name}_{table}"')


def is_log(table: str) -> bool:
    """Whether a table is the log of some site."""
    name, _, log = table.rpartition("_")
    return log in LOGS and isinstance(declared(name), Site)


def _shown(site: Site) -> Callable[[World, str], Shown | None]:
    """How a hold is shown to the user who is asked about it."""

    def shown(w: World, ident: str) -> Shown | None:
        from .state import hold

        held = hold(w, site, ident)
        if held is None or held.status != "held":
            return None
        total = site.money(held.total)
        both = {"lines": dict(held.lines), "costs": dict(held.costs)}
        content = {"item": held.item, "said": dict(held.said), **both, "total": held.total}
        told = "; ".join(f"{label}: {text}" for label, text in held.lines.items())
        return Shown(content, f"{held.title} ({told}; total {total})", (held.title, total))

    return shown


def _page_of(site: Site) -> Callable[..., Any]:
    """The one tool of a site: a page request, which only a door can make."""

    def page(
        w: World,
        method: str,
        path: list[str],
        session: str,
        page: str,
        form: dict[str, str],
        trace: list[list[str | bool]],
        refused: list[str],
        foreign: bool,
    ) -> dict[str, Any]:
        from .flow import Ask, handle

        return handle(w, site, Ask.of(method, path, session, page, form, trace, refused, foreign)).body()

    return page


def _own_tables(package: str) -> str:
    found = resources.files(package).joinpath("schema.sql")
    return found.read_text(encoding="utf-8") if found.is_file() else ""
