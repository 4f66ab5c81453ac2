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
from errands.languages.text import fold, spoken
from errands.world import FRESH, World

from . import people
from .asked import asked_about
from .understand import intent, named, put_forward

ATTENTION = 4_000  # characters of one message that the user takes in
OFFICE = {"mail", "calendar", "contacts"}  # where a user points who has all of them
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
    """The user says something of her own accord (an event of the fixture); another thing where she waited for more
    mails than have come (`unless_came`: `to`, `least`, `text`)."""
    waited = e.get("unless_came")
    if waited and sum(w.signal("mail.reached", email=waited["to"])) < waited["least"]:
        w.notify(waited["text"], "user")
    else:
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
    own = _own_words(w, text)
    heard = intent(languages, own)
    if heard == "approval" and not any(a.staged_kinds for a in w.apps.values()):
        heard = "question" if _asks(own) else "statement"  # nothing here can wait for a yes
    facts = brief["facts"]
    about = asked_about(languages, own) if any(fact["about"] for fact in facts) else []
    told = [
        _tell(w, fact, say)
        for fact in facts
        if (heard != "statement" or _told(w, fact) is None)
        and (fact["about"] in about or any(re.search(p, own, re.IGNORECASE) for p in fact["asked"]))
    ]
    if heard == "approval":
        decided = _approve_in_chat(w, text, say, asks=_asks(own))
        if decided is None:
            return " ".join(told) or None
        # Asked for a fact and a yes at once; what identifies nothing staged was after the fact alone.
        return " ".join(told if told and decided in (say.prepare, say.which) else [*told, decided])
    if told:
        return " ".join(told)
    if heard == "statement":
        return None
    w.log("unmatched", "question", "", {"text": text[:2_000]})
    return say.unknown if w.apps.keys() >= OFFICE else say.unknown_bare


def _asks(text: str) -> bool:
    """Whether anything is asked in so many words."""
    return any(s.endswith("?") for s in spoken(text))


def _own_words(w: World, text: str) -> str:
    """A message without the letter that it shows: what is asked in there is asked of somebody else."""
    sent = [body for bodies in w.signal("user.written") for body in bodies]
    staged = [v for _, _, s in w.all_staged() for v in s.content.values() if isinstance(v, str)]
    for letter in (*sent, *staged):
        lines = {fold(line) for line in letter.splitlines() if line.strip()}
        shown = [line for line in text.splitlines() if fold(line.strip(' >"“”')) in lines]
        if len(shown) > 1:
            text = "\n".join(line for line in text.splitlines() if line not in shown)
    return text


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


def _approve_in_chat(w: World, text: str, say: Says, *, asks: bool) -> str | None:
    """The user looks at what the message identifies among the staged things, and at nothing else.

    None where it asks nothing and all of that was decided as it stands: then it only reports.
    """
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
    items = [s for s in staged if s["id"] in meant]
    if not asks and all(_decided(w, i) for i in items):
        return None
    return _decide(w, items, "chat")[0]


def _decided(w: World, item: Item) -> bool:
    """Whether the user's last word on this item was about it as it stands, and still holds."""
    row = w.one(
        "SELECT name, body FROM exam_ledger WHERE kind = 'approval' AND ref = ? ORDER BY seq DESC LIMIT 1",
        item["id"],
    )
    if row is None or row["name"] == "revoke":
        return False
    word = json.loads(row["body"])
    return bool(word["digest"] == item["digest"]) and (word["until"] is None or w.now < word["until"])


def _decide(w: World, items: list[Item], channel: str) -> tuple[str, list[str]]:
    """Say yes or no to each item, on record, and read back what each word covers; a lone no is said in the user's own
    words where the brief has some."""
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
        parts.append(say.yes.format(items=say.joined.join(_called(w, i, say) for i in yes)))
    if len(no) == len(items) == 1 and why == brief.get(
        "refusal"
    ):  # it speaks for itself: what it is about is plain
        parts.append(why or say.no.format(items=_called(w, no[0], say), why=""))
    elif no:
        parts.append(
            say.no.format(items=say.joined.join(_called(w, i, say) for i in no), why=f" {why}" if why else "")
        )
    return " ".join(parts), [i["id"] for i in yes]


def _called(w: World, item: Item, say: Says) -> str:
    """A staged thing in the user's language, where that has words for its kind."""
    shape = say.items.get(item["staged"])
    shown = w.staged(item["staged"]).show(w, item["id"]) if shape else None
    if shape is None or shown is None:
        return str(item["text"])
    c = shown.content
    to = [
        *c.get("to", ()),
        *c.get("cc", ()),
        *c.get("bcc", ()),
        *([c["recipient"]] if "recipient" in c else []),
    ]
    return shape.format(to=", ".join(to), title=c.get("subject") or c.get("title") or shown.handles[0])


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
