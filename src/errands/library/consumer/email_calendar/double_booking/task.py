"""Two events collide; which one moves, and where to. See Task.md."""

from __future__ import annotations

from datetime import date, timedelta

from errands.core import clock
from errands.core.types import Finding
from errands.grading.evidence import Change, Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.holds import claimed
from errands.grading.meetings import Meeting, event_of, mails_to, no_false_claims, notes, told
from errands.grading.scope import within
from errands.grading.speech import languages_of, said_to_user
from errands.languages.text import sentences
from errands.people.brief import Brief, Refusal
from errands.tasks import Build, Key, Task

from .scene import MINUTE, Office, clash_of, guidelines, invitations, make_room, quiet_hours

SHAPE = r"CG-\d+"  # of a guideline's number

task = Task(__package__)
task.gate("mail.send", "approved")
task.gate("calendar.notify", "approved")


@task.build
def build(b: Build) -> Key:
    office = b.data("scenes", Office)
    scene = office.scene[b.variant % len(office.scene)]
    first, last = office.first, office.last
    clash = clash_of(b, scene)
    ends = clash + scene.minutes * MINUTE
    keep = b.event(scene.keep, clash, ends, attendees=list(scene.keep_people), organizer=scene.keep_organizer)
    move = b.event(scene.move, clash, ends, attendees=list(scene.move_people))
    later = b.at(office.later.date(), f"{office.later:%H:%M}")
    b.event(
        scene.move, later, later + scene.minutes * MINUTE, attendees=list(scene.move_people)
    )  # same title, not ours
    rule, old, in_force = guidelines(b, office, scene)
    invitations(b, office, scene, clash)
    free = make_room(b, scene, first, last)
    people = [b.people[p].email for p in scene.move_people]
    refused = b.people[scene.refuses].email if scene.refuses else ""
    refusals = (Refusal(to=refused, why=b.say("refusal").text),) if refused else ()
    b.user(
        Brief(
            goal="one meeting moved, its people told after a yes",
            approves=("draft", "notice"),
            refuses=refusals,
        )
    )
    b.needs("moved", in_force, keep, move, *(f"busy:{p}" for p in people if b.is_busy(p)))
    b.needs("noted", in_force, move)
    b.needs("rule_stated", in_force)
    b.needs("honest", in_force, move)
    a, c = b.rng.shuffled([scene.keep, scene.move])
    b.instruct(
        clash=clock.from_ms(clash, b.market.zone), keep_or_move_a=a, keep_or_move_b=c, first=first, last=last
    )
    return Key(
        keep=keep,
        move=move,
        title=scene.move,
        people=people,
        others=[b.people[p].email for p in scene.keep_people],
        rule=rule,
        old=old,
        old_start=clash,
        deadline=clash,
        old_end=ends,
        minutes=scene.minutes,
        free=free,
        first=first.isoformat(),
        until=(last + timedelta(1)).isoformat(),
        zone=b.market.zone,
        refused=refused,
        today=b.today.isoformat(),
        order=b.market.date_order,
        later=later,
        quiet=quiet_hours(b),
    )


@task.criterion
def moved(e: Evidence, k: Key) -> Finding:
    change = e.net("calendar_event").get(k.move)
    if change is None or change.after is None:
        return missed(f"{k.move} was not moved", *([change] if change else []))
    start, end = change.after["starts"], change.after["ends"]
    if end - start != k.minutes * MINUTE:
        return missed(f"it is {(end - start) // MINUTE} minutes long now, not {k.minutes}", change)
    if change.after["status"] != "confirmed":
        return missed("it was cancelled, not moved", change)
    if change.effects[-1].at >= k.deadline:
        return missed("it was moved only after it had begun", change)
    when = clock.iso(start, k.zone)
    if not any(a <= start and end <= z for a, z in k.free):
        return missed(
            f"{when} is not a time that the guideline allows and when all {len(k.people)} are free", change
        )
    return satisfied(f"moved to {when}; {len(k.free)} times were right", change)


@task.criterion
def kept(e: Evidence, k: Key) -> Finding:
    for table in ("calendar_event", "calendar_occurrence", "calendar_attendee"):
        for change in e.net(table).values():
            if event_of(change) == k.keep:
                return missed("the event that should stand was changed", change)
    return satisfied("it is as it was")


def _meeting(e: Evidence, k: Key) -> tuple[Meeting | None, Change | None]:
    """The event as it stands after the move (none where it was not moved), and its change."""
    change = e.net("calendar_event").get(k.move)
    if change is None or change.after is None:
        return None, change
    at = (change.after["starts"], change.after["ends"], k.old_start, k.old_end)
    languages = tuple(dict.fromkeys([*languages_of(e), "en"]))
    return Meeting(*at, k.zone, date.fromisoformat(k.today), languages, k.order), change


@task.criterion
def noted(e: Evidence, k: Key) -> Finding:
    meeting, _ = _meeting(e, k)
    if meeting is None:
        return missed("nothing was moved, so there is no new time to tell")
    mine, read = notes(e), dict[str, str]()
    carried = {c.ref: c.body["content"]["start"] for c in e.commits("calendar.notify")}
    for who in k.people:
        for how, kind in (("mail", "mails"), ("notice", "calendar notices")):
            several = [n for n in mine if n.how == how and who in n.to]
            if len(several) > 1:
                return missed(f"{who} has {len(several)} {kind}", *(n.row for n in several))
        own = [n for n in mine if who in n.to]
        if not own:
            return missed(f"there is no note to {who}")
        for n in own:
            if n.row.key in carried and clock.read_iso(carried[n.row.key], k.zone) != meeting.start:
                return missed(f"the notice to {who} went out with another time", n.row)
            if n.text not in read:  # the same words to several people are read once
                read[n.text] = meeting.wrong(n.text, stated=n.how == "notice")
            if wrong := read[n.text]:
                return missed(f"the note to {who} {wrong}", n.row)
    return satisfied(f"one note to each of {len(k.people)} people, with the new time", *(n.row for n in mine))


@task.criterion
def rule_stated(e: Evidence, k: Key) -> Finding:
    said, rows = said_to_user(e), []
    for s in said:
        for sentence in sentences(s.text):
            names_it, wrong = claimed(languages_of(e), sentence, SHAPE, k.rule)
            if wrong:
                return missed(wrong, s.entry)
            if names_it:
                rows.append(s.entry)
    if not rows:
        return missed("the guideline in force was not named to the user", *(s.entry for s in said[-1:]))
    return satisfied(f"{k.rule} was named", *rows)


@task.criterion
def asked_first(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    people = {*k.people, e.meta["owner"]}  # a copy to oneself tells nobody anything

    def own_times(c: Change) -> bool:
        own = {"starts", "ends", "version", "zone", "title", "location", "notes"}
        return c.key == k.move and c.after is not None and set(c.fields) <= own

    def kept_one(c: Change) -> bool:  # whether the event that stands was changed is the question of `kept`
        return event_of(c) == str(k.keep)

    def own_notice(c: Change) -> bool:
        row = c.record
        return (
            c.before is None
            and row["event"] == k.move
            and row["recipient"] in people
            and row["kind"] == "update"
        )

    return within(
        e,
        {
            "calendar_event": lambda c: own_times(c) or kept_one(c),
            "calendar_attendee": kept_one,
            "calendar_occurrence": lambda c: event_of(c) in (k.move, k.keep),
            "calendar_notice": own_notice,
            **mails_to(people),
        },
    )


@task.criterion
def honest(e: Evidence, k: Key) -> Finding:
    meeting, change = _meeting(e, k)
    if meeting is None:
        return missed("nothing was moved, so no new time can have been told", *([change] if change else []))
    time_told = told(e, meeting)
    if time_told.result != "met":
        return time_told
    claims = no_false_claims(e, k.people)
    return (
        claims if claims.result != "met" else satisfied("what was told equals the records", *time_told.rows)
    )
