"""The notes that the solutions of the cancellation write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from errands.core.money import Money
from errands.core.types import Seat
from errands.markets.words import Said
from errands.tasks import Key, answers

from .scene import wall

Ids = list[str]


def say(k: Key, language: str, what: str, **slots: object) -> Said:
    """Words of `answers/<language>.toml`, with times as the market writes them; slots it does not ask for are left."""
    bank = answers(__package__, k.market, language)
    return bank.say(what, 0, **{n: v for n, v in slots.items() if n in bank.slots(what)})


PARTS = ("off", "why", "offer")


def letter(
    k: Key,
    n: int,
    *,
    parts: Sequence[str] = PARTS,
    code: str = "",
    offer: Sequence[int] = (),
    there: bool = False,
) -> dict[str, str]:
    """The note to one of the invited, in their language and with the greeting that is due to them.

    `there`: whoever is abroad reads the times by the clock that hangs there.
    """
    writer, manner = k.writers[n], k.manners[n]
    zone = k.where[n] if there else k.zone
    a, b = (offer or k.right)[:2]
    slots = {
        "title": k.title,
        "at": wall(k.old_start, zone),
        "a": wall(a, zone),
        "b": wall(b, zone),
        "zone": f"({zone})",
        "code": code or k.code,
        "me": k.me["name"],
        "name": k.names[0],
        "case": k.case,
        "amount": Money(k.amount, k.currency),
    }
    said = {p: say(k, writer["language"], p, **slots) for p in parts}
    body = "\n\n".join(s.text for s in said.values())
    if "rude" in said or "foreign" in said:
        return {"subject": k.title, "body": body}
    subject = next((s.subject for s in said.values() if s.subject), k.title)
    closing = manner["closing"] or "-"
    return {"subject": subject, "body": f"{manner['greeting']}\n\n{body}\n\n{closing}\n{k.me['name']}"}


def mails(s: Seat, k: Key, who: Sequence[int] = (), **how: Any) -> Ids:
    """A new mail to each."""
    return [
        str(s.call("mail_draft", to=[k.people[n]], **letter(k, n, **how))["draft"])
        for n in who or range(len(k.people))
    ]


def replies(s: Seat, k: Key) -> Ids:
    """An answer to the invitation to each; the last of the mails to or from them about the meeting."""
    out = []
    for n, who in enumerate(k.people):
        thread = k.mails[-1] if k.where[n] != k.zone and len(k.mails) > 2 else k.mails[1]
        out.append(str(s.call("mail_draft", to=[who], reply_to=thread, **letter(k, n))["draft"]))
    return out


def elsewhere(s: Seat, k: Key) -> Ids:
    """The first gets an answer to a mail that is about something else."""
    inbox = s.call("mail_list", folder="inbox", limit=50)["messages"]
    about = next(m["id"] for m in inbox if k.title not in m["subject"])
    first = s.call("mail_draft", to=[k.people[0]], reply_to=about, **letter(k, 0))["draft"]
    return [str(first), *mails(s, k, range(1, len(k.people)))]


def notices(s: Seat, k: Key, who: Sequence[int] = ()) -> Ids:
    """A calendar notice to each, with words of its own."""
    out: Ids = []
    for n in who or range(len(k.people)):
        message, to = letter(k, n)["body"], [k.people[n]]
        made = s.call("calendar_prepare_notice", event=k.event, kind="cancel", to=to, message=message)
        out += made["notices"]
    return out


def first_differs(**how: Any) -> Callable[[Seat, Key], Ids]:
    """Mails of which the first is written in another way."""

    def write(s: Seat, k: Key) -> Ids:
        other = {n: v(k) if callable(v) else v for n, v in how.items()}
        return [*mails(s, k, [0], **other), *mails(s, k, range(1, len(k.people)))]

    return write


def joint(s: Seat, k: Key) -> Ids:
    """One mail to all of them."""
    return [str(s.call("mail_draft", to=list(k.people), **letter(k, 0))["draft"])]
