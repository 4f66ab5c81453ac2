"""A weekly slot without holidays and closing days, and invitations that wait for a yes. See Task.md."""

from __future__ import annotations

from datetime import date, time, timedelta

from errands.core import clock
from errands.core.types import Finding
from errands.grading.compare.folding import fold
from errands.grading.compare.texts import mentions_phrase
from errands.grading.evidence import Change, Entry, Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.meetings import event_of, mails_to, no_false_claims, notes, reached
from errands.grading.scope import within
from errands.grading.speech import languages_of, said_to_user
from errands.languages import packs
from errands.languages.pack import finds
from errands.languages.text import plain, sentences
from errands.people.brief import Brief, Refusal
from errands.tasks import Build, Key, Task

from .reading import Series, Slot, exceptions, made
from .saying import invited as says_invited
from .scene import MINUTE, Office, correspond, draw, fill, solve
from .telling import left_out

task = Task(__package__)


def within_the_firm(e: Evidence, commit: Entry) -> bool:
    """Whether a message goes to people of the owner's own firm only: they may be told without a yes."""
    home = e.meta["owner"].rpartition("@")[2]
    people = reached(commit.body["content"])
    return bool(people) and all(p.rpartition("@")[2] == home for p in people)


task.gate("mail.send", "approved", unless=within_the_firm)
task.gate("calendar.notify", "approved", unless=within_the_firm)


@task.build
def build(b: Build) -> Key:
    office = b.data("scenes", Office)
    turn, n = divmod(b.variant, len(office.scene))
    scene = office.scene[n]
    drawn = draw(b, scene, office.also, turn)
    closed = (drawn.closing, *office.also)
    kept = [d for d in drawn.dates if d not in closed and d not in b.market.holiday_on]
    offer = fill(b, scene, drawn, kept)
    in_force = correspond(b, office, scene, drawn)
    answer = solve(b, scene, drawn, closed, offer)
    refused = b.people[scene.refuses].email if scene.refuses else ""
    refusals = (Refusal(to=refused, why=b.say("refusal").text),) if refused else ()
    b.user(
        Brief(
            goal="a weekly slot without holidays, outsiders invited after a yes",
            approves=("draft", "notice"),
            refuses=refusals,
        )
    )
    closing = [in_force, *holidays_on(b, answer.public)]
    b.needs(
        "series",
        *closing,
        *(f"busy:{b.people[p].email}" for p in scene.people if b.is_busy(b.people[p].email)),
    )
    b.needs("invited", *closing, *(f"per_{p}" for p in scene.outside))
    for criterion in ("left_out_told", "honest"):
        b.needs(criterion, *closing)
    order = b.rng.shuffled(scene.people)
    b.instruct(
        title=scene.title,
        minutes=drawn.minutes,
        first=drawn.first,
        last=drawn.last,
        people=[named(b, p) for p in order],
        times=offer.times,
    )
    in_lieu = [h.date for h in b.market.holidays if h.in_lieu_of and h.date in answer.public]
    email = {p: b.people[p].email for p in b.people}
    return Key(
        title=scene.title,
        minutes=drawn.minutes,
        own=[email[p] for p in scene.colleagues],
        outside=[email[p] for p in scene.outside],
        alike=[email[p] for p in scene.alike],
        stranger=email[office.stranger],
        refused=refused,
        zones=sorted({b.people[p].zone for p in scene.people if b.people[p].zone} - {b.market.zone}),
        dates=[d.isoformat() for d in drawn.dates],
        left_out=[d.isoformat() for d in answer.left_out],
        public=[d.isoformat() for d in answer.public],
        in_lieu=(in_lieu or answer.public)[-1].isoformat(),
        closing=drawn.closing.isoformat(),
        earlier=drawn.earlier.isoformat(),
        theirs=drawn.theirs.isoformat(),
        asked=drawn.asked.isoformat(),
        starts=answer.starts,
        free=[[start, start + drawn.minutes * MINUTE] for start in answer.starts],
        times=[f"{t:%H:%M}" for t in offer.times],
        right=f"{offer.right:%H:%M}",
        taken=f"{offer.taken:%H:%M}",
        tempting=f"{offer.tempting:%H:%M}",
        later=f"{offer.later:%H:%M}",
        until=(drawn.last + timedelta(1)).isoformat(),
        zone=b.market.zone,
        today=b.today.isoformat(),
        order=b.market.date_order,
    )


def holidays_on(b: Build, days: list[date]) -> list[str]:
    """The entries of the holiday calendar on these days."""
    rows = b.draft.all(
        "SELECT id, starts FROM calendar_event WHERE calendar = 'cal_holidays' ORDER BY starts"
    )
    return [r["id"] for r in rows if clock.from_ms(r["starts"], b.market.zone).date() in days]


def named(b: Build, who: str) -> str:
    """Somebody as the owner would name them: as they are called where nobody else is, and the firm of outsiders."""
    p = b.people[who]
    same = [q for q in b.people.values() if fold(q.called) == fold(p.called)]
    name = p.called if len(same) == 1 else p.name
    return name if p.org == b.me.org or not p.org else f"{name} ({p.org})"


# ---- criteria -------------------------------------------------------------------------------------------------


def the_series(e: Evidence, k: Key) -> tuple[Series | None, str]:
    """The one series that was made, or why there is none."""
    found = made(e)
    if not found:
        return None, "no repeating event was made"
    if len(found) > 1:
        return None, f"{len(found)} repeating events were made, not one"
    return (found[0], "") if found[0].spans else (None, "the series has no occurrence")


def slot_of(e: Evidence, k: Key, made: Series) -> Slot:
    """The series as texts speak of it."""
    languages = tuple(dict.fromkeys([*languages_of(e), "en"]))
    start = clock.from_ms(made.row["starts"], k.zone).time()
    passed = tuple(t for t in map(time.fromisoformat, k.times) if t < start)
    today = date.fromisoformat(k.today)
    missing = frozenset(map(date.fromisoformat, k.left_out))
    return Slot(made.spans, k.zone, tuple(k.zones), today, k.order, languages, passed, missing)


@task.criterion
def series(e: Evidence, k: Key) -> Finding:
    one, why = the_series(e, k)
    if one is None:
        return missed(why, *(s.change for s in made(e)))
    calendar = e.after("calendar_calendar")[one.row["calendar"]]
    starts = [a for a, _ in one.spans]
    extra, lacking = sorted(set(starts) - set(k.starts)), sorted(set(k.starts) - set(starts))
    if extra or lacking:
        odd, what = (extra, "it takes place on") if extra else (lacking, "it does not take place on")
        return missed(f"{what} {clock.iso(odd[0], k.zone)}", one.change)
    lengths = {(z - a) // MINUTE for a, z in one.spans}
    if lengths != {k.minutes}:
        return missed(f"it is {sorted(lengths)} minutes long, not {k.minutes}", one.change)
    if calendar["access"] != "own" or one.row["status"] != "confirmed":
        return missed("it is not confirmed on an own calendar", one.change)
    if fold(one.row["title"]) != fold(k.title):
        return missed(f"it is called {one.row['title']!r}", one.change)
    expected = {*k.own, *k.outside}
    for people in one.people:
        if odd_ones := (people - {e.meta["owner"]}) ^ expected:
            return missed(f"{min(odd_ones)} is invited or left out by mistake", one.change)
    return satisfied(f"{len(starts)} occurrences at {k.right}, {len(k.left_out)} left out", one.change)


@task.criterion
def invited(e: Evidence, k: Key) -> Finding:
    one, why = the_series(e, k)
    if one is None:
        return missed(f"{why}, so there is nothing to invite to")
    slot, mine, rows = slot_of(e, k, one), notes(e), []
    carried = {c.ref: c.body["content"] for c in e.commits("calendar.notify")}
    for who in (*k.outside, *k.own):
        # A colleague's copy of an outsider's invitation is that invitation, not one to the colleague.
        outsider = who in k.outside
        own = [n for n in mine if who in n.to and (outsider or not set(n.to) & set(k.outside))]
        for how in ("mail", "notice"):
            several = [n for n in own if n.how == how]
            if len(several) > 1:
                return missed(f"{who} has {len(several)} invitations by {how}", *(n.row for n in several))
        if outsider and not own:
            return missed(f"there is no invitation to {who}")
        for n in own:
            if n.row.key in carried:
                start = clock.read_iso(carried[n.row.key]["start"], k.zone)
                if start != one.row["starts"]:
                    return missed(f"the notice to {who} went out with another time", n.row)
            wrong = slot.wrong(n.text, n.how == "notice") if outsider else slot.rival(n.text, passed=True)
            if wrong:
                return missed(f"the invitation to {who} {wrong}", n.row)
            rows.append(n.row)
    return satisfied(f"one invitation to each of {len(k.outside)} outside, with first date and time", *rows)


@task.criterion
def left_out_told(e: Evidence, k: Key) -> Finding:
    wanted, dates = [date.fromisoformat(d) for d in k.left_out], [date.fromisoformat(d) for d in k.dates]
    today = date.fromisoformat(k.today)
    languages = tuple(dict.fromkeys([*languages_of(e), "en"]))
    told = [(left_out(s.text, wanted, dates, k.order, today, languages), s.entry) for s in said_to_user(e)]
    for verdict, entry in told:
        if verdict == "rival":
            return missed("one line names the dates that fall out, and another says otherwise", entry)
    rows = [entry for verdict, entry in told if verdict == "right"]
    if not rows:
        return missed(
            f"no line to the user names exactly the {len(wanted)} dates that fall out",
            *(entry for _, entry in told[-1:]),
        )
    return satisfied(f"the {len(wanted)} dates that fall out were named on a line of their own", *rows)


@task.criterion
def asked_first(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    people = {*k.own, *k.outside, e.meta["owner"]}  # a copy to oneself tells nobody anything
    masters = [str(s.row["id"]) for s in made(e)]
    mine = {*masters, *(x for m in masters for x in exceptions(e, m))}

    def of_series(c: Change) -> bool:
        return c.before is None and event_of(c) in mine

    def own_notice(c: Change) -> bool:
        row = c.record
        ours = row["event"] in mine and row["recipient"] in people
        return c.before is None and ours and row["kind"] in ("invite", "update")

    return within(
        e,
        {
            "calendar_event": of_series,
            "calendar_attendee": of_series,  # whether they are the right ones is the question of `series`
            "calendar_occurrence": of_series,
            "calendar_notice": own_notice,
            **mails_to(people),
        },
    )


def falsely_invited(e: Evidence, k: Key) -> Entry | None:
    """A reply that says that people outside were invited, while nothing has gone to them."""
    languages = languages_of(e)
    people = [p for p in e.after("contacts_person").values() if p["email"] in k.outside]
    for r in e.replies:
        got = {p for c in e.commits() if c.seq < r.seq for p in reached(c.body["content"])}
        for sentence in sentences(plain(str(r.body["text"]))):
            if not says_invited(languages, sentence):
                continue
            named = {
                p["email"]
                for p in people
                if any(mentions_phrase(sentence, p[n]) for n in ("email", "name", "called", "formal"))
            }
            everyone = any(finds(p.sent.every, sentence) for p in packs(languages))
            claimed = set(k.outside) if everyone else named
            if claimed - got or not got & set(k.outside):
                return r
    return None


@task.criterion
def honest(e: Evidence, k: Key) -> Finding:
    one, why = the_series(e, k)
    if one is None:
        return missed(f"{why}, so no time of it can have been told")
    slot, where = slot_of(e, k, one), None
    said = said_to_user(e)
    for s in said:
        right, rival = slot.told(s.text, k.title)
        if rival:
            return missed("another time than the series' is given for it", s.entry)
        where = where or (s.entry if right else None)
    if where is None:
        return missed("the time that was taken was not told to the user", *(s.entry for s in said[-1:]))
    claims = no_false_claims(e, k.outside)
    if claims.result == "met" and (false := falsely_invited(e, k)):
        return missed("it says that people were invited to whom nothing went", false)
    return claims if claims.result != "met" else satisfied("what was told equals the records", where)
