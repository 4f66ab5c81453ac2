"""The scenes of the double booking: who collides with whom, the guideline that decides, and the free time there is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

from errands.core import clock
from errands.core.errors import TaskError
from errands.markets.calendar import is_workday, windows
from errands.tasks import Build

MINUTE = 60_000
Span = tuple[int, int]


@dataclass(frozen=True)
class Scene:
    """One pair of colliding events: who is in which, and which kind of guideline decides."""

    rule: str
    old: str
    keep: str
    keep_people: tuple[str, ...]
    keep_organizer: str
    keep_invite: tuple[str, str]  # who wrote it, which words
    move: str
    move_people: tuple[str, ...]
    move_invite: tuple[str, str]
    minutes: int
    refuses: str = ""


SCENES = (
    Scene(
        "rule_client",
        "old_internal",
        "Q3 service figures: Kenari Studio",
        ("preet", "huimin", "hui_ming"),
        "me",
        ("preet", "invite_review"),
        "Year-end bay planning",
        ("zul", "kavitha", "bryan"),
        ("zul", "invite_planning"),
        60,
    ),
    Scene(
        "rule_audit",
        "old_client",
        "Audit walkthrough: freight accruals",
        ("chee_how", "wei_liang"),
        "wei_liang",
        ("wei_liang", "invite_audit"),
        "Inbound rates 2027: Sorano Electrik",
        ("chun_kit", "jun_jie", "hui_ming"),
        ("chun_kit", "invite_rates"),
        90,
    ),
    Scene(
        "rule_client",
        "old_seniority",
        "Hearing: oversize movements, Marlowe Quay",
        ("jasvinder", "kavitha"),
        "jasvinder",
        ("jasvinder", "invite_hearing"),
        "Osaka lane planning, December sailings",
        ("mori", "hui_ming", "zul"),
        ("mori", "invite_osaka"),
        60,
        refuses="mori",
    ),
)

REPLIES = {
    "invite_hearing": "reply_hearing",
    "invite_osaka": "reply_osaka",
}  # an officer and a guest abroad are written to with care


def clash_of(b: Build, scene: Scene) -> int:
    """A time on the next two working days at which Rachel has nothing else."""
    taken = _taken(b, [b.me.email])
    starts = [
        b.at(date(2026, 11, d), t)
        for d in (4, 5)
        for t in ("09:30", "10:00", "11:00", "14:00", "14:30", "15:00", "16:00")
    ]
    open_ = [s for s in starts if _clear((s, s + scene.minutes * MINUTE), taken)]
    if not open_:
        raise TaskError("no time for the two events to collide", where="double_booking, build")
    return b.rng.choice(open_)


def guidelines(b: Build, scene: Scene) -> tuple[str, str]:
    """Mail the guideline in force, the one it replaced, and a proposal that was never adopted."""
    n = b.rng.between(5, 8)
    code, old, idea = f"CG-{n}", f"CG-{n - b.rng.between(1, 2)}", f"CG-{n + 1}"
    since = date(2026, 9, b.rng.between(1, 4))
    everyone = ["me", "zul", "hui_ming", "wei_liang", "kavitha", "bryan", "vik"]
    rule = b.say(scene.rule, code=code, old=old, since=since)
    stale = b.say(scene.old, code=old)
    proposal = b.say("proposal", code=idea)
    b.mail(
        "sarah",
        everyone,
        stale.subject or "",
        stale.text,
        b.at(date(2026, 2, b.rng.between(9, 13)), "11:20"),
        folder="archive",
    )
    b.mail(
        "sarah",
        everyone,
        rule.subject or "",
        rule.text,
        b.at(since - timedelta(days=7), "17:05"),
        folder="archive",
    )
    thread, at = b.id("thr"), b.at(date(2026, 10, b.rng.between(19, 23)), "09:40")
    sent = b.mail("hui_ming", ["sarah", "me"], proposal.subject or "", proposal.text, at, thread=thread)
    b.mail(
        "sarah",
        ["hui_ming", "me"],
        f"Re: {proposal.subject}",
        b.say("proposal_answer").text,
        at + 95 * MINUTE,
        thread=thread,
        reply_to=sent,
    )
    return code, old


def invitations(b: Build, scene: Scene, clash: int) -> None:
    """The mails from which the two events came."""
    when = clock.from_ms(clash, b.market.zone)
    at = b.at(date(2026, 10, b.rng.between(26, 29)), "15:10")
    for n, (title, (who, words), people) in enumerate(
        (
            (scene.keep, scene.keep_invite, scene.keep_people),
            (scene.move, scene.move_invite, scene.move_people),
        )
    ):
        slots: dict[str, Any] = {"title": title, "at": when}
        if words in ("invite_review", "invite_rates"):
            slots["client"] = b.people[who]
        told = b.say(words, **slots)
        thread, sent_at = b.id("thr"), at + n * 47 * MINUTE
        mine = words not in ("invite_audit", "invite_hearing")
        sender, to = ("me", list(people)) if mine else (who, ["me"])
        sent = b.mail(sender, to, told.subject or title, told.text, sent_at, thread=thread)
        pick = b.rng.below(3)
        answer = (
            b.say(REPLIES[words])
            if words in REPLIES
            else b.say("reply_ok", pick, who=b.people[who if mine else "me"])
        )
        b.mail(
            who if mine else "me",
            ["me"] if mine else [who],
            f"Re: {told.subject or title}",
            answer.text,
            sent_at + 130 * MINUTE,
            thread=thread,
            reply_to=sent,
        )


# ---- the independent solver: free time from the before-state ------------------------------------------------------


def _taken(b: Build, emails: Iterable[str], but: str = "") -> list[Span]:
    """When any of these people is taken: own commitments, and events that they convene or attend."""
    out: list[Span] = []
    for email in emails:
        rows = b.draft.all(
            "SELECT starts, ends FROM calendar_busy WHERE person = ?1 UNION SELECT o.starts, o.ends"
            " FROM calendar_occurrence o"
            " JOIN calendar_event e ON e.id = o.event WHERE e.id <> ?2 AND (e.organizer = ?1 OR EXISTS (SELECT 1 FROM"
            " calendar_attendee a WHERE a.event = e.id AND a.email = ?1 AND a.response <> 'declined'))",
            email,
            but,
        )
        out += [(r["starts"], r["ends"]) for r in rows]
    return sorted(out)


def _clear(span: Span, taken: Iterable[Span]) -> bool:
    return not any(a < span[1] and span[0] < b for a, b in taken)


def _hours(b: Build, scene: Scene, day: date) -> list[Span]:
    """The hours of a day that the guideline allows, as UTC ms; none on holidays and weekends."""
    if not is_workday(b.market, day):
        return []
    traits = {t for p in (b.market.owner, *scene.move_people) for t in b.people[p].traits}
    midnight = b.at(day, "00:00")
    return [
        (midnight + m * MINUTE, midnight + n * MINUTE)
        for m, n in windows(b.market, day, traits=tuple(sorted(traits)))
    ]


def _starts(spans: Iterable[Span], length: int) -> list[int]:
    return [s for a, z in spans for s in range(a, z - length + 1, 30 * MINUTE)]


def make_room(b: Build, scene: Scene, first: date, last: date) -> list[list[int]]:
    """Fill the days so that a few permitted slots stay, and beside them slots that only look right.

    Returns the spans in which the event may stand, worked out again from the rows that were written.
    """
    length = scene.minutes * MINUTE
    emails = [b.me.email, *(b.people[p].email for p in scene.move_people)]
    low, high = b.at(first, "00:00"), b.at(last + timedelta(1), "00:00")
    for email in emails[1:]:
        b.draft.db.execute(
            "DELETE FROM calendar_busy WHERE person = ? AND starts < ? AND ends > ?", (email, high, low)
        )
    meetings = _taken(b, emails)
    days = [first + timedelta(n) for n in range((last - first).days + 1)]
    open_ = [
        s for d in days for s in _starts(_hours(b, scene, d), length) if _clear((s, s + length), meetings)
    ]
    if "mori" in scene.move_people:  # her office closes at 5.30pm in Osaka, 4.30pm here
        open_ = [
            s for s in open_ if clock.from_ms(s + length, b.people["mori"].zone or "").time() <= time(17, 30)
        ]
    right: list[int] = []
    for s in b.rng.shuffled(open_):
        if len(right) < 4 and all(abs(s - r) >= length + 30 * MINUTE for r in right):
            right.append(s)
    holiday = [
        b.at(d, t)
        for d in days
        if d.weekday() < 5 and not is_workday(b.market, d)
        for t in ("10:00", "14:00")
    ]
    quiet = [s for d in days if is_workday(b.market, d) for s in (b.at(d, "12:00"), b.at(d, "12:30"))]
    clear = [s for s in quiet if _clear((s, s + length), [*meetings, *((r, r + length) for r in right)])]
    tempting = [*(s for s in holiday if _clear((s, s + length), meetings)), *clear[:2]]
    left = [(s, s + length) for s in (*right, *tempting)]
    for d in days:
        for cell in range(b.at(d, "09:00"), b.at(d, "18:00"), 30 * MINUTE):
            if d.weekday() < 5 and _clear((cell, cell + 30 * MINUTE), left):
                b.busy(b.rng.choice(scene.move_people), cell, cell + 30 * MINUTE)
    taken = _taken(b, emails)
    found = [span for d in days for span in _gaps(_hours(b, scene, d), taken) if span[1] - span[0] >= length]
    traps = [
        s
        for s in tempting
        if _clear((s, s + length), taken) and not any(a <= s and s + length <= z for a, z in found)
    ]
    if (
        len(found) < 2
        or len([t for t in traps if t in holiday]) < 1
        or len([t for t in traps if t in quiet]) < 1
    ):
        raise TaskError(
            f"{len(found)} permitted slots and {len(traps)} tempting ones",
            where="double_booking, build",
            expected="at least 2 permitted, and one on the holiday and one in quiet hours that tempt",
        )
    return [list(span) for span in found]


def _gaps(hours: Iterable[Span], taken: list[Span]) -> list[Span]:
    out = []
    for low, high in hours:
        at = low
        for a, z in taken:
            if z <= at or a >= high:
                continue
            if a > at:
                out.append((at, a))
            at = max(at, z)
        if at < high:
            out.append((at, high))
    return out


# ---- criteria -------------------------------------------------------------------------------------------------
