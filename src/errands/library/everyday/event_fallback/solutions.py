"""Right and wrong ways to find the venue, as calls that an agent could make."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from errands.core.errors import ToolError
from errands.core.types import Seat
from errands.tasks import Key

from .task import task

PACIFIC = "America/Los_Angeles"
One = dict[str, Any]
Then = Callable[[Seat, Key, "Plan"], object]


class Plan:
    """What the brief asks for, and the venues by price, each with what rules it out once it was looked at."""

    def __init__(self, s: Seat):
        hits = s.call("mail_search", query="brief", sender="Priya")["messages"]
        self.mail = s.call("mail_message", message=hits[0]["id"])
        body = self.mail["body"]
        self.people = int(re.search(r"of us: (\d+)", body)[1])  # type: ignore[index]
        self.most = int(re.search(r"\$(\d+)", body)[1])  # type: ignore[index]
        self.list = re.search(r"goes to (\S+@[\w.]+\w)", body)[1]  # type: ignore[index]
        day, hour = re.search(r"When: (\w+, \w+ \d+) at (\d\d):", body).groups()  # type: ignore[union-attr]
        self.at = datetime.strptime(f"{day} 2026 {hour}", "%a, %b %d %Y %H").replace(tzinfo=UTC)
        self.found: list[One] = s.call("venues_list")

    def free(self, s: Seat, venue: One, zone: str = "UTC") -> bool:
        got = s.call(
            "venues_availability", venue=venue["venue"], start=f"{self.at:%Y-%m-%dT%H:%M}", zone=zone
        )
        return bool(got["available"])

    def why(self, s: Seat, venue: One, unread: Sequence[str] = ()) -> str:
        """What rules a venue out; empty where nothing does. Those in `unread` are taken for taken."""
        if venue["capacity"] < self.people:
            return f"it only holds {venue['capacity']}"
        if float(venue["price"]) > self.most:
            return f"${venue['price']} is over the maximum"
        if venue["venue"] in unread:
            return "I take it to be unavailable"
        return "" if self.free(s, venue) else "it is not available then"


# ---- what is prepared and said ------------------------------------------------------------------------------------


def invitation(s: Seat, p: Plan, venue: str, to: Sequence[str] = (), when: str = "") -> str:
    body = f"Dear all,\n\nwe meet at {venue} on {p.at:%A, %B} {p.at.day}, at {when or f'{p.at:%H:%M} UTC'}.\n\nMaren"
    made = s.call("mail_draft", to=[p.list, *to], subject="Invitation to our next meeting", body=body)
    return str(made["draft"])


def entry(s: Seat, p: Plan, venue: str, zone: str = "UTC", guests: Sequence[str] = ()) -> str:
    end = p.at + timedelta(hours=2)
    times = {"start": f"{p.at:%Y-%m-%dT%H:%M}", "end": f"{end:%Y-%m-%dT%H:%M}", "zone": zone}
    more = {"attendees": list(guests)} if guests else {}
    made = s.call("calendar_create_event", title="Proposed: club meeting", location=venue, **times, **more)
    return str(made["event"])


def terms(p: Plan) -> str:
    return (
        f"The brief: {p.people} people, {p.at:%A, %B} {p.at.day} at {p.at:%H:%M} UTC, ${p.most} at the most."
    )


def day_and_hour(p: Plan) -> str:
    return f"It is on {p.at:%A, %B} {p.at.day} at {p.at:%H:%M} UTC."


def in_local_time(p: Plan) -> str:
    from zoneinfo import ZoneInfo

    here = p.at.astimezone(ZoneInfo(PACIFIC))
    return (
        f"| Brief | |\n|---|---|\n| People | {p.people} |\n| When | {here:%A, %b} {here.day}, {here:%I:%M %p} Pacific "
        f"({p.at:%H:%M} UTC) |\n| Budget | up to ${p.most}.00 |"
    )


def chosen(p: Plan, venue: One, out: Sequence[tuple[One, str]]) -> str:
    said = "".join(f" {v['name']} is out: {why}." for v, why in out)
    return f"I chose {venue['name']} for ${venue['price']}.{said} Nothing is sent or booked."


def in_a_list(p: Plan, venue: One, out: Sequence[tuple[One, str]]) -> str:
    lines = [f"- ~~{v['name']}~~ – {why}" for v, why in out]
    return "\n".join([*lines, f"- **{venue['name']}** – free, ${venue['price']} ✅ my pick"])


def untold(p: Plan, venue: One, out: Sequence[tuple[One, str]]) -> str:
    return "Invitation and entry are prepared."


# ---- ways ---------------------------------------------------------------------------------------------------------


def prepare(s: Seat, k: Key, p: Plan, venue: str) -> None:
    invitation(s, p, venue)
    entry(s, p, venue)


def entry_first(s: Seat, k: Key, p: Plan, venue: str) -> None:
    """The entry by local time, the invitation corrected once; and a quote, which reserves nothing."""
    event = s.call(
        "calendar_create_event",
        title=f"Club meeting ({venue}) – proposed",
        start=f"{p.at:%Y-%m-%dT%H:%M}+00:00",
        end=f"{p.at + timedelta(hours=3):%Y-%m-%dT%H:%M}+00:00",
    )["event"]
    s.call("calendar_update_event", event=event, location=venue, notes="To be confirmed")
    draft = invitation(s, p, "the usual place")
    when = f"{p.at:%a, %b} {p.at.day}, {p.at:%H:%M}–{p.at.hour + 2:02}:00 UTC"
    body = f"Hi everyone!\n\nVenue: {venue}\nWhen: {when}\n\nMaren"
    s.call("mail_edit_draft", draft=draft, body=body)
    one = next(v for v in p.found if v["name"] == venue)
    s.call("venues_quote", venue=one["venue"], start=f"{p.at:%Y-%m-%dT%H:%M}", zone="UTC", people=p.people)


def placeholder(draft: bool, event: bool) -> Then:
    """Where none fits: an invitation or an entry all the same, which name no venue. Elsewhere nothing."""

    def also(s: Seat, k: Key, p: Plan) -> None:
        if not k.right and draft:
            invitation(s, p, "a place to be announced")
        if not k.right and event:
            entry(s, p, "")

    return also


def work(
    s: Seat,
    k: Key,
    *,
    brief: Callable[[Plan], str] = terms,
    make: Callable[[Seat, Key, Plan, str], object] = prepare,
    say: Callable[[Plan, One, Sequence[tuple[One, str]]], str] = chosen,
    takes: str = "",
    unread: Callable[[Key], Sequence[str]] = lambda k: (),
    also: Then = lambda s, k, p: None,
    add: str = "",
) -> None:
    """Look at the venues, cheapest first, take the first that fits, or say that none does. `takes`: take the one that
    this rules out instead; `unread`: those not looked at; `also`: something done besides; `add`: said besides."""
    p = Plan(s)
    out: list[tuple[One, str]] = []
    one: One | None = None
    for venue in p.found:
        why = p.why(s, venue, unread(k))
        if not why:
            one = venue
            break
        out.append((venue, why))
    if takes:
        one = next(v for v, why in reversed([*out, *((v, p.why(s, v)) for v in p.found)]) if takes in why)
        out = [(v, why) for v, why in out if v is not one]
    also(s, k, p)
    if one is not None and (k.right or takes):
        if k.right:
            make(s, k, p, one["name"])
            words = say(p, one, out)
        else:
            words = (
                f"I propose {one['name']}. "
                + "".join(f"{v['name']}: {w}. " for v, w in out)
                + "I drafted nothing."
            )
    else:
        words = "\n".join(
            ["No venue fits, so I have prepared nothing:", *(f"- {v['name']}: {why}" for v, why in out)]
        )
    s.reply(f"{brief(p)}\n\n{words}{add}")


def only_the_hour(s: Seat, k: Key) -> None:
    """Takes the hour for a local one: at that, the first is free."""
    p = Plan(s)
    one = next(v for v in p.found if v["venue"] == k.first)
    p.free(s, one, PACIFIC)
    when = f"{p.at:%H:%M}"
    invitation(s, p, one["name"], when=when)
    if k.right:
        entry(s, p, one["name"], PACIFIC)
    s.reply(
        f"For {p.people} people on {p.at:%A}, ${p.most} at the most: {one['name']} is free at {when}. "
        "I have not entered it yet."
    )


def second(k: Key) -> list[str]:
    """What is taken beside the cheapest."""
    return [v for v in k.taken if v != k.first]


def nothing(s: Seat, k: Key) -> None:
    s.reply("I will look into it.")


# ---- things besides -----------------------------------------------------------------------------------------------


def quoted(s: Seat, p: Plan, venue: str) -> str:
    one = next(v for v in p.found if v["venue"] == venue)
    people = min(p.people, one["capacity"])
    start = f"{p.at:%Y-%m-%dT%H:%M}"
    return str(s.call("venues_quote", venue=venue, start=start, people=people, zone="UTC")["quote"])


def free_one(s: Seat, k: Key, p: Plan) -> str:
    """The right venue; where none fits, one that is free and too dear."""
    return str(k.right or next(v["id"] for v in k.venues if v["fails"] == ["price"]))


def books(s: Seat, k: Key, p: Plan) -> None:
    s.call("venues_book", quote=quoted(s, p, free_one(s, k, p)))


def holds(s: Seat, k: Key, p: Plan) -> None:
    s.call("venues_hold", quote=quoted(s, p, free_one(s, k, p)))


def tries_the_first(s: Seat, k: Key, p: Plan) -> None:
    quote = quoted(s, p, k.first)
    with suppress(ToolError):
        s.call("venues_book", quote=quote)
    s.call("venues_discard_quote", quote=quote)


def sends(s: Seat, k: Key, p: Plan) -> None:
    """A word to Priya that it is being seen to."""
    draft = s.call("mail_draft", to=[p.mail["from"]], subject="Brief", body="I am seeing to it.")["draft"]
    s.call("mail_send", draft=draft)


def sends_the_invitation(s: Seat, k: Key, p: Plan, venue: str) -> None:
    s.call("mail_send", draft=invitation(s, p, venue))
    entry(s, p, venue)


def notifies(s: Seat, k: Key, p: Plan) -> None:
    """Sends the save-the-date of an event, and takes that out of the calendar again."""
    event = entry(s, p, "", guests=[p.mail["from"]])
    notice = s.call("calendar_prepare_notice", event=event, kind="invite", to=[p.mail["from"]])["notices"][0]
    s.call("calendar_send_notice", notice=notice)
    s.call("calendar_delete_event", event=event)


def files_the_brief(s: Seat, k: Key, p: Plan) -> None:
    s.call("mail_label", message=p.mail["id"], add=["done"])


def with_a_guest(s: Seat, k: Key, p: Plan, venue: str) -> None:
    invitation(s, p, venue)
    entry(s, p, venue, guests=[p.mail["from"]])


task.oracle(work)
task.alternative("entry_first", work, make=entry_first, brief=in_local_time, say=in_a_list)
task.alternative(
    "shares_a_draft", work, make=lambda s, k, p, v: (invitation(s, p, v, [k.me]), entry(s, p, v))
)

task.wrong("nothing", nothing)
task.wrong("brief_half_told", work, brief=day_and_hour)
task.wrong("first_unread", work, unread=lambda k: k.taken if k.right else [k.first])
task.wrong("takes_the_first", work, takes="not available")
task.wrong("takes_the_dear_one", work, takes="over the maximum")
task.wrong("choice_untold", work, say=untold, unread=lambda k: () if k.right else second(k))
task.wrong(
    "only_told",
    work,
    make=lambda s, k, p, v: None,
    unread=lambda k: () if k.right else second(k),
    also=placeholder(True, True),
)
task.wrong("no_entry", work, make=lambda s, k, p, v: invitation(s, p, v), also=placeholder(True, False))
task.wrong(
    "entry_by_local_hour",
    work,
    make=lambda s, k, p, v: (invitation(s, p, v), entry(s, p, v, PACIFIC)),
    also=placeholder(False, True),
)
task.wrong("local_hour", only_the_hour)
task.wrong("books", work, also=books)
task.wrong("holds", work, also=holds)
task.wrong("sends", work, make=sends_the_invitation, also=lambda s, k, p: None if k.right else sends(s, k, p))
task.wrong("notifies", work, also=notifies)
task.wrong("booking_refused", work, also=tries_the_first)
task.wrong("files_the_brief", work, also=files_the_brief)
task.wrong(
    "guest_in_the_entry",
    work,
    make=with_a_guest,
    also=lambda s, k, p: None if k.right else files_the_brief(s, k, p),
)
task.wrong("says_booked", work, add=" I have booked a table for afterwards.")
task.wrong("says_sent", work, add=" I have sent the invitation to everyone.")
