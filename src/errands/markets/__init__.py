"""The places where worlds are set: one folder a market, all data in TOML, read by `load_market`.

A market is a rich place, with a working life of months. A locale, below `small/`, is a place for errands on websites:
zone, money, week, phone, post, holidays, how values are written, and a handful of people; nobody's life.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from errands.core.packs import Pack, packs

if TYPE_CHECKING:
    from errands.markets.model import Market, load_market

__all__ = ["Market", "codes", "folder", "load_market", "locales", "read_toml"]


def codes() -> tuple[str, ...]:
    """The codes of the markets that are here, sorted: the folders that hold a market.toml, ours and those of packs."""
    return tuple(sorted(_folders(packs())[0]))


def locales() -> tuple[str, ...]:
    """The codes of the small places, sorted: the folders below `small/`, ours and those of packs; none of `codes`."""
    return tuple(sorted(_folders(packs())[1]))


def folder(code: str) -> Traversable:
    """The folder of market or locale `code`. ValueError, naming those that exist, for any other."""
    markets, small = _folders(packs())
    if code not in markets and code not in small:
        known = f"markets are: {', '.join(codes())}; locales are: {', '.join(locales())}"
        raise ValueError(f"unknown market {code!r}; {known}")
    return markets[code] if code in markets else small[code]


@lru_cache(maxsize=8)
def _folders(brought: tuple[Pack, ...]) -> tuple[dict[str, Traversable], dict[str, Traversable]]:
    """Markets and locales by code; a code is used once in both together."""
    kinds: tuple[dict[str, Traversable], dict[str, Traversable]] = ({}, {})
    seen: dict[str, Traversable] = {}
    for home in (files(__name__), *(p.folder.joinpath("markets") for p in brought)):
        for found, place in zip(kinds, (home, home.joinpath("small")), strict=True):
            for f in place.iterdir() if place.is_dir() else ():
                if f.joinpath("market.toml").is_file():
                    if seen.setdefault(f.name, f) is not f:
                        raise ValueError(f"market {f.name!r} is here twice: {seen[f.name]} and {f}")
                    found[f.name] = f
    return kinds


def read_toml(file: Traversable) -> dict[str, Any]:
    """The tables of a TOML file (a Path will do). ValueError that names the file and where it breaks."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{file}: no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: not a TOML file: {error}") from None


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load model.py, and pydantic with it, only when a market is first asked for."""
        if name in ("Market", "load_market"):
            from errands.markets import model

            return getattr(model, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
