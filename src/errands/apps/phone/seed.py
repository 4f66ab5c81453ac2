"""How builders fill the telephone: the user's own number, saved numbers, and who answers where."""

from __future__ import annotations

from errands.core.canon import canonical
from errands.world.fixture import Draft

from .brief import Respondent


def account(d: Draft, *, id: str, number: str, code: str, trunk: str = "") -> None:
    """The user's own number (E.164), and how numbers without a country code are meant."""
    d.insert("phone_account", id=id, number=number, code=code, trunk=trunk)


def saved(d: Draft, *, id: str, name: str, number: str, about: str = "") -> str:
    """A number in the phone's memory (E.164); returns its id."""
    d.insert("phone_saved", id=id, name=name, number=number, about=about)
    return id


def line(d: Draft, *, id: str, number: str, respondent: Respondent, engaged: int = 0) -> None:
    """Somebody who answers at a number (E.164). Until world time `engaged` (UTC ms) the line is engaged."""
    d.insert("phone_line", number=number, id=id, engaged=engaged, brief=canonical(respondent.model_dump()))
