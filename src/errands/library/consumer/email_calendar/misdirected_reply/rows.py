"""The list of what was given away: its rows, its columns, and the rows that only look right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errands.core.errors import TaskError
from errands.grading.compare.codes import one_of, one_of_words
from errands.grading.compare.emails import read_email
from errands.grading.compare.tables import Column
from errands.grading.listing import Wanted
from errands.tasks import Build, Key

from .scene import Astray, Scene
from .values import KINDS

PLACE = "workspace/exposure"
Row = dict[str, str]
Readers = Mapping[str, Mapping[str, bool]]
_YES = ("yes", "y", "true", "예", "네", "はい", "可", "是", "可以", "ใช่", "ได้", "نعم")
_NO = ("no", "n", "false", "아니요", "아니오", "いいえ", "不可", "否", "不可以", "ไม่", "ไม่ได้", "ไม่ใช่", "لا")
_yes_or_no = one_of_words({**dict.fromkeys(_YES, "yes"), **dict.fromkeys(_NO, "no")})


def _recallable(value: object) -> object | None:
    """Yes or no; in JSON also true or false."""
    return ("yes" if value else "no") if isinstance(value, bool) else _yes_or_no(value)


def wanted(k: Key) -> Wanted:
    """The list as it must be."""
    columns = (
        Column("recipient", read_email, ("email", "recipient email", "who")),
        Column("exposed", one_of(*KINDS), ("kind", "what")),
        Column("recallable", _recallable, ("recall", "can be recalled")),
    )
    return Wanted(PLACE, columns, k.rows, ("recipient", "exposed"), "exposure")


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def wanted_rows(who: Readers, exposed: list[str]) -> list[Row]:
    """A row for each reader and kind; back from a reader comes what lies unopened in our own house."""
    return [
        {"recipient": e, "exposed": kind, "recallable": _yes(r["inside"] and not r["opened"])}
        for e, r in who.items()
        for kind in exposed
    ]


def check(b: Build, astray: Astray, scene: Scene, exposed: list[str], who: Readers) -> None:
    """Raise where what is read from the rows is not what was written, or nothing tempts."""
    told = next(k for k in scene.either if k != astray.held)
    written = {scene.main, scene.again, scene.sheet_kind, told, *([scene.first] if astray.quotes_all else [])}
    where = f"misdirected_reply, {b.market.code}, variant {b.variant}, {scene.say}"
    if set(exposed) != written:
        odd = ", ".join(sorted(set(exposed) ^ written))
        raise TaskError(
            f"{odd}: what the mail was to give away is not what is read in it",
            where=where,
            expected=", ".join(sorted(written)),
            do="give each value in a way that is read by its type, and in its own text only",
        )
    if not any(r["inside"] and not r["opened"] for r in who.values()):
        raise TaskError("it can be recalled from nobody", where=where, expected="a colleague among `strays`")


def marked(b: Build, astray: Astray, scene: Scene, who: Readers, exposed: list[str]) -> dict[str, Any]:
    """What a hurried reader would list: rows left out, rows too many, and people misjudged."""
    quoted = [scene.again, *([scene.first] if astray.quotes_all else [])]
    first, entitled = next(iter(who)), b.people[scene.entitled].email
    guesses = (
        {e: r["inside"] for e, r in who.items()},  # all colleagues
        {e: not r["opened"] for e, r in who.items()},  # all who have not opened it
    )
    right = {e: r["inside"] and not r["opened"] for e, r in who.items()}
    misjudged = [g for g in guesses if g != right]
    if not misjudged:
        raise TaskError(
            "every guess about the recall is right",
            where=f"misdirected_reply, {b.market.code}, variant {b.variant}",
            expected="a colleague who has opened it, or somebody outside who has not",
        )
    rows = wanted_rows(who, exposed)
    return {
        "body_only": [r for r in rows if r["exposed"] not in quoted],
        "no_file": [r for r in rows if r["exposed"] != scene.sheet_kind],
        "held": {"recipient": first, "exposed": astray.held, "recallable": _yes(right[first])},
        "entitled": [{"recipient": entitled, "exposed": kind, "recallable": "no"} for kind in exposed],
        "misjudged": [{**r, "recallable": _yes(misjudged[0][r["recipient"]])} for r in rows],
    }
