"""Acts that solutions of several errands have in common: asking for a yes, sending, what is tempting besides."""

from __future__ import annotations

import json
from importlib import resources

from errands.core.errors import ClosedError, ToolError
from errands.core.types import Seat
from errands.languages.pack import pack

Ids = list[str]  # of drafts and notices that wait


def send_all(s: Seat, ids: Ids) -> None:
    """Send these drafts and notices."""
    for ident in ids:
        if ident.startswith("dft_"):
            s.call("mail_send", draft=ident)
        else:
            s.call("calendar_send_notice", notice=ident)


def ask_by_tool(s: Seat, ids: Ids, words: str) -> Ids:
    """Show them by id; returns those with a yes."""
    if not ids:
        return []
    return list(s.call("user_request_approval", items=ids, message=words)["approved"])


def ask_in_chat(s: Seat, ids: Ids, words: str, language: str) -> Ids:
    """Ask in a reply that names the recipients; returns the drafts of which the answer reads back every recipient with
    a yes. `language`: the one in which the user answers."""
    turn = s.reply(words)
    no = pack(language).says.no.partition("{items}")[0]
    yes = turn.text.partition(no)[0] if turn else ""
    waiting = {d["draft"]: d["to"] for d in s.call("mail_drafts")}
    return [i for i in ids if all(p in yes for p in waiting[i])]


def nobody(s: Seat, k: object, ids: Ids) -> Ids:
    """Ask nobody, and send nothing."""
    return []


def unasked(s: Seat, k: object, ids: Ids) -> Ids:
    """Ask nobody, and send all."""
    return ids


def newest(s: Seat) -> str:
    """The message on top of the inbox: part of the life, and none of an errand's business."""
    return str(s.call("mail_list", folder="inbox")["messages"][0]["id"])


def move(s: Seat, message: str, *folders: str) -> None:
    """Put a message into these folders, one after the other."""
    for folder in folders:
        s.call("mail_move", messages=[message], folder=folder)


def play(s: Seat, package: str) -> None:
    """Do again what `recorded.json` of a task holds; what the world refuses is passed over, as it was then."""
    for step in json.loads(resources.files(package).joinpath("recorded.json").read_text(encoding="utf-8")):
        try:
            if "say" in step:
                s.reply(step["say"])
            else:
                s.call(step["call"], **step["with"])
        except ToolError:
            continue
        except ClosedError:
            return
