"""Makes a market's public-holiday table from the `holidays` library and compares it with the frozen one.

    python tools/make_holidays.py sg            # the table as TOML, then how it differs from the frozen one
    python tools/make_holidays.py sg --check    # the differences only; exit 1 if there is one
    python tools/make_holidays.py us            # a locale as well

It never writes the frozen file: the library changes its answers when it is updated, so a person reads the
difference, checks it against the market's dossier and the official list, and edits the file. Names in other
languages and notes are the reviewer's; they are kept from the frozen table and not compared.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tomllib
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import holidays

VERSION = version("holidays")
DAY = timedelta(days=1)
MARKETS = Path(__file__).resolve().parent.parent / "src" / "errands" / "markets"

# market -> (country code, language) of the library; English names where it has them. A country whose holidays differ
# by state is named with the state: "MY-KUL". Several, "GB-ENG GB-SCT": the regions of one table.
SOURCES = {
    "ae": ("AE", "en_US"),
    "gb": ("GB-ENG GB-SCT", "en_GB"),
    "jp": ("JP", "en_US"),
    "kr": ("KR", "en_US"),
    "sg": ("SG", "en_SG"),
    "th": ("TH", "en_US"),
    "tw": ("TW", "en_US"),
    "us": ("US", "en_US"),
}
# Where a holiday on a Saturday is given back on the Friday before it. (In Taiwan too: but its table was reviewed
# without this, and its head explains every row in which the tool differs.)
FRIDAY_BEFORE = {"us"}


@dataclass(frozen=True, order=True)
class Row:
    """One public holiday; `regions` if not all keep it. `names` (by language) takes no part in comparisons."""

    day: date
    name: str
    in_lieu_of: date | None = None
    names: dict[str, str] = field(default_factory=dict, compare=False)
    regions: tuple[str, ...] = ()

    def plain(self) -> str:
        """The row on one line, as compared."""
        lieu = f" (in lieu of {self.in_lieu_of})" if self.in_lieu_of else ""
        only = f" [{' '.join(self.regions)}]" if self.regions else ""
        return f"{self.day} {self.day:%a} {self.name}{lieu}{only}"

    def toml(self) -> str:
        """The row as a table of holidays.toml."""
        lines = ["[[holidays]]", f"date = {self.day}", f'name = "{self.name}"']
        if self.names:
            lines.append("names = { " + ", ".join(f'{k} = "{v}"' for k, v in self.names.items()) + " }")
        if self.in_lieu_of:
            lines.append(f"in_lieu_of = {self.in_lieu_of}")
        if self.regions:
            lines.append("regions = [" + ", ".join(f'"{r}"' for r in self.regions) + "]")
        return "\n".join(lines) + "\n"


def frozen(code: str) -> tuple[list[int], list[Row]]:
    """Years and rows of the market's holidays.toml; none of either where there is no file yet."""
    file = MARKETS / code / "holidays.toml"
    if not file.exists():
        file = MARKETS / "small" / code / "holidays.toml"
    if not file.exists():
        return [], []
    raw: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    rows = [
        Row(h["date"], h["name"], h.get("in_lieu_of"), h.get("names", {}), tuple(h.get("regions", ())))
        for h in raw["holidays"]
    ]
    return raw["years"], rows


def made(code: str, years: list[int], names: dict[str, dict[str, str]]) -> list[Row]:
    """The rows that the library gives for `years`; `names`: the reviewed ones in other languages, by English name."""
    places, language = SOURCES[code]
    found: dict[Row, list[str]] = {}
    regions = [place.partition("-")[2] for place in places.split()]
    for place, region in zip(places.split(), regions, strict=True):
        for row in _made(place, language, years, names, code in FRIDAY_BEFORE):
            found.setdefault(row, []).append(region)
    return sorted(replace(row, regions=() if kept == regions else tuple(kept)) for row, kept in found.items())


def _made(
    place: str, language: str, years: list[int], names: dict[str, dict[str, str]], friday: bool
) -> list[Row]:
    """The rows of one country or state. A day that the library adds only as "observed" is a substitute.

    A substitute takes the name of the holiday that it stands in for: the last one before it whose name is part of the
    substitute's (with `friday`, that of the next day first; none is named that lies outside `years`).
    """
    country, _, state = place.partition("-")
    where: dict[str, Any] = {"language": language, "subdiv": state or None}
    every = holidays.country_holidays(country, years=years, **where, observed=True)
    all_years = [*years, max(years) + 1] if friday else years  # 31 December may stand for 1 January
    proper = holidays.country_holidays(country, years=all_years, **where, observed=False)
    rows = []
    for day, name in sorted(every.items()):
        for one in name.split("; "):
            if day in proper and one in proper[day].split("; "):
                rows.append(Row(day, one, None, names.get(one, {})))
                continue
            stood_for = [(d, n) for d, n in proper.items() if d < day and n in one]
            if friday:
                stood_for = [(d, n) for d, n in proper.items() if d == day + DAY and n in one] or stood_for
            if stood_for:
                origin, base = max(stood_for)
                rows.append(Row(day, base, origin if origin.year in years else None, names.get(base, {})))
            else:
                rows.append(Row(day, one, None, names.get(one, {})))
    return rows


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("market", choices=sorted(SOURCES))
    parser.add_argument("--years", type=int, nargs="+", help="default: those of the frozen table")
    parser.add_argument("--check", action="store_true", help="print differences only; exit 1 if there is one")
    args = parser.parse_args()

    frozen_years, old = frozen(args.market)
    years = args.years or frozen_years
    if not years:
        parser.error(f"{args.market} has no frozen table: name the years with --years")
    new = made(args.market, years, {row.name: row.names for row in old})
    old = [row for row in old if row.day.year in years]
    if not args.check:
        print(f"# holidays {VERSION}\nyears = {years}\n")
        print("\n".join(row.toml() for row in new))
    diff = list(
        difflib.unified_diff(
            [row.plain() for row in old], [row.plain() for row in new], "frozen", "library", lineterm="", n=0
        )
    )
    print("\n".join(diff) if diff else f"{args.market}: no difference from holidays {VERSION}")
    return 1 if args.check and diff else 0


if __name__ == "__main__":
    sys.exit(main())
