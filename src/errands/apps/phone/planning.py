"""Saved numbers and planned calls. A plan is staged: its number and what will be asked are what a yes covers."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import Shown, World

from . import phone
from .numbers import dialled, forms
from .numbers import shown as written

MOST, LONGEST = 20, 500  # plans at once, characters of a question
Plan = Annotated[str, "id of a planned call"]
Number = Annotated[str, "the number to call, with country code, e.g. +1 415 555 0100"]
Question = Annotated[str, "what you will ask or say there"]


def name_of(w: World, number: str) -> str:
    """Under which name a number is saved, or nothing."""
    return str(w.value("SELECT name FROM phone_saved WHERE number = ? ORDER BY id", number) or "")


@phone.staged("call", table="phone_plan")
def shown(w: World, ident: str) -> Shown | None:
    """A planned call as its user sees it."""
    row = w.one("SELECT * FROM phone_plan WHERE id = ?", ident)
    if row is None:
        return None
    name = name_of(w, row["number"])
    whom = f"{written(row['number'])} ({name})" if name else written(row["number"])
    handles = [*forms(row["number"]), *([name] if name else [])]
    content = {"number": row["number"], "question": row["question"]}
    return Shown(content, f"a call to {whom}, to ask: “{row['question']}”", tuple(handles))


def plan_row(w: World, ident: str) -> dict[str, Any]:
    """A planned call, or the error that an agent reads."""
    return w.row("phone_plan", ident, "planned call", "an id from phone_plans", field="plan")


def _question(text: str) -> str:
    if not text.strip() or len(text) > LONGEST:
        raise ToolError(
            "invalid",
            "this is no question",
            field="question",
            value=text,
            expected=f"1 to {LONGEST} characters",
        )
    return text


def _picture(w: World, row: dict[str, Any]) -> dict[str, Any]:
    number = row["number"]
    return {"plan": row["id"], "number": number, "name": name_of(w, number), "question": row["question"]}


@phone.read("phone.read")
def directory(w: World) -> list[dict[str, Any]]:
    """The numbers that are saved in the phone, with what is noted about each."""
    return w.all("SELECT id, name, number, about FROM phone_saved ORDER BY name, id")


@phone.write("phone.write")
def plan(w: World, number: Number, question: Question) -> dict[str, Any]:
    """Plan a call: to which number, and what you will ask. Nothing is dialled before phone_dial."""
    if w.value("SELECT count(*) FROM phone_plan") >= MOST:
        raise ToolError("limit", f"there are {MOST} planned calls already", expected="drop one first")
    ident = w.new_id("pln")
    w.insert("phone_plan", id=ident, number=dialled(w, number), question=_question(question), at=w.now)
    return _picture(w, plan_row(w, ident))


@phone.write("phone.write")
def edit_plan(
    w: World,
    plan: Plan,
    number: Annotated[str | None, "another number"] = None,
    question: Annotated[str | None, "another question"] = None,
) -> dict[str, Any]:
    """Change a planned call; what is not given stays."""
    plan_row(w, plan)
    if number is not None:
        w.update("phone_plan", plan, number=dialled(w, number))
    if question is not None:
        w.update("phone_plan", plan, question=_question(question))
    return _picture(w, plan_row(w, plan))


@phone.write("phone.write")
def drop_plan(w: World, plan: Plan) -> dict[str, str]:
    """Throw a planned call away."""
    plan_row(w, plan)
    w.run("DELETE FROM phone_plan WHERE id = ?", plan)
    return {"dropped": plan}


@phone.read("phone.read")
def plans(w: World) -> list[dict[str, Any]]:
    """The calls that are planned and not yet dialled, oldest first."""
    return [_picture(w, r) for r in w.all("SELECT * FROM phone_plan ORDER BY at, id")]
