"""The places where worlds are set: one folder a market, all data in TOML, read by `load_market`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from errands.core.packs import Pack, packs

if TYPE_CHECKING:
    from errands.markets.model import Market, load_market

__all__ = ["Market", "codes", "folder", "load_market", "read_toml"]


def codes() -> tuple[str, ...]:
    """The codes of the markets that are here, sorted: the folders that hold a market.toml, ours and those of packs."""
    return tuple(sorted(_folders(packs())))


def folder(code: str) -> Traversable:
    """The folder of market `code`. ValueError, naming those that exist, for any other."""
    if code not in codes():
        raise ValueError(f"unknown market {code!r}; markets are: {', '.join(codes())}")
    return _folders(packs())[code]


@lru_cache(maxsize=8)
def _folders(brought: tuple[Pack, ...]) -> dict[str, Traversable]:
    found: dict[str, Traversable] = {}
    for home in (files(__name__), *(p.folder.joinpath("markets") for p in brought)):
        for f in home.iterdir() if home.is_dir() else ():
            if f.joinpath("market.toml").is_file() and found.setdefault(f.name, f) is not f:
                raise ValueError(f"market {f.name!r} is here twice: {found[f.name]} and {f}")
    return found


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
