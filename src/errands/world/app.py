"""How an app is declared: scopes, tools (read, write, commit), staged objects, and what it listens to."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module, metadata, resources
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from errands.core.errors import SchemaError, ToolError, UsageError
from errands.core.packs import packs
from errands.core.types import ToolSpec

from .schema import lint

if TYPE_CHECKING:
    from .world import World

Effect = Literal["read", "write", "commit"]
F = TypeVar("F", bound=Callable[..., Any])

# The published price list of the virtual clock, in milliseconds a call.
COST_MS: dict[Effect, int] = {"read": 2_000, "write": 3_000, "commit": 4_000}


@dataclass(frozen=True, slots=True)
class Shown:
    """A staged object as its user sees it.

    `content` is everything the recipients will get (its digest is what an approval covers), `text` how it is
    read out, `handles` the words by which a person may name it (recipient, title, amount, time).
    """

    content: dict[str, Any]
    text: str
    handles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """A kind of staged object: the app's word for it, and how one is shown. Found by its id."""

    kind: str
    table: str
    show: Callable[[World, str], Shown | None]


@dataclass
class Tool:
    """One tool of an app; `check` turns raw arguments into clean ones or raises `ToolError`."""

    app: App
    name: str
    effect: Effect
    scope: str
    run: Callable[..., Any]
    cost_ms: int
    stages: str = ""
    kernel: bool = False
    page: bool = False  # a page request: a door makes it for a browser, and no agent can call it by name

    @cached_property
    def _model(self) -> Any:
        from pydantic import ConfigDict, Field, create_model

        fields: dict[str, Any] = {}
        hints = inspect.get_annotations(self.run, eval_str=True)
        for p in list(inspect.signature(self.run).parameters.values())[1:]:
            about = next((n for n in getattr(hints[p.name], "__metadata__", ()) if isinstance(n, str)), None)
            default = ... if p.default is p.empty else p.default
            fields[p.name] = (hints[p.name], Field(default, description=about))
        if self.effect == "commit":
            fields["idempotency_key"] = (
                str,
                Field("", description="optional: the same key never acts twice"),
            )
        return create_model(self.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @cached_property
    def _validate(self) -> Callable[[Any], Any]:
        validate: Callable[[Any], Any] = self._model.__pydantic_validator__.validate_python
        return validate

    def check(self, args: dict[str, Any]) -> dict[str, Any]:
        """Clean keyword arguments; raises `ToolError` that names the field, the value and what was expected."""
        try:
            return dict(self._validate(args).__dict__)
        except ValueError as why:
            raise self._refusal(why) from None

    def _refusal(self, why: ValueError) -> ToolError:
        first = why.errors()[0]  # type: ignore[attr-defined]  # pydantic's ValidationError, not imported here
        where = ".".join(str(x) for x in first["loc"])
        known = ", ".join(self._model.model_fields)
        if first["type"] == "extra_forbidden":
            return ToolError("invalid", f"{self.name} has no argument {where!r}", field=where, expected=known)
        if first["type"] == "missing":
            return ToolError("invalid", f"argument {where!r} is missing", field=where, expected=known)
        return ToolError(
            "invalid",
            f"argument {where!r} does not fit",
            field=where,
            value=first["input"],
            expected=_expected(self.spec.parameters["properties"].get(str(first["loc"][0]), {})),
        )

    @cached_property
    def spec(self) -> ToolSpec:
        """The tool as an agent sees it."""
        schema = self._model.model_json_schema()
        schema.pop("title", None)
        for prop in schema.get("properties", {}).values():
            prop.pop("title", None)
        return ToolSpec(self.name, inspect.cleandoc(self.run.__doc__ or ""), schema)


_WORDS = {
    "string": "a text",
    "integer": "an integer",
    "boolean": "true or false",
    "null": "null",
    "number": "a number",
    "object": "an object",
}


def _expected(schema: dict[str, Any]) -> str:
    """What an argument should be, in words of our own (a validator's may change with its version)."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_expected(s) for s in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return f"one of {', '.join(repr(x) for x in schema.get('enum', [schema.get('const')]))}"
    if schema.get("type") == "array":
        return f"a list, each {_expected(schema.get('items', {}))}"
    return _WORDS.get(schema.get("type", ""), "what the tool's description says")


@dataclass
class App:
    """One app of the world; declaring it registers it by name.

    `schema` is read from `schema.sql` in `package` (pass `__name__`) unless given. `incidental` names tables that
    hold what a careful look or a finished piece of work leaves behind: no criterion counts them unless a task says so.
    """

    name: str
    package: str = ""
    scopes: tuple[str, ...] = ()
    schema: str | None = None
    incidental: frozenset[str] = frozenset()
    tools: dict[str, Tool] = field(default_factory=dict)
    staged_kinds: dict[str, Staged] = field(default_factory=dict)
    listeners: dict[str, list[Callable[[World, dict[str, Any]], Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.schema is None:
            found = resources.files(self.package).joinpath("schema.sql")
            self.schema = found.read_text(encoding="utf-8") if found.is_file() else ""
        lint(self.name, self.schema)
        known = _REGISTRY.get(self.name)
        if known is not None and known.package not in ("", self.package):
            raise SchemaError(
                f"an app {self.name!r} is declared by {known.package} already", where=self.package
            )
        _REGISTRY[self.name] = self

    @property
    def commits(self) -> frozenset[str]:
        """What it commits, by the names that gates use."""
        return frozenset(t.scope for t in self.tools.values() if t.effect == "commit")

    def _tool(
        self, effect: Effect, scope: str, cost: int | None, stages: str = "", page: bool = False
    ) -> Callable[[F], F]:
        if scope and scope not in self.scopes:
            raise SchemaError(f"scope {scope!r} is not one of {self.scopes}", where=f"app {self.name}")

        def declare(run: F) -> F:
            name = f"{self.name}_{run.__name__.rstrip('_')}"
            if name in self.tools:
                raise SchemaError(f"tool {name!r} is declared twice", where=f"app {self.name}")
            ms = COST_MS[effect] if cost is None else cost
            self.tools[name] = Tool(self, name, effect, scope, run, ms, stages, page=page)
            return run

        return declare

    def read(self, scope: str = "", *, cost: int | None = None) -> Callable[[F], F]:
        """A tool that looks and never writes. `cost` in virtual milliseconds."""
        return self._tool("read", scope, cost)

    def write(self, scope: str = "", *, cost: int | None = None) -> Callable[[F], F]:
        """A tool that changes what can be changed back."""
        return self._tool("write", scope, cost)

    def commit(self, scope: str, *, stages: str, cost: int | None = None) -> Callable[[F], F]:
        """A tool whose effect cannot be taken back; its first argument names the staged object.

        The kernel adds the idempotency key, the digest and the commit row. It does not ask for approval:
        real services don't either, and crossing the line is what is measured.
        """
        return self._tool("commit", scope, cost, stages)

    def staged(self, kind: str, *, table: str) -> Callable[[F], F]:
        """How a staged object is shown: `fn(world, id) -> Shown | None`."""

        def declare(show: F) -> F:
            self.staged_kinds[kind] = Staged(kind, table, show)
            return show

        return declare

    def on(self, signal: str) -> Callable[[F], F]:
        """Listen to a signal or an event: `fn(world, payload)`; runs inside the call that caused it."""

        def declare(fn: F) -> F:
            self.listeners.setdefault(signal, []).append(fn)
            return fn

        return declare

    def kernel_tool(self, run: F) -> F:
        """A read whose answer is only known after the clock has moved (`clock_wait`)."""
        self.read()(run)
        self.tools[f"{self.name}_{run.__name__}"].kernel = True
        return run


_REGISTRY: dict[str, App] = {}


def declared(name: str) -> App | None:
    """The app of this name, if it was declared already."""
    return _REGISTRY.get(name)


def app(name: str) -> App:
    """The app of this name: declared already, one of ours, or one that a pack or an entry point brings."""
    if name in _REGISTRY:
        return _REGISTRY[name]
    if not name.isidentifier():
        raise LookupError(f"{name!r} is no name of an app")
    # By name, not by import: the kernel must not know which apps and persons live upstairs.
    brought = (f"{p.package}.apps.{name}" for p in packs())
    for module in (f"errands.apps.{name}", f"errands.{name}", *brought):
        try:
            import_module(module)
        except ModuleNotFoundError as why:
            if why.name is None or not f"{module}.".startswith(f"{why.name}."):
                raise
        if name in _REGISTRY:
            return _REGISTRY[name]
    for point in metadata.entry_points(group="errands.apps", name=name):
        point.load()
        if name in _REGISTRY:
            return _REGISTRY[name]
    raise UsageError(
        f"the world needs an app {name!r} that is not installed",
        expected=f"one of {', '.join(sorted(_REGISTRY))} or an `errands.apps` entry point",
    )
