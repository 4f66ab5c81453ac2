"""The places where worlds are set: one folder a market, all data in TOML, read by `load_market`."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errands.markets.model import Market, load_market

__all__ = ["Market", "codes", "folder", "load_market", "read_toml"]


def codes() -> tuple[str, ...]:
    """The codes of the markets that are here, sorted: the folders that hold a market.toml."""
    here = files(__name__)
    return tuple(sorted(f.name for f in here.iterdir() if f.joinpath("market.toml").is_file()))


def folder(code: str) -> Traversable:
    """The folder of market `code`. ValueError, naming those that exist, for any other."""
    if code not in codes():
        raise ValueError(f"unknown market {code!r}; markets are: {', '.join(codes())}")
    return files(__name__).joinpath(code)


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
