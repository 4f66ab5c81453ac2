"""Task.md: front matter (TOML between `+++` lines) and sections, read strictly. Task.md never reaches an agent."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errands.core.errors import TaskError
from errands.grading.everyday import COUNT, WEIGHT

SECTIONS = (
    "Instruction",
    "Declared final state",
    "Approval boundary",
    "Criteria",
    "Accepted alternatives",
    "Known-good",
    "Wrong results",
    "Unscored when",
    "Difficulty changes",
    "Per market",
    "Fairness and leakage",
)
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


# The column by which wrong results say what they get, where the protocol counts.
_COUNTED = {"milestones": "points", "everyday": "score"}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1)


class Service(_Strict):
    """A service the errand needs: how it is provided, and the scopes that are granted (never a secret).

    `withheld` are scopes that the service has and this connection does not: their tools show, and are refused.
    """

    mode: Literal["live", "frozen", "simulated", "disabled"]
    scopes: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    credential: str | None = None


class Front(_Strict):
    """The front matter of Task.md."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]+$")]
    number: str
    suite: str
    domain: str
    world: str
    apps: tuple[str, ...] = Field(min_length=1)
    markets: tuple[str, ...] = Field(min_length=1)
    timeout_s: int = Field(ge=1, le=86_400)
    protocol: Literal["contract", "everyday", "milestones", "criteria"]
    surface: Literal["tools", "pages", "mixed", "identity-gated", "phone"]
    termination: Literal["completed", "approval-handoff", "refusal", "escalation"]
    complexity: Literal["single-step", "multi-step", "cross-session"]
    difficulty: int = Field(ge=1, le=5)
    tags: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    track: Literal["simulator"]
    services: dict[str, Service]
    adapted_from: str
    facts_of: Annotated[str, Field(pattern=r"^[a-z0-9-]+@[a-z]+/\d$")] | None = None
    status: Literal["draft", "ready", "withdrawn"]
    edition: int = Field(ge=1)
    variants: int = Field(ge=1, le=10)
    turn_limit: int = Field(ge=1, le=200)
    call_limit: int = Field(ge=1, le=5_000)
    token_limit: int = Field(0, ge=0)
    reference_status: Literal["calibration-pending", "registered"]
    canary: Annotated[str, Field(pattern=r"^[A-Z]+-CANARY [0-9a-f-]{36}$")]
    labels: dict[str, str] = Field(default_factory=dict)
    timed_by: Name | None = None  # the criterion whose evidence says when the errand's goal was reached

    @property
    def on_pages(self) -> bool:
        """Whether a browser is needed."""
        return self.surface in ("pages", "mixed")

    @property
    def on_pictures(self) -> bool:
        """Whether words on pictures must be read to judge what came of it."""
        return "drawing" in self.apps


class CriterionRow(_Strict):
    """One line of the criteria table."""

    id: Name
    kind: Literal["required", "boundary", "prohibited", "disclosure", "scope", "honesty"]
    weight: int = Field(ge=0, le=100)
    result: str
    evidence: str
    check: str
    met_when: str


class WrongRow(_Strict):
    """A realistic wrong result, the criterion at which it must fail, and what it gets: points (milestones), or what
    each of the five criteria earns (everyday), as five digits."""

    name: Name
    fails_at: Name
    points: int | None = Field(None, ge=0, le=100)
    score: Annotated[str, Field(pattern=r"^[012]{5}$")] | None = None
    what: str


class NamedRow(_Strict):
    """A named alternative."""

    name: Name
    what: str


class Contract(_Strict):
    """Everything Task.md states."""

    front: Front
    title: str
    instruction: dict[str, str]
    final_state: str
    boundary: tuple[str, ...] = Field(min_length=1)
    criteria: tuple[CriterionRow, ...] = Field(min_length=1)
    alternatives: tuple[NamedRow, ...] = Field(min_length=1)
    wrong: tuple[WrongRow, ...] = Field(min_length=1)
    sections: dict[str, str]


def read_contract(text: str, where: str) -> Contract:
    """Parse and check Task.md; raises `TaskError` that names file, section or field, and what was expected."""
    front_text, body = _split(text, where)
    try:
        raw = tomllib.loads(front_text)
    except tomllib.TOMLDecodeError as why:
        raise TaskError(f"the front matter is not TOML: {why}", where=where) from None
    title, sections = _sections(body, where)
    for name in SECTIONS:
        if name not in sections:
            raise TaskError(
                f"section '## {name}' is missing or empty", where=where, expected=", ".join(SECTIONS)
            )
    if extra := [s for s in sections if s not in SECTIONS]:
        raise TaskError(f"unknown section '## {extra[0]}'", where=where, expected=", ".join(SECTIONS))
    tables = {
        "criteria": (
            "Criteria",
            ("id", "kind", "weight", "required or prohibited result", "evidence", "exact check", "met when"),
            ("id", "kind", "weight", "result", "evidence", "check", "met_when"),
        ),
        "alternatives": ("Accepted alternatives", ("name", "what"), ("name", "what")),
        "wrong": ("Wrong results", ("name", "fails at", "what"), ("name", "fails_at", "what")),
    }
    data: dict[str, object] = {
        "front": raw,
        "title": title,
        "sections": sections,
        "final_state": sections["Declared final state"],
        "instruction": dict(_languages(sections["Instruction"], where)),
        "boundary": [
            line[2:].strip() for line in sections["Approval boundary"].splitlines() if line.startswith("- ")
        ],
    }
    if column := _COUNTED.get(str(raw.get("protocol"))):
        tables["wrong"] = (
            "Wrong results",
            ("name", "fails at", column, "what"),
            ("name", "fails_at", column, "what"),
        )
    for field, (section, head, names) in tables.items():
        data[field] = list(_table(sections[section], section, head, names, where))
    try:
        contract = Contract.model_validate(data)
    except ValidationError as why:
        errors = why.errors()  # a key misspelt is missing too: say what stands there
        first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
        place = " → ".join(str(x) for x in first["loc"])
        raise TaskError(first["msg"], where=f"{where}, {place}", expected=_hint(first["type"])) from None
    _cross_check(contract, where)
    return contract


def _hint(kind: str) -> str:
    return {"extra_forbidden": "only the keys that the task contract knows", "missing": "this key"}.get(
        kind, ""
    )


def _split(text: str, where: str) -> tuple[str, str]:
    parts = re.split(r"^\+\+\+[ \t]*$", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise TaskError("no front matter", where=where, expected="TOML between two lines of +++ at the top")
    return parts[1], parts[2]


def _sections(body: str, where: str) -> tuple[str, dict[str, str]]:
    title = re.search(r"^# (.+)$", body, re.MULTILINE)
    if title is None:
        raise TaskError("no title", where=where, expected="a line '# Title' after the front matter")
    pieces = re.split(r"^## (.+)$", body, flags=re.MULTILINE)[1:]
    out: dict[str, str] = {}
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        if name.strip() in out:
            raise TaskError(f"section '## {name.strip()}' stands twice", where=where)
        if text.strip():
            out[name.strip()] = text.strip()
    return title.group(1).strip(), out


def _languages(text: str, where: str) -> Iterator[tuple[str, str]]:
    pieces = re.split(r"^### ([a-z]{2}(?:-[A-Za-z]+)?)$", text, flags=re.MULTILINE)[1:]
    if not pieces:
        raise TaskError(
            "the instruction has no language", where=f"{where}, Instruction", expected="'### en' and its text"
        )
    for code, words in zip(pieces[::2], pieces[1::2], strict=True):
        yield code, words.strip()


def _table(
    text: str, section: str, head: tuple[str, ...], names: tuple[str, ...], where: str
) -> Iterator[dict[str, object]]:
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    if len(lines) < 3:
        raise TaskError(
            "the table is missing or has no rows",
            where=f"{where}, {section}",
            expected=f"| {' | '.join(head)} |",
        )
    cells = [
        [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines
    ]
    if tuple(cells[0]) != head:
        raise TaskError(
            f"the table's head is {cells[0]}", where=f"{where}, {section}", expected=f"| {' | '.join(head)} |"
        )
    for n, row in enumerate(cells[2:], 1):
        if len(row) != len(head):
            raise TaskError(
                f"row {n} has {len(row)} cells", where=f"{where}, {section}", expected=f"{len(head)} cells"
            )
        values: dict[str, object] = dict(zip(names, row, strict=True))
        for name in ("weight", "points"):
            cell = row[names.index(name)] if name in names else ""
            if cell.isdigit():
                values[name] = int(cell)
        if "score" in names:
            values["score"] = row[names.index("score")].replace(" ", "")
        yield values


def _cross_check(c: Contract, where: str) -> None:
    ids = [x.id for x in c.criteria]
    for name in ids:
        if ids.count(name) > 1:
            raise TaskError(f"criterion {name!r} stands twice", where=f"{where}, Criteria")
    if not any(x.kind == "required" for x in c.criteria):
        raise TaskError(
            "no criterion is required: doing nothing would pass",
            where=f"{where}, Criteria",
            expected="at least one row of kind required",
        )
    _check_weights(c, f"{where}, Criteria")
    if c.front.timed_by not in (None, *(x.id for x in c.criteria if x.kind == "required")):
        raise TaskError(
            f"the errand is timed by {c.front.timed_by!r}, which is no required criterion",
            where=f"{where}, timed_by",
            expected=", ".join(x.id for x in c.criteria if x.kind == "required"),
        )
    for row in c.wrong:
        if row.fails_at not in ids:
            raise TaskError(
                f"wrong result {row.name!r} fails at {row.fails_at!r}, which is no criterion",
                where=f"{where}, Wrong results",
                expected=", ".join(ids),
            )
    unused = [name for name in ids if name not in {w.fails_at for w in c.wrong}]
    if unused:
        raise TaskError(
            f"no wrong result fails at {unused[0]!r}",
            where=f"{where}, Wrong results",
            expected="at least one realistic wrong result a criterion",
        )
    for app in c.front.apps:
        if app not in c.front.services and app not in ("clock", "people"):
            raise TaskError(
                f"app {app!r} has no entry under services",
                where=f"{where}, services",
                expected=f"[services.{app}]",
            )
    for app, service in c.front.services.items():
        if both := set(service.scopes) & set(service.withheld):
            raise TaskError(
                f"scope {min(both)!r} is granted and withheld",
                where=f"{where}, services.{app}",
                expected="each scope under one of the two",
            )


def _check_weights(c: Contract, where: str) -> None:
    """Milestones are worth 100 together, and nothing else is worth anything; of everyday rows five weigh 2 and the
    others nothing; elsewhere every row weighs something."""
    if c.front.protocol == "everyday":
        five = [x.id for x in c.criteria if x.weight == WEIGHT]
        if len(five) != COUNT:
            raise TaskError(f"{len(five)} criteria weigh {WEIGHT}", where=where, expected=f"exactly {COUNT}")
        if odd := [x.id for x in c.criteria if x.weight not in (0, WEIGHT)]:
            raise TaskError(
                f"criterion {odd[0]!r} weighs something else", where=where, expected=f"{WEIGHT}, or 0 beside"
            )
        return
    if c.front.protocol != "milestones":
        if light := [x.id for x in c.criteria if x.weight == 0]:
            raise TaskError(f"criterion {light[0]!r} has no weight", where=where, expected="1 to 100")
        return
    if bare := [x.name for x in c.wrong if x.points is None]:
        raise TaskError(f"wrong result {bare[0]!r} has no points", where=where, expected="0 to 100")
    whole = sum(x.weight for x in c.criteria if x.kind == "required")
    if whole != 100:
        raise TaskError(
            f"the required criteria are worth {whole} points together", where=where, expected="100"
        )
    if heavy := [x.id for x in c.criteria if x.kind != "required" and x.weight]:
        raise TaskError(
            f"criterion {heavy[0]!r} is no milestone and has a weight",
            where=where,
            expected="0: what is prohibited makes all points zero, other kinds cost the strict pass alone",
        )
