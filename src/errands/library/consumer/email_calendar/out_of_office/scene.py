"""The scenes of the absence: who is in it, the cover plans, and the threads that wait or do not."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from errands.core import clock
from errands.core.errors import TaskError
from errands.core.money import Money
from errands.markets.calendar import add_workdays, is_workday
from errands.tasks import Build, Who

MINUTE = 60_000
Ended = Literal["waits", "decided", "dropped", "passed"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Line(_Strict):
    """Who writes a message of a thread, and to whom."""

    from_: str = Field(alias="from", min_length=1)
    to: tuple[str, ...] = Field(min_length=1)
    cc: tuple[str, ...] = ()


class Ending(_Strict):
    """A way in which a thread goes on; its words are `<thread>_<name>`, one text a message.

    `waits`: the question to the owner stays open, whoever wrote last. The last message of the others closes it:
    `decided`, `dropped` by who asked, or `passed` to somebody else.
    """

    name: Ended
    line: tuple[Line, ...] = ()

    @model_validator(mode="after")
    def _closed_by_words(self) -> Ending:
        if self.name != "waits" and not self.line:
            raise ValueError(f"an ending {self.name!r} needs a message")
        return self


class Thread(_Strict):
    """A question to the owner: the group of matters it belongs to, and its amount (from, to, step) if it has one."""

    id: str
    group: str
    amount: tuple[int, int, int] | None = None
    asked: Line
    ending: tuple[Ending, ...] = Field(min_length=2)

    @field_validator("ending")
    @classmethod
    def _may_wait(cls, endings: tuple[Ending, ...]) -> tuple[Ending, ...]:
        if "waits" not in [e.name for e in endings]:
            raise ValueError("one ending must be `waits`")
        return endings


class Scene(_Strict):
    """One absence: who stands in, HR's words (`<leave>_first`, `<leave>_second`), what of it is private (as HR writes
    it first, then in other words), the language of the reply if it is not the market's, and whether the owner keeps
    the handover back."""

    colleague: Who
    leave: str
    private: tuple[str, ...] = Field(min_length=2)
    reply_in: str = ""
    refuses: bool = False


class Office(_Strict):
    """The errand in one market: its label, who confirms leave, who plans cover for whom, spans of days to draw from.

    `tongue`: what the languages of replies are called, by the language in which the owner says it.
    `groups`: the two groups of matters that a plan names; the others are `rest`. `signs`: who may take what is above
    the limit; `covers`: who may take a group. `last_time`: the absence for which the old reply stands.
    """

    label: str
    tongue: dict[str, dict[str, str]]
    hr: Who
    boss: Who
    team: tuple[Who, ...]
    groups: tuple[str, str]
    signs: tuple[Who, ...] = Field(min_length=3)
    covers: tuple[Who, ...] = Field(min_length=3)
    limit: tuple[int, int, int]
    until: date
    old_plan_on: tuple[date, date]
    plan_on: tuple[date, date]
    leave_on: tuple[date, date]
    corrected_on: tuple[date, date]
    asked_on: tuple[date, date]
    last_time: tuple[date, date]
    scene: tuple[Scene, ...] = Field(min_length=3)
    thread: tuple[Thread, ...] = Field(min_length=8)


def workdays(b: Build, span: tuple[date, date]) -> list[date]:
    """The working days of a span."""
    days = [span[0] + timedelta(n) for n in range((span[1] - span[0]).days + 1)]
    found = [d for d in days if is_workday(b.market, d)]
    if not found:
        raise TaskError(
            f"no working day from {span[0]} to {span[1]}", where=f"out_of_office, {b.market.code}"
        )
    return found


def moment(b: Build, span: tuple[date, date]) -> int:
    """Some time in the office hours of a working day of the span."""
    return b.at(b.rng.choice(workdays(b, span)), "09:10") + b.rng.between(0, 460) * MINUTE


# ---- the cover plans ------------------------------------------------------------------------------------------


def mail_plans(b: Build, office: Office, scene: Scene) -> list[dict[str, Any]]:
    """Mail the cover plan and the one before it; returns what each says, with the time at which it was said."""
    low, high, step = office.limit
    signs = b.rng.sample([p for p in office.signs if p != scene.colleague], 2)
    covers = b.rng.sample([p for p in office.covers if p not in (scene.colleague, *signs)], 2)
    limit = b.rng.between(low // step, high // step) * step
    other = limit + step * 2
    out: list[dict[str, Any]] = []
    for sign, groups, most, on, key in (
        (signs[1], covers[::-1], other, office.old_plan_on, "plan_old"),
        (signs[0], covers, limit, office.plan_on, "plan"),
    ):
        by_group = dict(zip(office.groups, groups, strict=True))
        known: dict[str, object] = {g: b.people[p] for g, p in by_group.items()}
        known |= {"sign": b.people[sign], "rest": b.people[scene.colleague], "limit": _money(b, most)}
        if out:
            known["before"] = out[0]["on"]
        said = b.say(key, 0, **{s: v for s, v in known.items() if s in b.asked(key)})
        at = moment(b, on)
        sent = b.mail(office.boss, ["me", *office.team], said.subject or "", said.text, at)
        on_day = clock.from_ms(at, b.market.zone).date()
        out.append({"at": at, "message": sent, "on": on_day, "limit": most, "sign": sign, **by_group})
    return out


def _money(b: Build, major: int) -> Money:
    return Money.of(major, b.market.currency.code)


def takes_over(plan: dict[str, Any], thread: dict[str, Any], colleague: str) -> str:
    """The independent solver of a plan: who takes a matter over. The amount comes first, then the group."""
    if thread["amount"] is not None and thread["amount"] > plan["limit"]:
        return str(plan["sign"])
    return str(plan.get(thread["group"], colleague))


# ---- the threads ----------------------------------------------------------------------------------------------


def correspond(
    b: Build, office: Office, limit: int
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Mail the labelled threads. Returns what was done in which message, and the facts of each thread by its id."""
    said: list[dict[str, Any]] = []
    facts: dict[str, dict[str, Any]] = {}
    for thread, ending, amount in _cast(b, office, limit):
        ident = b.id("thr")
        facts[ident] = {"group": thread.group, "amount": amount}
        at, previous, subject, writer = moment(b, office.asked_on), "", "", ""
        for n, line in enumerate((thread.asked, *ending.line)):
            key = f"{thread.id}_{ending.name}" if n else thread.id
            known = {} if amount is None else {"amount": _money(b, amount)}
            words = b.say(key, n - 1 if n else 0, **{s: v for s, v in known.items() if s in b.asked(key)})
            subject = subject or words.subject or ""
            at = _later(b, at, again=line.from_ == writer) if n else at
            writer = line.from_
            if at >= b.now:
                raise TaskError(
                    f"message {n + 1} of {thread.id} lies in the world's future",
                    where=f"out_of_office, {b.market.code}",
                    expected="`asked_on` some working days before the errand begins",
                )
            previous = b.mail(
                line.from_,
                list(line.to),
                f"Re: {subject}" if n else subject,
                words.text,
                at,
                thread=ident,
                cc=list(line.cc),
                labels=(office.label,),
                reply_to=previous,
            )
            act = "asked" if not n else ending.name if n == len(ending.line) else "talk"
            said.append({"thread": ident, "at": at, "act": act, "message": previous})
    return said, facts


def _later(b: Build, at: int, again: bool) -> int:
    """The same day or in the course of the next working day; who writes again has waited some days."""
    if not again and b.rng.below(2):
        return at + b.rng.between(25, 95) * MINUTE
    day = clock.from_ms(at, b.market.zone).date()
    day = add_workdays(b.market, day, b.rng.between(2, 3) if again else 1)
    return b.at(day, "09:05") + b.rng.between(0, 300) * MINUTE


WISH: tuple[Ended, ...] = ("decided", "dropped", "passed", "decided", "passed")
Cast = list[tuple[Thread, Ending, int | None]]


def _cast(b: Build, office: Office, limit: int) -> Cast:
    """Which threads end how: four of them closed or five, the others wait; of these some for each part of a plan."""
    for _ in range(300):
        wish, out = list(WISH[: b.rng.between(4, 5)]), Cast()
        for t in b.rng.shuffled(office.thread):
            names = [e.name for e in t.ending]
            take: Ended = next((w for w in wish if w in names), "waits")
            if take in wish:
                wish.remove(take)
            amount = None
            if t.amount:
                low, high, step = t.amount
                amount = b.rng.between(low // step, high // step) * step
                amount += step * (amount == limit)  # neither above nor below: nobody writes a plan for that
            out.append((t, next(e for e in t.ending if e.name == take), amount))
        open_ = [(t, a) for t, e, a in out if e.name == "waits"]
        dear = [t for t, a in open_ if a is not None and a > limit]
        named = {t.group for t, a in open_ if a is None or a < limit}
        if not wish and dear and {*office.groups} <= named and named - {*office.groups}:
            return b.rng.shuffled(out)
    raise TaskError(
        "no way to end the threads leaves some waiting for each part of the cover plan",
        where=f"out_of_office, {b.market.code}, variant {b.variant}",
        expected="threads of each group and of the rest, some above the limit, with all four endings among them",
    )


def waiting(said: list[dict[str, Any]]) -> dict[str, str]:
    """The independent solver: each thread's state, from what was done in it in order of time."""
    state: dict[str, str] = {}
    for act in sorted(said, key=lambda a: a["at"]):
        if act["act"] == "asked":
            state[act["thread"]] = "waits"
        elif act["act"] in ("decided", "dropped", "passed"):
            state[act["thread"]] = act["act"]
    return state
