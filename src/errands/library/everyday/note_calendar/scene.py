"""The facts of each variant: which meeting, what is to be discussed, and what stands in the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from errands.apps.calendar import seed as calendar
from errands.tasks import Build
from errands.tasks.build import window

TUESDAY = date(2026, 11, 17)
WEEK = 7


@dataclass(frozen=True, slots=True)
class Plan:
    """One variant. `now`, `before`: topics of this time and of the last (names of `reading.TOPICS`); `day`: weekday of
    the meeting, 0 is Monday; `how`: `plain`, `moved` (a series of which this week's is elsewhere), `again` (cancelled
    and entered anew) or `missing`."""

    meeting: str
    demo: str  # another meeting of nearly the same name, this week
    now: tuple[str, str]
    before: tuple[str, str]
    day: int
    how: str


PLANS = (
    Plan(
        "Prototype review",
        "Prototype demo",
        ("battery prototype", "shipping"),
        ("dial colors", "engraving"),
        3,
        "plain",
    ),
    Plan(
        "Packaging review",
        "Packaging demo",
        ("carton sizes", "recycling marks"),
        ("wax seals", "ribbons"),
        2,
        "again",
    ),
    Plan(
        "Launch review",
        "Launch rehearsal",
        ("price list", "press photos"),
        ("balloons", "quiz night"),
        4,
        "moved",
    ),
    Plan(
        "Warranty review",
        "Warranty training",
        ("return rates", "spare parts"),
        ("hold music", "badges"),
        3,
        "missing",
    ),
)
PEOPLE = ("Sam Whitlock", "Nadia Ferreira", "Tomasz Bielik", "Ines Rowan")
OTHERS = ("Gus Tanaka", "Lena Hartog", "Omar Feld", "Petra Novak")  # of the last time, and of the demo
HOURS = ((11, 0), (17, 30), (18, 15), (16, 45))  # UTC


@dataclass(frozen=True, slots=True)
class Met:
    """The meeting of this week as it stands: its event, and when it begins and ends (UTC ms)."""

    event: str
    starts: int
    ends: int


class Diary:
    """The calendar of one variant."""

    def __init__(self, b: Build, plan: Plan):
        self.b, self.plan = b, plan
        self.person = PEOPLE[0] if b.variant == 0 else b.rng.choice(PEOPLE[1:])
        self.last, self.other = b.rng.sample(OTHERS, 2)
        self.zone = "UTC" if b.variant != 1 else b.market.zone

    def fill(self) -> None:
        """Put in what stands there: the meeting as `how` says, the one of last month, and others."""
        b, plan = self.b, self.plan
        day = TUESDAY + timedelta(plan.day - 1)
        hour, minute = HOURS[0] if b.variant == 0 else b.rng.choice(HOURS[1:])
        starts = b.at(day, f"{hour:02}:{minute:02}", "UTC")
        b.event(plan.demo, *self._span(b.at(TUESDAY + timedelta(1), "15:00")), attendees=[who(self.other)])
        b.event("Purchasing weekly", *self._span(b.at(TUESDAY, "10:00")), attendees=["ellen"])
        b.event("Dentist", *self._span(b.at(TUESDAY + timedelta(2), "16:30")), attendees=[])
        if plan.how != "moved":
            past = b.at(day - timedelta(4 * WEEK), "09:00", "UTC")
            self._event(plan.meeting, past, self.last)
        if plan.how == "again":
            self._event(plan.meeting, starts - 86_400_000 - 5_400_000, self.person, status="cancelled")
        if plan.how == "moved":
            self._moved(starts)
        elif plan.how != "missing":
            self._event(plan.meeting, starts, self.person)

    def _moved(self, starts: int) -> None:
        """A weekly series on Wednesdays, whose occurrence of this week is on another day."""
        b, usual = self.b, _usual(self.b, TUESDAY + timedelta(1 - 4 * WEEK))
        series = self._event(self.plan.meeting, usual, self.person, rrule="FREQ=WEEKLY;COUNT=9")
        original = _usual(b, TUESDAY + timedelta(1))
        self._event(self.plan.meeting, starts, self.person, series=series, original=original)

    def _event(self, title: str, starts: int, person: str, **more: object) -> str:
        b = self.b
        ident = b.id("evt")
        mine = [(b.me.email, b.me.name, "accepted"), (address(person), person, "accepted")]
        calendar.event(
            b.draft,
            id=ident,
            calendar="cal_work",
            title=title,
            starts=starts,
            ends=starts + 45 * 60_000,
            zone=self.zone,
            organizer=address(person),
            attendees=mine,
            window=window(b.now),
            **more,  # type: ignore[arg-type]  # of the seed's own fields
        )
        return ident

    def _span(self, starts: int) -> tuple[int, int]:
        return starts, starts + 60 * 60_000

    def met(self) -> Met | None:
        """The meeting of this week, worked out from the rows; None where there is none."""
        low, high = self.b.at(TUESDAY - timedelta(1), "00:00"), self.b.at(TUESDAY + timedelta(4), "00:00")
        rows = self.b.draft.all(
            "SELECT e.id, o.starts, o.ends FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
            " WHERE e.title = ? AND e.status <> 'cancelled' AND o.starts BETWEEN ? AND ? ORDER BY o.starts",
            self.plan.meeting,
            low,
            high,
        )
        if len(rows) > 1:
            raise ValueError(f"{self.plan.meeting} takes place {len(rows)} times this week")
        return Met(rows[0]["id"], rows[0]["starts"], rows[0]["ends"]) if rows else None


def _usual(b: Build, day: date) -> int:
    """When the series is usually, on a day."""
    return b.at(day, "16:00", "UTC")


def address(person: str) -> str:
    """Somebody's address."""
    return f"{person.lower().replace(' ', '.')}@ostlerglass.example"


def who(person: str) -> str:
    """Somebody as `Name <address>`."""
    return f"{person} <{address(person)}>"
