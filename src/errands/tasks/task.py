"""A task as code: the object that a task's folder fills with its builder, criteria, gates and solutions."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from typing import Any, TypeVar, get_args

from errands.core.canon import digest
from errands.core.errors import ErrandsError, TaskError, ToolError
from errands.core.types import Finding, Seat
from errands.grading.approvals import Gate, Until, gates_held
from errands.grading.evidence import Entry, Evidence
from errands.grading.verdict import Criterion
from errands.markets import Market, load_market
from errands.markets.words import words_of
from errands.markets.writing import load_writing
from errands.world import app
from errands.world.fixture import Draft, Fixture

from .build import Build, Key, window
from .contract import Contract, read_contract
from .heldout import FIRST, is_held_out, secret
from .life import settle, start_of
from .stream import Stream

F = TypeVar("F", bound=Callable[..., Any])
Work = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Solution:
    """A way to do the errand, right or wrong, as calls that an agent could make: `run(seat, key)`."""

    name: str
    role: str  # oracle, alternative, wrong
    work: Work
    how: dict[str, Any]

    def run(self, seat: Seat, key: Key) -> None:
        """Do it. `TaskError`, with file and line, where the solution's own code breaks."""
        try:
            self.work(seat, key, **self.how)
        except (ErrandsError, ToolError):
            raise
        except Exception as why:
            raise TaskError(raised(why), where=f"solution {self.name}") from why


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One task in one market and variant, built: the world before, the key, and what the agent is told."""

    task: Task
    market: str
    variant: int
    language: str
    fixture: Fixture
    key: Key
    instruction: str
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`task@market/variant`."""
        return f"{self.task.id}@{self.market}/{self.variant}"


class Task:
    """One errand. Made in `task.py` of its folder as `task = Task(__package__)`; Task.md is read at once."""

    def __init__(self, package: str):
        self.package = package
        folder = resources.files(package)
        file = folder.joinpath("Task.md")
        if not file.is_file():
            raise TaskError("there is no Task.md", where=package, expected="Task.md beside task.py")
        self.contract: Contract = read_contract(file.read_text(encoding="utf-8"), f"{package}/Task.md")
        self.checks: dict[str, Callable[[Evidence, Key], Finding]] = {}
        self.gates: tuple[Gate, ...] = ()
        self._build: Callable[[Build], Key] | None = None
        self._solutions: list[Solution] = []

    @property
    def id(self) -> str:
        """The id of Task.md."""
        return self.contract.front.id

    # ---- what a task folder declares -----------------------------------------------------------------------

    def build(self, fn: Callable[[Build], Key]) -> Callable[[Build], Key]:
        """Declare the builder."""
        self._build = fn
        return fn

    def criterion(self, fn: F) -> F:
        """Declare the check of the criterion that has the function's name in Task.md."""
        self.checks[fn.__name__] = fn
        return fn

    def gate(
        self, commit: str, until: Until, unless: Callable[[Evidence, Entry], bool] | None = None
    ) -> None:
        """Declare a gate. `unless` is standing authority. `TaskError` for what no app of the task commits."""
        if until not in get_args(Until):
            raise TaskError(
                f"a gate cannot be until {until!r}",
                where=f"{self.package}/task.py",
                expected=" or ".join(get_args(Until)),
            )
        self.gates = (*self.gates, Gate(commit, until, unless))

    def gates_held(self, e: Evidence) -> Finding:
        """The boundary over all declared gates."""
        return gates_held(e, self.gates)

    def oracle(self, work: Work, **how: Any) -> None:
        """Declare the reference solution."""
        self._solutions.append(Solution("oracle", "oracle", work, how))

    def alternative(self, name: str, work: Work, **how: Any) -> None:
        """Declare another way that must pass."""
        self._solutions.append(Solution(name, "alternative", work, how))

    def wrong(self, name: str, work: Work, **how: Any) -> None:
        """Declare a realistic wrong result."""
        self._solutions.append(Solution(name, "wrong", work, how))

    # ---- what others use -----------------------------------------------------------------------------------

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criteria in the order of Task.md; `TaskError` where table and code differ in either direction."""
        rows = {r.id: r for r in self.contract.criteria}
        where = f"{self.package}/task.py"
        for name in rows:
            if name not in self.checks:
                raise TaskError(
                    f"criterion {name!r} of Task.md has no code",
                    where=where,
                    expected=f"a function {name}(e, k)",
                )
        for name in self.checks:
            if name not in rows:
                raise TaskError(
                    f"criterion {name!r} is not in Task.md", where=where, expected=", ".join(rows)
                )
        if any(r.kind == "boundary" for r in rows.values()) and not self.gates:
            raise TaskError(
                "a boundary without a gate proves nothing", where=where, expected="task.gate(commit, until)"
            )
        return tuple(Criterion(r.id, r.kind, self.checks[r.id], r.weight) for r in rows.values())

    @cached_property
    def solutions(self) -> dict[str, Solution]:
        """Oracle, alternatives (`oracle:<name>`) and wrong results (`wrong:<name>`), checked against Task.md."""
        try:
            import_module(f"{self.package}.solutions")
        except ErrandsError:
            raise
        except Exception as why:
            raise TaskError(raised(why), where=f"{self.package}/solutions.py") from why
        where = f"{self.package}/solutions.py"
        out: dict[str, Solution] = {}
        for s in self._solutions:
            name = {"oracle": "oracle", "alternative": f"oracle:{s.name}", "wrong": f"wrong:{s.name}"}[s.role]
            if name in out:
                raise TaskError(f"solution {name!r} is declared twice", where=where)
            out[name] = s
        stated = {
            "oracle",
            *(f"oracle:{a.name}" for a in self.contract.alternatives),
            *(f"wrong:{w.name}" for w in self.contract.wrong),
        }
        for name in sorted(stated ^ set(out)):
            what = "is in Task.md and has no code" if name in stated else "is not in Task.md"
            raise TaskError(f"solution {name!r} {what}", where=where)
        return out

    @cached_property
    def digest(self) -> str:
        """Digest of the task's folder: what an edition is."""
        return folder_digest(resources.files(self.package))

    def instance(self, market: str, variant: int, language: str = "en") -> Instance:
        """Build one instance (cached in the process); `TaskError` when the builder finds no single answer."""
        return _instance(self, market, variant, language)

    def _make(self, market_code: str, variant: int, language: str) -> Instance:
        front = self.contract.front
        if market_code not in front.markets:
            raise TaskError(
                f"{self.id} is not set in market {market_code!r}",
                where=self.package,
                expected=", ".join(front.markets),
            )
        first = FIRST if is_held_out(variant) else 0
        if not first <= variant < first + front.variants:
            raise TaskError(
                f"{self.id} has no variant {variant}",
                where=self.package,
                expected=f"0 to {front.variants - 1}, or {FIRST} to {FIRST + front.variants - 1} (held out)",
            )
        if language not in self.contract.instruction:
            raise TaskError(
                f"{self.id} has no instruction in {language!r}",
                where=self.package,
                expected=", ".join(self.contract.instruction),
            )
        if self._build is None:
            raise TaskError("there is no builder", where=f"{self.package}/task.py", expected="@task.build")
        market = load_market(market_code)
        now = start_of(market)
        apps = tuple(dict.fromkeys([*front.apps, "clock", "people"]))
        self._check_scopes(apps)
        draft = Draft(apps, _base(apps, market_code))
        stream, number = self._facts(market_code, variant)
        b = Build(self.package, market, number, language, draft, now, stream)
        for name, service in front.services.items():
            for scope in (*service.scopes, *service.withheld):
                draft.insert("exam_grant", app=name, scope=scope, live=int(scope in service.scopes))
        key = self._build(b)
        if not len(key):
            raise TaskError(
                "the key is empty", where=f"{self.package}/task.py, build", expected="expected values"
            )
        key = Key(**key, market=market_code, language=language, local=b.local)
        bank = {"language": language, "say": {"it": {"text": self.contract.instruction[language]}}}
        told = words_of(f"{self.package}/Task.md, Instruction", bank, load_writing(market_code, language))
        text = told.say("it", 0, **b.instruction_slots).text
        fixture = draft.finish(
            now=b.now,
            zone=market.zone,
            task=self.id,
            market=market_code,
            variant=str(variant),
            language=language,
            languages=" ".join(b.languages),
            owner=b.me.email,
            owner_name=b.me.name,
            calendar="cal_work",
            window=list(window(b.now)),
            instruction=text,
            edition=str(front.edition),
            **({} if b.until is None else {"until": b.until}),
            **({"pictures": b.pictures} if b.pictures else {}),
        )
        return Instance(self, market_code, variant, language, fixture, key, text, b.needed)

    def _check_scopes(self, apps: tuple[str, ...]) -> None:
        """Scopes that are granted or withheld and commits that are gated must be ones that an app has."""
        where = f"{self.package}/Task.md, services"
        known = {name: app(name) for name in apps}
        for name, service in self.contract.front.services.items():
            for scope in (*service.scopes, *service.withheld):
                if name in known and scope not in known[name].scopes:
                    have = ", ".join(known[name].scopes)
                    raise TaskError(f"app {name!r} has no scope {scope!r}", where=where, expected=have)
        commits = {name for a in known.values() for name in a.commits}
        for gate in self.gates:
            if gate.commit not in commits:
                raise TaskError(
                    f"nothing here commits {gate.commit!r}",
                    where=f"{self.package}/task.py, task.gate",
                    expected=" or ".join(sorted(commits)),
                )

    def _facts(self, market: str, variant: int) -> tuple[Stream, int]:
        """The stream from which an instance has its facts, and its number there."""
        if self.contract.front.facts_of:  # those of another task's instance, as it was recorded
            task, _, rest = self.contract.front.facts_of.partition("@")
            market, _, number = rest.partition("/")
            return Stream("public", task, market, int(number)), int(number)
        if is_held_out(variant):
            return Stream("held-out", secret(), self.id, market, variant), variant - FIRST
        return Stream("public", self.id, market, variant), variant

    def __repr__(self) -> str:
        return f"<Task {self.id}>"


@lru_cache(maxsize=512)
def _instance(task: Task, market: str, variant: int, language: str) -> Instance:
    try:
        return task._make(market, variant, language)
    except ErrandsError:
        raise
    except ValueError as why:  # a market's tables or a bank of words; they name file and field themselves
        raise TaskError(str(why), where=f"{task.id}@{market}/{variant}") from why
    except Exception as why:
        raise TaskError(raised(why), where=f"{task.id}@{market}/{variant}, build") from why


def raised(why: Exception) -> str:
    """What an author's code raised, and where: `KeyError: 'sara' (…/task.py, line 35)`."""
    last = traceback.extract_tb(why.__traceback__)[-1]
    here = [f for f in traceback.extract_tb(why.__traceback__) if f.filename.endswith(_AUTHORS)]
    frame = here[-1] if here else last
    said = f"{why.filename}, line {why.lineno}" if isinstance(why, SyntaxError) else ""
    return f"{type(why).__name__}: {why} ({said or f'{frame.filename}, line {frame.lineno}'})"


_AUTHORS = ("task.py", "solutions.py", "scene.py", "script.py")


@lru_cache(maxsize=32)
def _base(apps: tuple[str, ...], market: str) -> bytes:
    draft = Draft(apps)
    place: Market = load_market(market)
    settle(draft, place, start_of(place))
    return draft.base()


def folder_digest(folder: Traversable, without: tuple[str, ...] = ()) -> str:
    """SHA-256 over the sorted (path, content digest) of a folder's source files; caches and `without` are left out."""
    files = [(path, data) for path, data in sorted(_walk(folder, "")) if path not in without]
    return digest([[path, hashlib.sha256(data).hexdigest()] for path, data in files])


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.name.startswith((".", "__pycache__")):
            continue
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        elif not item.name.endswith(".pyc"):
            yield f"{prefix}{item.name}", item.read_bytes()
