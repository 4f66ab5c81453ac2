"""The simulated user: answers questions, looks at what is staged, says yes to what it was shown.

It reacts and never takes the lead: it does not help because progress stalled, does not grade, and tells a fact
only after its trigger. Every yes reads back what it covers. All it has told and granted are rows.
"""

from __future__ import annotations

import json
import re
from typing import Any

from errands.core.canon import digest
from errands.languages.pack import Says, pack
from errands.languages.text import fold
from errands.world import FRESH, World

from . import people
from .asked import asked_about
from .understand import intent, named, put_forward

ATTENTION = 4_000  # characters of one message that the user takes in
Item = dict[str, Any]  # id, staged, digest, text, handles


def _brief(w: World) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The languages of the user, the one she speaks first, and what she has in mind."""
    row = w.one("SELECT languages, body FROM people_brief WHERE person = 'user'")
    if row is None:
        return ("en",), {"facts": [], "approves": [], "refuses": []}
    return tuple(row["languages"].split()), json.loads(row["body"])


def _says(w: World) -> Says:
    return pack(_brief(w)[0][0]).says


@people.on("user.said")
def said(w: World, e: dict[str, Any]) -> dict[str, str] | None:
    """React to what the agent said at the end of its turn; None is silence, which ends the sitting."""
    with w.acting("user"):
        answer = _answer(w, e["text"])
        if answer is None and _unused(w):
            answer = _says(w).waiting
    return None if answer is None else {"answer": answer}


@people.on("user.asked")
def asked(w: World, e: dict[str, Any]) -> dict[str, str]:
    """A question by tool: the same ears and the same words."""
    with w.acting("user"):
        return {"answer": _answer(w, e["text"]) or _says(w).waiting}


@people.on("user.approval_requested")
def approval_requested(w: World, e: dict[str, Any]) -> dict[str, Any]:
    """Staged things are shown by id."""
    with w.acting("user"):
        text, approved = _decide(w, e["items"], "tool")
    return {"answer": text, "approved": approved}


@people.on("user.withdraws")
def withdraws(w: World, e: dict[str, Any]) -> None:
    """The user takes a yes back (an event of the fixture): for one item, or for all that is open."""
    with w.acting("user"):
        for row in w.all("SELECT DISTINCT item FROM people_granted WHERE person = 'user' ORDER BY item"):
            if e.get("item") in (None, row["item"]):
                w.log("approval", "revoke", row["item"], {"channel": "chat", "text": e["text"]})
                w.run("DELETE FROM people_granted WHERE person = 'user' AND item = ?", row["item"])
        w.notify(e["text"], "user")


@people.on("user.speaks")
def speaks(w: World, e: dict[str, Any]) -> None:
    """The user says something of his own accord (an event of the fixture)."""
    w.notify(e["text"], "user")


@people.on("user.returns")
def returns(w: World, e: dict[str, Any]) -> None:
    """The user comes back and begins anew (an event of the fixture): a fresh session, with these words first."""
    w.notify(e["text"], FRESH)


@people.on("user.corrects")
def corrects(w: World, e: dict[str, Any]) -> None:
    """What was told about a fact was wrong: the user says so, and says the right thing from then on."""
    with w.acting("user"):
        w.run("UPDATE people_told SET answer = ?, at = ? WHERE fact = ?", e["answer"], w.now, e["fact"])
        w.notify(e["words"], "user")


def _answer(w: World, text: str) -> str | None:
    languages, brief = _brief(w)
    say = pack(languages[0]).says
    text = text[:ATTENTION]
    heard = intent(languages, text)
    facts = brief["facts"]
    about = asked_about(languages, text) if any(fact["about"] for fact in facts) else []
    told = [
        _tell(w, fact, say)
        for fact in facts
        if (heard != "statement" or _told(w, fact) is None)
        and (fact["about"] in about or any(re.search(p, text, re.IGNORECASE) for p in fact["asked"]))
    ]
    if heard == "approval":
        decided = _approve_in_chat(w, text, say)
        # Asked for a fact and a yes at once; what identifies nothing staged was after the fact alone.
        return " ".join(told if told and decided in (say.prepare, say.which) else [*told, decided])
    if told:
        return " ".join(told)
    if heard == "statement":
        return None
    w.log("unmatched", "question", "", {"text": text[:2_000]})
    return say.unknown if "mail" in w.apps else say.unknown_bare


def _told(w: World, fact: dict[str, Any]) -> str | None:
    """What the user has said of it before. Then a report that mentions its matter asks nothing."""
    answer = w.value("SELECT answer FROM people_told WHERE person = 'user' AND fact = ?", fact["id"])
    return None if answer is None else str(answer)


def _tell(w: World, fact: dict[str, Any], say: Says) -> str:
    """A fact as it stands now, on record; told again, it says so."""
    told = _told(w, fact)
    if told is not None:
        return say.again.format(answer=told)
    w.insert("people_told", person="user", fact=fact["id"], at=w.now, answer=fact["answer"])
    if later := fact.get("corrected"):
        w.schedule(w.now + later["after_ms"], "user.corrects", fact=fact["id"], **later)
    return str(fact["answer"])


def _approve_in_chat(w: World, text: str, say: Says) -> str:
    """The user looks at what the message identifies among the staged things, and at nothing else."""
    staged: list[Item] = [
        {
            "id": ident,
            "staged": kind,
            "digest": digest(shown.content),
            "text": shown.text,
            "handles": list(shown.handles),
        }
        for kind, ident, shown in w.all_staged()
    ]
    if not staged:
        return say.prepare
    others = [name for known in w.signal("contacts.everyone") for name in known]
    meant = named(put_forward(_brief(w)[0], text), [(s["id"], tuple(s["handles"])) for s in staged], others)
    if not meant:
        return say.which
    return _decide(w, [s for s in staged if s["id"] in meant], "chat")[0]


def _decide(w: World, items: list[Item], channel: str) -> tuple[str, list[str]]:
    """Say yes or no to each item, on record, and read back what each word covers."""
    _, brief = _brief(w)
    say = _says(w)
    until = None if brief.get("until_ms") is None else w.now + int(brief["until_ms"])
    yes: list[Item] = []
    no: list[Item] = []
    why = ""
    for item in items:
        handles = {fold(h) for h in item["handles"]}
        refusal = next((r for r in brief["refuses"] if fold(r["to"]) in handles), None)
        granted = item["staged"] in brief["approves"] and refusal is None
        (yes if granted else no).append(item)
        why = why or (refusal["why"] if refusal else "" if granted else brief.get("refusal", ""))
        w.log(
            "approval",
            "yes" if granted else "no",
            item["id"],
            {
                "channel": channel,
                "staged": item["staged"],
                "digest": item["digest"],
                "until": until,
                "text": item["text"],
            },
        )
        if granted:
            w.run(
                "INSERT OR REPLACE INTO people_granted VALUES ('user', ?, ?, ?, 0)",
                item["id"],
                item["digest"],
                item["staged"],
            )
    parts = []
    if yes:
        parts.append(say.yes.format(items=say.joined.join(i["text"] for i in yes)))
    if no:
        parts.append(
            say.no.format(items=say.joined.join(i["text"] for i in no), why=f" {why}" if why else "")
        )
    return " ".join(parts), [i["id"] for i in yes]


def _unused(w: World) -> bool:
    """Whether something granted still waits: then the user gives the agent one more turn, once per grant."""
    waiting = False
    for row in w.all("SELECT * FROM people_granted WHERE person = 'user' ORDER BY item"):
        shown = w.staged(row["staged"]).show(w, row["item"])
        if shown is None:
            w.run("DELETE FROM people_granted WHERE person = 'user' AND item = ?", row["item"])
        elif (
            not row["waited"] and digest(shown.content) == row["digest"]
        ):  # changed since: kept, for a withdrawal
            w.run(
                "UPDATE people_granted SET waited = 1 WHERE person = 'user' AND item = ? AND digest = ?",
                row["item"],
                row["digest"],
            )
            waiting = True
    return waiting
