"""Calls: dialling, saying, listening, hanging up; and what was said, to be read again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

from errands.core.canon import canonical
from errands.core.clock import from_ms
from errands.core.errors import ToolError
from errands.world import World

from . import phone
from .brief import Respondent
from .desk import Desk, Mind, Reply
from .hearing import heard
from .numbers import shown as written
from .planning import Plan, name_of, plan_row

LONGEST = 2_000  # characters of one utterance
YOU, THEM = "you", "them"
SILENT = ("Hello? Are you still there?", "Hello? I can't hear you. I'll hang up now. Goodbye.")
Call = Annotated[str, "id of a call, from phone_dial"]


def _call(w: World, ident: str, *, open_: bool = False) -> dict[str, Any]:
    row = w.row("phone_call", ident, "call", "an id from phone_calls")
    if open_ and row["ended"] is not None:
        raise ToolError(
            "conflict",
            "this call is over",
            field="call",
            value=ident,
            expected="a call that is still going on",
        )
    return row


def _utterance(w: World, row: dict[str, Any]) -> dict[str, Any]:
    """What was said, as an object: with sound, it would have one field more."""
    return {"speaker": row["speaker"], "text": row["text"], "at": w.local(row["at"])}


def _speak(w: World, call: str, speaker: str, text: str) -> str:
    ident = w.new_id("utt")
    row = {"id": ident, "call": call, "speaker": speaker, "text": text, "at": w.now}
    w.insert("phone_utterance", **row, heard=int(speaker == YOU))
    return ident


def _end(w: World, call: str) -> None:
    w.update("phone_call", call, ended=w.now)


# ---- the other side ----------------------------------------------------------------------------------------------


@contextmanager
def _at_the_other_end(w: World, call: dict[str, Any]) -> Iterator[tuple[Desk, Mind]]:
    """Whoever answered, with what they know of this call so far; what they do is their own."""
    line = w.one("SELECT id, brief FROM phone_line WHERE number = ?", call["number"])
    kept = w.one("SELECT * FROM phone_mind WHERE call = ?", call["id"])
    assert line is not None  # a call is there only where a line answered
    if kept is None:
        mind = Mind()
    else:
        mind = Mind(**{**{k: v for k, v in kept.items() if k != "call"}, "answered": bool(kept["answered"])})
    with w.acting(f"person:{line['id']}"):
        yield Desk(Respondent.model_validate_json(line["brief"]), mind), mind
        values = {**asdict(mind), "answered": int(mind.answered)}
        columns = ", ".join(values)
        w.run(
            f"INSERT OR REPLACE INTO phone_mind (call, {columns}) VALUES (?{', ?' * len(values)})",
            call["id"],
            *values.values(),
        )


def _hears(w: World, call: dict[str, Any], ident: str, text: str) -> None:
    """The other side hears an utterance, notes what it made of it, answers, and does what it was asked to do."""
    today = from_ms(w.now, w.zone).weekday()
    with _at_the_other_end(w, call) as (desk, mind):
        got = heard(
            text,
            today=today,
            asked=mind.wants.removeprefix("book ") if mind.wants != "none" else "",
            offered=mind.offer is not None,
        )
        w.insert(
            "phone_understood",
            utterance=ident,
            call=call["id"],
            acts=json.dumps(sorted(got.acts)),
            seats=got.seats,
            hours=canonical(list(got.hours)),
        )
        reply = desk.answer(got, text)
        if not reply.text:
            reply = Reply(_last(w, call["id"]))
        for table, what in (("phone_reservation", reply.booked), ("phone_refusal", reply.refused)):
            if what is not None:
                seats, hour = what
                made = {"id": w.new_id("rsv"), "call": call["id"], "number": call["number"], "at": w.now}
                w.insert(table, **made, seats=seats, hour=hour)
        _speak(w, call["id"], THEM, reply.text)
        if reply.ends:
            _end(w, call["id"])


def _last(w: World, call: str) -> str:
    """What the other side said last."""
    return str(
        w.value(
            "SELECT text FROM phone_utterance WHERE call = ? AND speaker = ? ORDER BY at DESC, id DESC",
            call,
            THEM,
        )
    )


# ---- tools -------------------------------------------------------------------------------------------------------


@phone.commit("phone.dial", stages="call", cost=15_000)
def dial(w: World, plan: Plan) -> dict[str, Any]:
    """Dial a planned call. Once somebody answers you are connected; a call that was still going on ends."""
    row = plan_row(w, plan)
    line = w.one("SELECT * FROM phone_line WHERE number = ?", row["number"])
    if line is None:
        raise ToolError(
            "unavailable",
            "the number you have dialled is not in service",
            field="plan",
            value=plan,
            expected="a number at which somebody answers",
        )
    if w.now < line["engaged"]:
        raise ToolError(
            "unavailable",
            "the line is engaged",
            field="plan",
            value=plan,
            expected="try again a little later",
        )
    w.run("UPDATE phone_call SET ended = ? WHERE ended IS NULL", w.now)
    ident = w.new_id("call")
    w.insert(
        "phone_call",
        id=ident,
        plan=plan,
        number=row["number"],
        question=row["question"],
        started=w.now,
        ended=None,
    )
    w.run("DELETE FROM phone_plan WHERE id = ?", plan)
    call = _call(w, ident)
    with _at_the_other_end(w, call) as (desk, _):
        _speak(w, ident, THEM, desk.who.greeting)
    return {"call": ident, "number": row["number"], "state": "connected"}


@phone.write("phone.dial", cost=8_000)
def say(w: World, call: Call, text: Annotated[str, "what you say, as you would say it"]) -> dict[str, Any]:
    """Say something in a call that is going on. What is said back is heard by phone_listen."""
    row = _call(w, call, open_=True)
    if not text.strip() or len(text) > LONGEST:
        raise ToolError(
            "invalid",
            "this cannot be said",
            field="text",
            value=text,
            expected=f"1 to {LONGEST} characters",
        )
    ident = _speak(w, call, YOU, text)
    _hears(w, row, ident, text)
    return {"call": call, "said": {"speaker": YOU, "text": text, "at": w.local(w.now)}}


@phone.write("phone.dial", cost=5_000)
def listen(w: World, call: Call) -> dict[str, Any]:
    """Listen for what the other side has said since you last listened. Who says nothing for long is asked, and then
    hung up on."""
    row = _call(w, call)
    new = "SELECT * FROM phone_utterance WHERE call = ? AND speaker = ? AND heard = 0 ORDER BY at, id"
    found = w.all(new, call, THEM)
    if not found and row["ended"] is None:
        with _at_the_other_end(w, row) as (_, mind):
            mind.silent += 1
            _speak(w, call, THEM, SILENT[min(mind.silent, len(SILENT)) - 1])
            if mind.silent >= len(SILENT):
                _end(w, call)
        found = w.all(new, call, THEM)
    w.run("UPDATE phone_utterance SET heard = 1 WHERE call = ? AND heard = 0", call)
    over = _call(w, call)["ended"] is not None
    return {
        "call": call,
        "heard": [_utterance(w, u) for u in found],
        "state": "over" if over else "connected",
    }


@phone.write("phone.dial")
def hang_up(w: World, call: Call) -> dict[str, Any]:
    """End a call."""
    if _call(w, call)["ended"] is None:
        _end(w, call)
    return {"call": call, "state": "over"}


@phone.read("phone.read")
def calls(w: World) -> list[dict[str, Any]]:
    """The calls so far, newest first."""
    return [_picture(w, r) for r in w.all("SELECT * FROM phone_call ORDER BY started DESC, id DESC")]


@phone.read("phone.read")
def transcript(w: World, call: Call) -> dict[str, Any]:
    """What was said in a call, by both sides; of the other side, what you have listened to."""
    row = _call(w, call)
    said = w.all("SELECT * FROM phone_utterance WHERE call = ? AND heard = 1 ORDER BY at, id", call)
    return {**_picture(w, row), "utterances": [_utterance(w, u) for u in said]}


def _picture(w: World, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "call": row["id"],
        "number": written(row["number"]),
        "name": name_of(w, row["number"]),
        "started": w.local(row["started"]),
        "ended": "" if row["ended"] is None else w.local(row["ended"]),
    }
