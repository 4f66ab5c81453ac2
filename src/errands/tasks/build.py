"""The builder that a task's `build` gets: the market, its life, a draft of the world, and random streams."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from email.utils import parseaddr
from functools import lru_cache
from importlib import resources
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ValidationError, ValidationInfo

from errands.apps.calendar import seed as calendar_seed
from errands.apps.contacts import seed as contacts_seed
from errands.apps.files import seed as files_seed
from errands.apps.mail import seed as mail_seed
from errands.core import clock
from errands.core.canon import canonical
from errands.core.errors import TaskError
from errands.markets import Market, read_toml
from errands.markets.words import Said, Words, load_words
from errands.markets.writing import load_writing
from errands.people.brief import Brief, seat
from errands.world import app
from errands.world.fixture import Draft

from .stream import Stream

M = TypeVar("M", bound=BaseModel)


def of_the_cast(key: str, info: ValidationInfo) -> str:
    """`key`, if the `people` of the context have it (or there are none); `ValueError` with a near one otherwise."""
    people = (info.context or {}).get("people")
    if people is not None and key not in people:
        near = difflib.get_close_matches(key, people, 1)
        raise ValueError(f"{key!r} is not in people.toml" + (f"; perhaps {near[0]!r}" if near else ""))
    return key


Who = Annotated[str, AfterValidator(of_the_cast)]
"""The key of somebody of the market's cast, in a table that `Build.data` reads."""


class Key(Mapping[str, Any]):
    """Expected values of one instance: JSON only, attribute access, never in the attempt file."""

    def __init__(self, **values: Any):
        self._values: dict[str, Any] = json.loads(canonical(values))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the key has no value {name!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_json(self) -> str:
        """Canonical JSON."""
        return canonical(self._values)

    @classmethod
    def from_json(cls, text: str) -> Key:
        """Read back what `to_json` wrote."""
        return cls(**json.loads(text))


@lru_cache(maxsize=256)
def banks(package: str, market: str) -> tuple[Words, ...]:
    """The banks of words of a task in a market: `words/<market>.<language>.toml`, each in its language's writing."""
    folder = resources.files(package).joinpath("words")
    found = []
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        code, _, language = file.name.removesuffix(".toml").partition(".")
        if code == market and language:
            found.append(load_words(file, load_writing(market, language)))
    if not found:
        raise TaskError(
            f"no words for market {market!r}", where=f"{package}/words", expected=f"{market}.<language>.toml"
        )
    return tuple(found)


@lru_cache(maxsize=256)
def answers(package: str, market: str, language: str) -> Words:
    """What the solutions of a task say in a language: `answers/<language>.toml`, written as the market writes."""
    file = resources.files(package).joinpath("answers", f"{language}.toml")
    return load_words(file, load_writing(market, language))


class Build:
    """What a task's `build(b)` works with. All facts come from `b.rng`; nothing of the host is read."""

    def __init__(
        self, package: str, market: Market, variant: int, language: str, draft: Draft, now: int, rng: Stream
    ):
        self.package, self.market, self.variant, self.language = package, market, variant, language
        self.draft, self.now, self.rng = draft, now, rng
        self.people = market.people
        self.me = market.people[market.owner]
        self.instruction_slots: dict[str, object] = {}
        self.needed: dict[str, tuple[str, ...]] = {}
        self.until: int | None = None
        self.pictures: list[str] = []
        self._events = 0
        self.local = market.languages[0]
        self.writing = load_writing(market.code, self.local)

    @property
    def _banks(self) -> tuple[Words, ...]:
        return banks(self.package, self.market.code)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the user understands, the instruction's first."""
        return tuple(dict.fromkeys([self.language, self.local, "en"]))

    # ---- time ----------------------------------------------------------------------------------------------

    @property
    def today(self) -> date:
        """The world's date, in the market's zone."""
        return clock.from_ms(self.now, self.market.zone).date()

    def at(self, day: date, text: str, zone: str = "") -> int:
        """A local day and time of day (`16:30`) as UTC ms."""
        local = datetime.combine(day, time.fromisoformat(text))
        return clock.to_ms(clock.resolve(local, zone or self.market.zone))

    def begins(self, day: date, text: str) -> None:
        """Let this world begin at another day and time than the errands of its market do; before all else.

        `TaskError` where a life is laid out around the market's own beginning.
        """
        if self.market.now is None:
            raise TaskError(
                f"the life of {self.market.code} has its own beginning", where=f"{self.package}, build"
            )
        self.now = self.at(day, text)

    def later(self, at: int, name: str, **payload: Any) -> None:
        """Put an event on the world's agenda, at world time `at` (UTC ms)."""
        self._events += 1
        ident = f"due_fix{self._events:04d}"
        self.draft.insert("exam_agenda", id=ident, due=at, name=name, payload=canonical(payload), cause=0)

    def watched_until(self, at: int) -> None:
        """Let the errand go on to world time `at` (UTC ms), whatever the agent says before: its observation window."""
        self.until = at

    def reads_pictures(self, *stems: str) -> None:
        """Have the words on the pictures at these paths (without their extension) read when the attempt has ended."""
        self.pictures += stems

    # ---- words ---------------------------------------------------------------------------------------------

    def say(self, key: str, choice: int = 0, **slots: object) -> Said:
        """Words of the market's banks of this task (`words/<market>.<language>.toml`), with slots filled."""
        holding = [bank for bank in self._banks if key in bank.keys]
        if len(holding) != 1:
            raise TaskError(
                f"say.{key} stands in {len(holding)} files" if holding else f"say.{key} is missing",
                where=f"{self.package}/words/{self.market.code}.*.toml",
                expected=f"[say.{key}] in one file of the market",
            )
        return holding[0].say(key, choice, **slots)

    def asked(self, key: str) -> frozenset[str]:
        """The slots that `say(key, ...)` asks for."""
        return next((bank.slots(key) for bank in self._banks if key in bank.keys), frozenset())

    def data(self, folder: str, kind: type[M]) -> M:
        """The market's table of the task, `<folder>/<market>.toml`, as a `kind`; `TaskError` naming the field."""
        file = resources.files(self.package).joinpath(folder, f"{self.market.code}.toml")
        try:
            return kind.model_validate(read_toml(file), context={"people": self.people})
        except ValidationError as why:
            first = why.errors()[0]
            raise TaskError(first["msg"], where=f"{file}, {'.'.join(map(str, first['loc']))}") from None

    def instruct(self, **slots: object) -> None:
        """Values for the placeholders of the instruction."""
        self.instruction_slots.update(slots)

    def needs(self, criterion: str, *records: str) -> None:
        """Say which records one must have read to meet a criterion: ids, paths, or `busy:<address>`; none where all
        that it needs is said by the user.

        Calibration sees to it that an agent can read each of them, and that none is to be had without it.
        """
        self.needed[criterion] = tuple(dict.fromkeys([*self.needed.get(criterion, ()), *records]))

    # ---- inserts -------------------------------------------------------------------------------------------

    def id(self, prefix: str) -> str:
        """A fresh opaque id."""
        return self.rng.ident(prefix)

    def mail(
        self,
        sender: str,
        to: list[str],
        subject: str,
        body: str,
        at: int,
        *,
        thread: str = "",
        cc: list[str] | None = None,
        folder: str = "",
        labels: tuple[str, ...] = (),
        reply_to: str = "",
        unread: bool = False,
        files: tuple[tuple[str, str, bytes], ...] = (),
        unopened: tuple[str, ...] = (),
    ) -> str:
        """A message between people (keys of the cast, or `Name <address>`); returns its id.

        `unopened`: who has not opened it yet, if the owner sent it.
        """
        address, name = self.who(sender)
        return mail_seed.message(
            self.draft,
            id=self.id("msg"),
            thread=thread or self.id("thr"),
            folder=folder or ("sent" if sender == self.market.owner else "inbox"),
            sender=(address, name),
            to=[self.who(p)[0] for p in to],
            cc=[self.who(p)[0] for p in cc or []],
            subject=subject,
            body=body,
            at=at,
            reply_to=reply_to,
            unread=unread,
            labels=labels,
            files=files,
            unopened=[self.who(p)[0] for p in unopened],
        )

    def who(self, person: str) -> tuple[str, str]:
        """Address and name of somebody of the cast (by key), or of an outsider, `Name <address>`."""
        if "@" in person:
            name, address = parseaddr(person)
            return address.lower(), name
        return self.people[person].email, self.people[person].name

    def writer(self, who: str) -> dict[str, str]:
        """Somebody of the cast as the rules of register see them (`errands.grading.register.Writer`)."""
        p = self.people[who]
        manner = self.market.registers.get(p.relation)
        return {
            "name": p.name,
            "called": p.called,
            "formal": p.formal,
            "gender": p.gender or "",
            "register": manner.register_ if manner else "B",
            "language": p.language or self.local,
        }

    def manner(self, who: str) -> dict[str, str]:
        """How one begins and ends a letter to somebody here: `greeting` and `closing`."""
        p = self.people[who]
        manner = self.market.registers[p.relation]
        local = (p.language or self.local) == self.local
        forms = {"called": p.called, "formal": p.formal}
        return {
            "greeting": manner.greeting.format(**forms) if local else f"Dear {p.called},",
            "closing": (manner.closing or "") if local else "Best regards,",
        }

    def event(
        self,
        title: str,
        starts: int,
        ends: int,
        *,
        attendees: list[str],
        organizer: str = "",
        location: str = "",
        calendar: str = "cal_work",
        notes: str = "",
        zone: str = "",
        rrule: str = "",
        exdates: tuple[int, ...] = (),
        all_day: bool = False,
        response: str = "accepted",
    ) -> str:
        """An event in the owner's calendar; returns its id.

        Organizer and attendees as in `mail`; the owner is always there, with this `response`, the others have accepted.
        """
        org = organizer or self.market.owner
        keys = list(dict.fromkeys([self.market.owner, org, *attendees]))
        people = [(*self.who(p), response if p == self.market.owner else "accepted") for p in keys]
        ident = self.id("evt")
        calendar_seed.event(
            self.draft,
            id=ident,
            calendar=calendar,
            title=title,
            starts=starts,
            ends=ends,
            zone=zone or self.market.zone,
            organizer=self.who(org)[0],
            attendees=people,
            location=location,
            notes=notes,
            rrule=rrule,
            exdates=exdates,
            all_day=all_day,
            window=window(self.now),
        )
        return ident

    def busy(self, person: str, starts: int, ends: int) -> None:
        """A commitment of somebody else's, seen only as busy."""
        calendar_seed.busy(self.draft, person=self.people[person].email, starts=starts, ends=ends)

    def is_busy(self, email: str) -> bool:
        """Whether somebody has commitments of their own in this world."""
        return bool(self.draft.all("SELECT 1 FROM calendar_busy WHERE person = ? LIMIT 1", email))

    def file(self, path: str, data: bytes) -> None:
        """A file in the workspace or the shared area."""
        files_seed.file(
            self.draft, path=path, data=data, modified=self.now - 86_400_000, author=self.me.email
        )

    def contact(self, **row: Any) -> str:
        """Another person in the address book."""
        return contacts_seed.person(self.draft, **row)

    def user(self, brief: Brief) -> None:
        """The simulated user's brief; `TaskError` for a kind that nothing stages."""
        kinds = {kind for name in self.draft.apps for kind in app(name).staged_kinds}
        if odd := [k for k in brief.approves if k not in kinds]:
            raise TaskError(
                f"nothing stages {odd[0]!r}", where="Brief, approves", expected=", ".join(sorted(kinds))
            )
        seat(self.draft, brief, languages=self.languages)

    def fault(self, tool: str, **how: Any) -> None:
        """A declared fault of a tool: `skip, times, applied, answered, code, delay_ms, lag_ms`."""
        row = {
            "skip": 0,
            "times": 1,
            "applied": 0,
            "answered": 1,
            "code": "unavailable",
            "delay_ms": 0,
            "lag_ms": 0,
            **how,
        }
        self.draft.insert("exam_fault", id=self.id("flt"), tool=tool, **row)


DAY_MS = 86_400_000


def window(now: int) -> tuple[int, int]:
    """The fixed span over which recurring events are expanded: 120 days either way."""
    return now - 120 * DAY_MS, now + 120 * DAY_MS
