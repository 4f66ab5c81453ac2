"""The schema lint (rule 2): what the ledger could not follow is refused, with the app and the rule named."""

from __future__ import annotations

import pytest

from errands.core.errors import SchemaError
from errands.world import App, app
from errands.world.schema import lint

from .toy import SCHEMA

COLUMN = "CREATE TABLE pad_x (id TEXT PRIMARY KEY, {}) STRICT, WITHOUT ROWID;"
TABLE = COLUMN.format("n INTEGER")
BANNED = {
    "autoincrement": ("CREATE TABLE pad_x (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;", "hidden table"),
    "generated": (COLUMN.format("n INTEGER GENERATED ALWAYS AS (1) STORED"), "generated columns"),
    "generated short": (COLUMN.format("n INTEGER AS (1)"), "generated columns"),
    "generated, comment": (COLUMN.format("n INTEGER AS/**/(1)"), "generated columns"),
    "fts": ("CREATE VIRTUAL TABLE pad_x USING fts5(text);", "shadow tables"),
    "rtree": ("CREATE VIRTUAL TABLE pad_x USING rtree(id, a, b);", "shadow tables"),
    "temp": ("CREATE TEMP TABLE pad_x (id TEXT PRIMARY KEY) STRICT;", "not in the file"),
    "temporary": ("create\n temporary\ttable pad_x (id TEXT PRIMARY KEY) STRICT;", "not in the file"),
    "trigger": (f"{TABLE} CREATE TRIGGER pad_t AFTER INSERT ON pad_x BEGIN SELECT 1; END;", "hide causes"),
    "clock": (COLUMN.format("at TEXT DEFAULT CURRENT_TIMESTAMP"), "host clock"),
    "clock in brackets": (COLUMN.format("at TEXT DEFAULT (current_date)"), "host clock"),
    "clock by function": (COLUMN.format("at TEXT DEFAULT (datetime('now'))"), "host clock"),
    "clock without argument": (COLUMN.format("at INTEGER DEFAULT (unixepoch( ))"), "host clock"),
    "clock by format": (COLUMN.format("at TEXT DEFAULT (strftime('%s','now'))"), "host clock"),
    "chance": (COLUMN.format("n INTEGER DEFAULT (random())"), "chance"),
    "chance blob": (COLUMN.format("n BLOB DEFAULT (randomblob(8))"), "chance"),
    "real": (COLUMN.format("n REAL"), "canonical form"),
    "any": (COLUMN.format("n any"), "canonical form"),
    "view": (f"{TABLE} CREATE VIEW pad_v AS SELECT id FROM pad_x;", "only CREATE TABLE and CREATE INDEX"),
    "insert": (f"{TABLE} INSERT INTO pad_x VALUES ('a', 1);", "only CREATE TABLE and CREATE INDEX"),
    "pragma": ("PRAGMA foreign_keys = 0;", "only CREATE TABLE and CREATE INDEX"),
    "drop": (f"{TABLE} DROP TABLE exam_ledger;", "only CREATE TABLE and CREATE INDEX"),
    "other app's name": (
        TABLE.replace("pad_x", "exam_ledger"),
        "'exam_ledger' does not carry its app's name",
    ),
    "no name": (TABLE.replace("pad_x", "padx"), "'padx' does not carry its app's name"),
    "not strict": ("CREATE TABLE pad_x (id TEXT PRIMARY KEY) WITHOUT ROWID;", "not STRICT"),
    "no key": ("CREATE TABLE pad_x (id TEXT) STRICT;", "no PRIMARY KEY"),
    "as select": ("CREATE TABLE pad_x AS SELECT 1;", "PRIMARY KEY"),
}


@pytest.mark.parametrize("what", BANNED)
@pytest.mark.parametrize("change", [str, str.upper, str.lower], ids=["", "upper", "lower"])
def test_each_banned_thing_is_refused_with_app_and_rule(what, change):
    sql, rule = BANNED[what]
    with pytest.raises(SchemaError) as caught:
        lint("pad", sql if what in ("other app's name", "no name") else change(sql).replace("PAD_", "pad_"))
    assert caught.value.where == "apps/pad/schema.sql"
    assert rule in str(caught.value)


@pytest.mark.parametrize("sql", [
    "", "-- nothing but REAL words and a TRIGGER;\n", TABLE, SCHEMA.replace("toy_", "pad_"),
    f"/* no AUTOINCREMENT; no REAL */ {TABLE}", f"{TABLE} CREATE UNIQUE INDEX pad_i ON pad_x(n);",
    COLUMN.format("company TEXT, really TEXT, temp INTEGER, date TEXT, assigned TEXT, many INTEGER"),
    COLUMN.format("day TEXT CHECK (length(day) = 10), at INTEGER DEFAULT 0"),
])  # fmt: skip
def test_what_is_allowed_passes(sql):
    lint("pad", sql)


def test_an_app_that_does_not_pass_is_not_registered():
    with pytest.raises(SchemaError, match=r"apps/lapsed/schema\.sql"):
        App("lapsed", schema="CREATE TABLE lapsed_x (id TEXT PRIMARY KEY, n REAL) STRICT;")
    with pytest.raises(Exception, match="lapsed"):
        app("lapsed")


def test_declarations_are_checked_too():
    once = App("once", schema="", scopes=("once.use",))
    with pytest.raises(SchemaError, match=r"app once: scope 'once\.all' is not one of"):
        once.read("once.all")

    @once.read("once.use")
    def look(w: object) -> str:
        return ""

    with pytest.raises(SchemaError, match="'once_look' is declared twice"):
        once.write("once.use")(look)
