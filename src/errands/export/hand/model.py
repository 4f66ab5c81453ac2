"""The files of a run by hand: run sheet, manifest and record. Unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from errands.core.types import Kind, Result

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Seconds = Annotated[float, Field(ge=0)]
Protocol = Literal["contract", "everyday", "milestones", "criteria"]


class Part(BaseModel):
    """Part of such a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Prompt(Part):
    """What the product is told, word by word, and the digest of the fixture that goes with this language."""

    language: str
    text: str
    fixture: Sha


class Account(Part):
    """What is put into an account before the run: how, a step each; `files` are how many lie below `folder`."""

    app: str
    folder: str
    files: int
    how: tuple[str, ...]


Act = Literal["prompt", "say", "new conversation", "put in", "notice", "access", "end"]


class Step(Part):
    """Something the tester does: `after_s` seconds after the prompt; `at` is the world's own time then (ISO 8601)."""

    after_s: int
    at: str
    act: Act
    text: str
    files: tuple[str, ...] = ()


class Line(Part):
    """What a person of the world says, and when."""

    when: str
    says: str


class Phrases(Part):
    """The words of a person in one language; braces are filled with what was shown, told or refused."""

    language: str
    lines: tuple[Line, ...]


class Script(Part):
    """A person whom the tester plays: what is told only when it is asked for, what is approved and what refused."""

    person: str
    goal: str
    lines: tuple[Line, ...]
    phrases: tuple[Phrases, ...]


class Example(Part):
    """A realistic wrong result, and what it earns at a criterion (None where the protocol has no points there)."""

    points: int | None
    what: str


class Row(Part):
    """A criterion. `earns` says what 2, 1 and 0 stand for, where it counts among the five of the everyday protocol."""

    id: str
    kind: Kind
    weight: int
    result: str
    evidence: str
    check: str
    met_when: str
    earns: dict[Literal["2", "1", "0", "not observed"], str] = Field(default_factory=dict)
    examples: tuple[Example, ...] = ()


class Sheet(Part):
    """The run sheet: all that a tester needs. It holds the criteria, and so is never shown to the product."""

    kind: Literal["errands.hand.sheet"] = "errands.hand.sheet"
    format: Literal[1] = 1
    canary: str
    task: str
    number: str
    title: str
    suite: str
    protocol: Protocol
    edition: int
    market: str
    variant: int
    zone: str
    begins: str
    until: str | None
    timeout_s: int
    turn_limit: int
    owner: str
    owner_address: str
    prompts: tuple[Prompt, ...]
    accounts: tuple[Account, ...]
    steps: tuple[Step, ...]
    scripts: tuple[Script, ...]
    faults: tuple[str, ...]
    final_state: str
    boundary: tuple[str, ...]
    this_variant: str
    unscored_when: str
    criteria: tuple[Row, ...]
    nothing: str


class Manifest(Part):
    """Every file of an exported fixture by its SHA-256, but for itself and for what the tester adds."""

    kind: Literal["errands.hand.manifest"] = "errands.hand.manifest"
    format: Literal[1] = 1
    task: str
    market: str
    variant: int
    fixtures: dict[str, Sha]
    digest: Sha
    files: dict[str, Sha]


class Product(Part):
    """What was tried: its name and version as it shows them, and the plan that the account has."""

    name: str | None = None
    version: str | None = None
    plan: str | None = None


class Help(Part):
    """Help that a person gave: when (seconds after the prompt), what, and the criteria that it touched."""

    after_s: Seconds | None = None
    what: str = Field(min_length=1)
    criteria: tuple[str, ...] = Field(min_length=1)


class Judged(Part):
    """What a criterion earned: `points` for the five of the everyday protocol, else `result`.

    One of the five that could not be observed has no points and the result `not_observed`.
    """

    id: str
    points: Literal[0, 1, 2] | None = None
    result: Result | None = None
    note: str = ""


class Kept(Part):
    """A file of the evidence, below `archive/`, and what it is."""

    path: Annotated[str, Field(pattern=r"^archive/[^/]")]
    what: Literal["transcript", "output", "timing", "other"]


class Record(Part):
    """What a tester writes down of one attempt. Null is what is not filled in yet."""

    kind: Literal["errands.hand.record"] = "errands.hand.record"
    format: Literal[1] = 1
    task: str
    edition: int
    market: str
    variant: int
    protocol: Protocol
    language: str | None = None
    fixture: Sha | None = None
    product: Product = Product()
    device: str | None = None
    environment: str | None = None
    tester: str | None = None
    date: str | None = None
    attempt: Annotated[int, Field(ge=1)] | None = None
    clock: Literal["set to the world's", "real"] | None = None
    began: str | None = None
    blocked: bool | None = None
    blocked_why: str | None = None
    first_response_s: Seconds | None = None
    completed: bool | None = None
    completed_s: Seconds | None = None
    window_watched: bool | None = None
    helped: bool | None = None
    help: tuple[Help, ...] = ()
    criteria: tuple[Judged, ...]
    archive: tuple[Kept, ...] = ()
    redacted: bool | None = None
    notes: str = ""
