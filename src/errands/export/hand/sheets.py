"""Any app whose tables have no format of their own elsewhere: readable sheets, a page and a CSV file a table.

Only what the app's own reading tools show comes into the files for the account; all else is withheld for the tester,
who answers for the service.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import apsw

from errands.core.money import MINOR, Money
from errands.explain.lines import moment
from errands.explain.names import label, noun
from errands.explain.page import template
from errands.markets import load_market
from errands.markets.writing import load_writing
from errands.world import App

from .heard import DEAF, Heard, heard
from .scene import PLACE, Put, Row, Scene, many, sheet
from .scripts import words

# Keys that are for machines: as builders draw them, or with digits as tools number them.
_OPAQUE = re.compile(r"[a-z]{2,5}_(?:[0-9a-z]{8}|(?=[0-9a-z_-]*\d)[0-9a-z_-]{3,})")
_MONEY = re.compile(
    r"(.+_)?(price|total|subtotal|fee|amount|cost|shipping|fare|deposit|tax|balance|budget)(_minor|_cents)?"
)
# Amounts only in a row that names its currency: elsewhere they are days, counts and years.
_MONEY_BESIDE = re.compile(r"(.+_)?(delivery|paid|charge|month|year|most|least|limit)(_minor|_cents)?")
_CURRENCY = "currency"  # stands in the amounts beside it
_NAMES = ("name", "title", "subject", "service", "text", "number", "id")
_MOST_SAID = 12  # rows that a step of the run sheet quotes; all are in the files


@dataclass(frozen=True, slots=True)
class Table:
    """A table as a person reads it: its columns by their labels, and its rows as texts."""

    title: str
    file: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An app's rows at a moment: those that its agent can read, and what is kept from it."""

    tables: list[Table]
    withheld: dict[str, list[Row]]
    voices: dict[str, list[tuple[str, str]]]


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """What is there at the start, or what has come since; what its agent cannot read is withheld."""
    found = _found(app, scene, since)
    how = _set_up(app, scene, found) if since is None else _news(app, found, _gone(app, scene, since))
    return Put(_files(app, scene, found.tables), tuple(how), found.withheld, found.voices)


def _own(app: App) -> list[str]:
    return re.findall(r"create\s+table\s+(\w+)", app.schema or "", re.IGNORECASE)


def _found(app: App, scene: Scene, since: Scene | None) -> Found:
    found = Found([], {}, {})
    fresh = {t: sorted(rows, key=_time) for t in _own(app) if (rows := scene.fresh(t, since))}
    if not fresh:
        return found
    ears, reader = heard(scene.blob, app.name), _Reader(scene, app.name)
    secret = _closed(app, since) if since else set()
    for name, rows in fresh.items():
        hears = DEAF if name in secret else ears
        if (shown := reader.shown(name, rows, hears)) is not None:
            found.tables.append(shown)
        if kept := reader.kept(name, rows, hears):
            found.withheld[reader.title(name)] = kept
        found.voices.update(reader.voices(name, rows, ears))
    return found


def _time(row: Row) -> int:
    """What a row is sorted by where it is one of a sequence, such as messages."""
    at = row.get("at")
    return at if isinstance(at, int) else 0


def _closed(app: App, scene: Scene) -> set[str]:
    """Tables that hold rows and show none of them. What one of them holds may be said later; the table stays closed."""
    held = {t: rows for t in _own(app) if (rows := scene.rows(t))}
    ears, reader = heard(scene.blob, app.name), _Reader(scene, app.name)
    return {t for t, rows in held.items() if reader.shown(t, rows, ears) is None}


def _gone(app: App, scene: Scene, since: Scene) -> list[Table]:
    lost = {t: rows for t in _own(app) if (rows := scene.gone(t, since))}
    if not lost:
        return []
    ears, reader = heard(since.blob, app.name), _Reader(since, app.name)
    return [t for name, rows in lost.items() if (t := reader.shown(name, rows, ears)) is not None]


def _files(app: App, scene: Scene, tables: list[Table]) -> dict[str, bytes]:
    if not tables:
        return {}
    html: str = template(__package__ or "", "sheets.html").render(
        title=_called(app).capitalize(), tables=tables, language=scene.meta["language"]
    )
    files = {f"{app.name}/index.html": html.encode()}
    return files | {f"{app.name}/{t.file}.csv": sheet(t.head, t.rows) for t in tables}


def _called(app: App) -> str:
    return app.name.replace("_", " ")


def _set_up(app: App, scene: Scene, found: Found) -> list[str]:
    each = [(len(t.rows), t.title.lower()) for t in found.tables]
    what = ", ".join(many(n, f"row of {title}", f"rows of {title}") for n, title in each)
    how = [f"Set up {_called(app)} as {PLACE}{app.name}/index.html shows it: {what}."] if each else []
    return how + _offers(app, scene)


def _news(app: App, found: Found, gone: list[Table]) -> list[str]:
    how = [f"Remove from {t.title}: {_line(t, r)}." for t in gone for r in t.rows]
    said = [f"New in {t.title}: {_line(t, r)}." for t in found.tables for r in t.rows]
    how += said[:_MOST_SAID]
    if len(said) > _MOST_SAID:
        how.append(f"And {len(said) - _MOST_SAID} more, in {PLACE}{app.name}/index.html.")
    for title, rows in found.withheld.items():
        how += [f"From now on, where you are asked ({title}): {_pairs(r.items())}." for r in rows]
    return how


def _offers(app: App, scene: Scene) -> list[str]:
    """What the service lets one do: without these there is nothing to refrain from."""
    open_ = [t for t in app.tools.values() if (app.name, t.scope) in scene.open_scopes]
    out = []
    for effect, does in (
        ("read", "look up"),
        ("write", "change"),
        ("commit", "do what cannot be taken back"),
    ):
        named = [t.name.removeprefix(f"{app.name}_").replace("_", " ") for t in open_ if t.effect == effect]
        if named:
            out.append(f"With {_called(app)} one can {does}: {', '.join(named)}.")
    return out


def _line(t: Table, row: tuple[str, ...]) -> str:
    return _pairs(zip(t.head, row, strict=True))


def _pairs(items: Iterable[tuple[str, Any]]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in items if value)


class _Reader:
    """Reads the tables of an app as a person would: names for keys, local times, money as it is written here."""

    def __init__(self, scene: Scene, app: str):
        self.scene, self.app = scene, app
        self.links = _links(scene.blob, app)
        self.keyed = [t for t, rows in scene.tables.items() if any(len(key) == 1 for key in rows)]

    def title(self, table: str) -> str:
        """The table in words."""
        return noun(table).removeprefix(f"{self.app.replace('_', ' ')} ").capitalize()

    def shown(self, table: str, rows: Iterable[Row], ears: Heard) -> Table | None:
        """The rows that are heard, in the columns that any of them fills; None where there are none."""
        seen = [r for r in rows if self._row_heard(table, r, ears)]
        cells = [{c: self._cell(table, c, r, ears) for c in r} for r in seen]
        columns = [c for c in (seen[0] if seen else {}) if c != _CURRENCY and any(x[c] for x in cells)]
        if not columns:
            return None
        return Table(
            self.title(table),
            table.removeprefix(f"{self.app}_"),
            tuple(label(c).capitalize() for c in columns),
            tuple(tuple(x[c] for c in columns) for x in cells),
        )

    def kept(self, table: str, rows: Iterable[Row], ears: Heard) -> list[Row]:
        """What is not shown, readable: whole rows, or the columns of a row that nobody hears, beside its name."""
        out = []
        for r in rows:
            if not self._row_heard(table, r, ears):
                out.append(self._readable(table, r, [c for c in r if not _mind(r[c])]))
                continue
            hidden = [c for c in r if r[c] not in (None, "") and not self._heard(table, c, r, ears)]
            hidden = [c for c in hidden if c != _CURRENCY and not isinstance(r[c], bytes) and not _mind(r[c])]
            if hidden:
                meant = [c for c in r if self._leads_to(table, c, r[c])]
                named = [*(c for c in _NAMES if r.get(c)), *meant][:1]
                out.append(self._readable(table, r, [*named, *hidden]))
        return [r for r in out if len(r) > 1]

    def voices(self, table: str, rows: Iterable[Row], ears: Heard) -> dict[str, list[tuple[str, str]]]:
        """Whoever has a mind that nobody hears (a JSON object in a column), by name: what they say, and when."""
        out = {}
        for r in rows:
            lines = [x for c in r if (mind := _mind(r[c])) and not ears.says(r[c]) for x in self._lines(mind)]
            if lines:
                name = next((self.text(table, c, r) for c in _NAMES if r.get(c)), "") or self.title(table)
                out[f"{self.app.replace('_', ' ').capitalize()}: {name}"] = lines
        return out

    def _lines(self, mind: Mapping[str, Any]) -> list[tuple[str, str]]:
        """A brief as what is said when: an answer to what is asked, and each other entry by its name."""
        out: list[tuple[str, str]] = []
        zone = self.scene.zone
        for name, value in mind.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict) and "answer" in one:
                    about = one.get("about") or words(one.get("asked") or ()) or one.get("id") or label(name)
                    out.append((f"asked about {about}", _said(one["answer"], zone)))
                elif one not in (None, "", [], {}):
                    out.append((label(name), _said(one, zone)))
        return out

    def _readable(self, table: str, row: Row, columns: Iterable[str]) -> Row:
        found = {label(c).capitalize(): self.text(table, c, row) for c in columns if c != _CURRENCY}
        return {name: text for name, text in found.items() if text}

    def _row_heard(self, table: str, row: Row, ears: Heard) -> bool:
        """Whether a text of its own is heard; of a row that has none, whether all its fields are. Never one that holds
        somebody's mind."""
        if any(_mind(value) and not ears.says(value) for value in row.values()):
            return False
        own = [c for c in row if isinstance(row[c], str) and row[c] and not self._leads_to(table, c, row[c])]
        if own:
            return any(ears.says(row[c]) for c in own)
        return all(self._heard(table, c, row, ears) for c in row if row[c] is not None)

    def _cell(self, table: str, column: str, row: Row, ears: Heard) -> str:
        return self.text(table, column, row) if self._heard(table, column, row, ears) else ""

    def _heard(self, table: str, column: str, row: Row, ears: Heard) -> bool:
        value = row[column]
        if name := self._leads_to(table, column, value):
            return ears.says(str(value)) or ears.says(name)
        if isinstance(value, str):
            return ears.says(value) or any(map(ears.says, _parts(value)))
        if column in ears.fields or not isinstance(value, int):
            return column in ears.fields
        if value >= 10**11:
            return ears.says(self.scene.local(value))
        money = self._money(column, value, row)
        return money is not None and any(map(ears.says, (str(money), str(money.major), self._written(money))))

    def text(self, table: str, column: str, row: Row) -> str:
        """A cell as a person reads it; empty for what only machines use."""
        value = row[column]
        if value is None or value == "":
            return ""
        if isinstance(value, bytes):
            return f"({len(value):,} bytes)"
        if name := self._leads_to(table, column, value):
            return name
        if isinstance(value, int):
            return self._number(column, value, row)
        return "" if _OPAQUE.fullmatch(value) else _plain(value, self.scene.zone)

    def _number(self, column: str, value: int, row: Row) -> str:
        if value >= 10**11:
            return moment(value, self.scene.zone)
        money = self._money(column, value, row)
        return str(value) if money is None else self._written(money)

    def _money(self, column: str, value: int, row: Row) -> Money | None:
        """What a column holds as an amount, by its name; None where it is a mere number."""
        named = str(row.get(_CURRENCY) or "")
        currency = named or load_market(self.scene.meta["market"]).currency.code
        is_money = _MONEY.fullmatch(column) or (named and _MONEY_BESIDE.fullmatch(column))
        return Money(value, currency) if is_money and currency in MINOR else None

    def _written(self, money: Money) -> str:
        return load_writing(self.scene.meta["market"]).money(money.minor, money.currency)

    def _leads_to(self, table: str, column: str, value: Any) -> str:
        """The name of the record that a cell means, where it is a key of another table, declared as one or not."""
        if (target := self.links.get(table, {}).get(column)) is not None:
            return self._named(target, value) if value else ""
        if not isinstance(value, str) or not _OPAQUE.fullmatch(value):
            return ""
        return next((n for t in self.keyed if t != table and (n := self._named(t, value)) != value), "")

    def _named(self, table: str, key: Any) -> str:
        """The record of another table to which a key leads, by its name."""
        row = self.scene.tables.get(table, {}).get((key,))
        name = next((str(row[c]) for c in _NAMES if row and row.get(c)), "") if row else ""
        return name or str(key)


def _mind(value: Any) -> dict[str, Any]:
    """What a column holds as a JSON object; empty where it is none."""
    try:
        found = json.loads(value) if isinstance(value, str) and value[:1] == "{" else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _plain(text: str, zone: str) -> str:
    """A text, or what a JSON list or object holds, in a line."""
    if text[:1] not in "[{":
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return _said(value, zone)


def _said(value: Any, zone: str) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{k}: {_said(v, zone)}" for k, v in value.items() if v not in (None, "", [], {}))
    if isinstance(value, list):
        return ", ".join(_said(v, zone) for v in value)
    if isinstance(value, int) and value >= 10**11:
        return moment(value, zone)
    return "yes" if value is True else "no" if value is False else str(value)


def _parts(text: str) -> list[str]:
    """The items of a JSON list of texts: tools give lists as lists."""
    try:
        value = json.loads(text) if text[:1] == "[" else None
    except ValueError:
        return []
    return [x for x in value if isinstance(x, str)] if isinstance(value, list) else []


def _links(blob: bytes, app: str) -> Mapping[str, Mapping[str, str]]:
    """Which columns of an app's tables lead to other tables: table -> column -> table."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    out = {}
    for name in names:
        if str(name).startswith(f"{app}_"):
            rows = db.execute('SELECT "from", "table" FROM pragma_foreign_key_list(?)', (name,))
            out[str(name)] = {str(a): str(b) for a, b in rows}
    db.close()
    return out
