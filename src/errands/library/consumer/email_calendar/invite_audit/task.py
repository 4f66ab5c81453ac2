"""When invitations from abroad really begin, and what is wrong with their organisers' conversions. See Task.md."""

from __future__ import annotations

from datetime import date, datetime

from errands.core import clock
from errands.core.errors import TaskError
from errands.core.types import Finding
from errands.grading import listing
from errands.grading.evidence import Change, Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.listing import Wanted
from errands.markets.calendar import add_workdays
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.lists import only_a_list

from .reading import columns
from .scene import NONE, Office, sheet, write
from .solver import solve

task = Task(__package__)
task.gate("mail.send", "never")
task.gate("calendar.notify", "never")

PLACE = "workspace/invite-check"


@task.build
def build(b: Build) -> Key:
    office = b.data("scenes", Office)
    sheet(b, office)
    sent = write(b, office)
    found = solve(b, office.label)
    for s in sent:
        if found.get(s["message"], {}).get("fault") != s["fault"]:
            raise TaskError(
                f"the invitation of {s['by']} was to be {s['fault']}, and is {found.get(s['message'])}",
                where=f"invite_audit, {b.market.code}, variant {b.variant}",
                expected="`ahead`, `slip` and `astray` that fit the zone on `days`; `slip` its other offset of the year,"
                " `astray` neither",
            )
    old = [s["old"] for s in sent if s["old"]]
    home = [{"message_id": s["message"], "start": s["home"]} for s in sent if s["home"]]
    for name, cases in (("sent again", old), ("by a traveller", home)):
        if not cases:
            raise TaskError(
                f"this variant has no invitation {name}",
                where=f"invite_audit, {b.market.code}, variant {b.variant}",
                expected="in each scene one with `first` and one with `home`",
            )
    for criterion in ("resolved", "grounded"):
        b.needs(criterion, *(s["message"] for s in sent))
    b.user(Brief(goal="the true local times of the invitations, none of them answered"))
    b.instruct(label=office.label)
    return Key(
        rows=[{"message_id": s["message"], **found[s["message"]]} for s in sent],
        sent=sent,
        old=old,
        home=home,
        label=office.label,
        zone=b.market.zone,
        order=b.market.date_order,
        today=b.today.isoformat(),
        day=add_workdays(b.market, b.today, 5).isoformat(),
    )


# ---- criteria -------------------------------------------------------------------------------------------------


def wanted(k: Key) -> Wanted:
    """The list as it must be."""
    rows = [{**r, "start": NONE if r["start"] == NONE else _ms(r["start"], k.zone)} for r in k.rows]
    cells = columns(k.zone, k.order, date.fromisoformat(k.today))
    return Wanted(PLACE, cells, rows, ("message_id",), "invitation")


def _ms(text: str, zone: str) -> int:
    return clock.to_ms(clock.resolve(datetime.fromisoformat(text), zone))


@task.criterion
def resolved(e: Evidence, k: Key) -> Finding:
    return listing.complete(e, wanted(k))


@task.criterion
def grounded(e: Evidence, k: Key) -> Finding:
    w = wanted(k)
    finding = listing.grounded(e, w)
    got = listing.listing(e, w)
    if finding.result != "met" or got.rows is None:
        return finding
    unknown = {r["message_id"] for r in k.rows if r["start"] == NONE}
    for row in got.rows.rows:
        if row.key[0] in unknown and "start" in row.differs:
            return missed(
                f"a time is given for {row.key[0]}, of which nothing says whose clock is meant",
                *got.proof,
                str(row.key[0]),
            )
    return finding


@task.criterion
def not_answered(e: Evidence, k: Key) -> Finding:
    for table in ("calendar_attendee", "calendar_event", "calendar_occurrence", "calendar_notice"):
        for effect in e.effects(table):
            row = effect.body["after"] or effect.body["before"]
            return missed(f"{table} of {row.get('event', row.get('id'))} was changed", effect)
    return satisfied("no invitation was answered and no event was touched")


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    w = wanted(k)

    def own_answer(c: Change) -> bool:  # whether an invitation was answered is the question of `not_answered`
        return c.before is not None and c.after is not None and c.after["email"] == e.meta["owner"]

    def reply(c: Change) -> bool:  # so is this: the answer on its way to the organiser
        return c.record.get("kind") == "reply"

    return listing.only_the_list(e, w, {"calendar_attendee": own_answer, "calendar_notice": reply})


only_a_list(task, wanted)
