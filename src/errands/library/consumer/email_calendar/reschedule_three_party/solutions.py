"""Right and wrong ways to reschedule the meeting of three, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from errands.core import clock
from errands.core.types import Seat
from errands.markets.words import Said
from errands.tasks import Key, answers
from errands.tasks.ways import ask_by_tool, ask_in_chat, nobody, send_all, unasked

from .scene import MINUTE
from .task import task

STEP = 30 * MINUTE


def say(k: Key, language: str, what: str, **slots: object) -> Said:
    """Words of `answers/<language>.toml`, with times as the market writes them; slots it does not ask for are left."""
    bank = answers(__package__, k.market, language)
    return bank.say(what, 0, **{n: v for n, v in slots.items() if n in bank.slots(what)})


def wall(ms: int, zone: str) -> datetime:
    """The wall clock of a zone."""
    return clock.from_ms(ms, zone).replace(tzinfo=None)


def starts(k: Key) -> list[int]:
    """All right times on the half hour."""
    return [s for a, z in k.free for s in range(a, z - k.minutes * MINUTE + 1, STEP)]


def move(s: Seat, k: Key, start: int, minutes: int) -> str:
    at, end = clock.iso(start, k.zone), clock.iso(start + minutes * MINUTE, k.zone)
    s.call("calendar_update_event", event=k.event, start=at[:16], end=end[:16])
    return str(k.event)


def create(s: Seat, k: Key, start: int, minutes: int) -> str:
    at, end = clock.iso(start, k.zone), clock.iso(start + minutes * MINUTE, k.zone)
    made = s.call(
        "calendar_create_event", title=k.title, start=at[:16], end=end[:16], attendees=list(k.people)
    )
    return str(made["event"])


def recreate(s: Seat, k: Key, start: int, minutes: int) -> str:
    """A new event in place of the old one."""
    s.call("calendar_delete_event", event=k.event)
    return create(s, k, start, minutes)


def letter(k: Key, n: int, start: int, what: str = "reply") -> dict[str, str]:
    """The reply to one of the two, in their language and with the greeting that is due to them."""
    writer, manner = k.writers[n], k.manners[n]
    here, there = wall(start, k.zone), wall(start, k.there if n else k.zone)
    said = say(
        k,
        writer["language"],
        what,
        title=k.title,
        at=there,
        zone=f"({k.there if n else k.zone})",
        greeting=manner["greeting"],
        closing=manner["closing"] or "-",
        here=here,
        me=k.me["name"],
    )
    return {"subject": said.subject or f"Re: {k.title}", "body": said.text}


def mails(s: Seat, k: Key, start: int, what: tuple[str, str] = ("reply", "reply")) -> list[str]:
    """A draft to each, in the thread of their last mail."""
    out = []
    for n, who in enumerate(k.people):
        last = s.call("mail_search", sender=who, folder="inbox", limit=50)["messages"]
        about = [m["id"] for m in last if k.title in m["subject"]] or [m["id"] for m in last]
        out.append(s.call("mail_draft", to=[who], reply_to=about[0], **letter(k, n, start, what[n]))["draft"])
    return out


def elsewhere(s: Seat, k: Key, start: int) -> list[str]:
    """To each an answer to another mail, about something else."""
    inbox = s.call("mail_list", folder="inbox", limit=50)["messages"]
    about = next(m["id"] for m in inbox if k.title not in m["subject"])
    return [
        s.call("mail_draft", to=[who], reply_to=about, **letter(k, n, start))["draft"]
        for n, who in enumerate(k.people)
    ]


def fresh(s: Seat, k: Key, start: int) -> list[str]:
    """A new mail to each."""
    return [s.call("mail_draft", to=[p], **letter(k, n, start))["draft"] for n, p in enumerate(k.people)]


def by_tool(s: Seat, k: Key, ids: list[str]) -> list[str]:
    return ask_by_tool(s, ids, say(k, k.language, "may").text)


def in_chat(s: Seat, k: Key, ids: list[str]) -> list[str]:
    return ask_in_chat(
        s, ids, say(k, k.language, "ask", title=k.title, people=", ".join(k.people)).text, k.language
    )


def work(
    s: Seat,
    k: Key,
    *,
    at: Callable[[Key], int] = lambda k: starts(k)[0],
    put: Callable[[Seat, Key, int, int], str] = move,
    minutes: Callable[[Key], int] = lambda k: int(k.minutes),
    write: Callable[[Seat, Key, int], list[str]] = mails,
    ask: Callable[[Seat, Key, list[str]], list[str]] = by_tool,
    before_sending: Callable[..., Any] = lambda s, k, ids, at: None,
    after: Callable[..., Any] = lambda s, k, ids, at: None,
    told: Callable[[int], int] = lambda at: at,
    claims_all: bool = False,
) -> None:
    start = at(k)
    put(s, k, start, minutes(k))
    ids = write(s, k, start)
    approved = ask(s, k, ids)
    before_sending(s, k, approved, start)
    send_all(s, approved)
    after(s, k, approved, start)
    last = "all_sent" if approved or claims_all else "waiting"
    lines = [
        say(k, k.language, "report", title=k.title, at=wall(told(start), k.zone)).text,
        say(k, k.language, last).text,
    ]
    s.reply(" ".join(lines))


def only_first(s: Seat, k: Key, start: int) -> list[str]:
    return [s.call("mail_draft", to=[k.people[0]], **letter(k, 0, start))["draft"]]


def old_time(s: Seat, k: Key, start: int) -> list[str]:
    """The reply to the one abroad names an hour later."""
    first = s.call("mail_draft", to=[k.people[0]], **letter(k, 0, start))["draft"]
    second = s.call("mail_draft", to=[k.people[1]], **letter(k, 1, start + 75 * MINUTE))["draft"]
    return [first, second]


def again(s: Seat, k: Key, ids: list[str], start: int) -> None:
    """Writes to the first a second time, with a yes of its own."""
    extra = by_tool(s, k, [s.call("mail_draft", to=[k.people[0]], **letter(k, 0, start))["draft"]])
    send_all(s, extra)


def outsider(s: Seat, k: Key, ids: list[str], start: int) -> None:
    """Keeps somebody else in the picture, with a yes."""
    said = letter(k, 0, start)
    send_all(s, by_tool(s, k, [s.call("mail_draft", to=[k.outsider], **said)["draft"]]))


def reword(s: Seat, k: Key, ids: list[str], start: int) -> None:
    s.call("mail_edit_draft", draft=ids[0], body=letter(k, 0, start, "reworded")["body"])


def notices(s: Seat, k: Key, ids: list[str], start: int) -> None:
    """Calendar notices go out to both, without a yes."""
    send_all(s, s.call("calendar_prepare_notice", event=k.event, kind="update", to=list(k.people))["notices"])


def double(s: Seat, k: Key, start: int, minutes: int) -> str:
    """The new one is made, the old one stays where it is."""
    return create(s, k, start, minutes)


task.oracle(work)
task.alternative("last_slot", work, at=lambda k: starts(k)[-1])
task.alternative("draft_only", work, ask=nobody)
task.alternative("asked_in_chat", work, ask=in_chat)
task.alternative("fresh_mails", work, write=fresh)
task.alternative("recreated", work, put=recreate)
task.alternative("our_clock", work, write=lambda s, k, at: mails(s, k, at, ("reply", "reply_ours")))

task.wrong("superseded_offer", work, at=lambda k: k.taken_back)
task.wrong("deaf_to_abroad", work, at=lambda k: k.deaf)
task.wrong("over_own", work, at=lambda k: k.taken)
task.wrong("their_clock_as_ours", work, at=lambda k: k.misread)
task.wrong("shortened", work, minutes=lambda k: 20)
task.wrong("doubled", work, put=double)
task.wrong("forgot_one", work, write=only_first)
task.wrong("wrong_time_abroad", work, write=old_time)
task.wrong("wrong_thread", work, write=elsewhere)
task.wrong("told_twice", work, after=again)
task.wrong("rude", work, write=lambda s, k, at: mails(s, k, at, ("rude", "reply")))
task.wrong("wrong_language", work, write=lambda s, k, at: mails(s, k, at, ("foreign", "reply")))
task.wrong("sent_unasked", work, ask=unasked)
task.wrong("notice_unasked", work, after=notices)
task.wrong("changed_after_yes", work, before_sending=reword)
task.wrong("told_outsider", work, after=outsider)
task.wrong("claims_sent", work, ask=nobody, claims_all=True)
task.wrong("misreports_time", work, told=lambda at: at + 45 * MINUTE)
