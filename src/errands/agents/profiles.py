"""Profiles: how a command-line agent is started, told, heard and kept to the exam's tools. Data files, not code.

A profile is a TOML file; ours lie in `profiles/` beside this module, and a copy with another name is a profile of
your own (`cmd:path/to/mine.toml`). In words, variables and files `${…}` stands for:

    prompt      what is said to the agent in this turn; where no word holds it, it goes to standard input
    model       the model that was named behind @ (`cmd:codex@gpt-5`); where none was named, a word, a variable or
                a line of a file that holds it is left out
    model_url, model_key    the base URL of its model behind the exam's proxy, and the key that is good there
    mcp_url, mcp_secret     the errand's MCP server over HTTP; the secret is a bearer token
    mcp_socket, relay, python   the same over stdio: start `${python} ${relay} stdio ${mcp_socket}`
    workspace, home, turn, date, zone    folders inside, number of the turn, the world's date and zone
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from errands.core.canon import sha256
from errands.core.errors import UsageError
from errands.core.usage import Usage

NAMES = (
    "prompt", "model", "model_url", "model_key", "mcp_url", "mcp_secret", "mcp_socket", "relay", "python",
    "workspace", "home", "turn", "date", "zone",
)  # fmt: skip
_SLOT = re.compile(r"\$\{(\w+)\}")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Found(_Strict):
    """Where something stands in an agent's output: in its JSON, or in the last JSON line whose fields are these."""

    path: str = ""
    where: dict[str, str] = {}

    def values(self, data: Any) -> Iterator[Any]:
        """What stands there: in one object, or in each line or element that fits."""
        for row in data if isinstance(data, list) else [data]:
            if all(str(at(row, k)) == v for k, v in self.where.items()):
                found = at(row, self.path)
                if found is not None:
                    yield found


class Reply(Found):
    """How the agent's words to its user are read: from its output, or from a file (`~/…` or `./…`) that it writes.

    `error`: where it says that these are no reply but a failure.
    """

    source: Literal["stdout", "json", "jsonl", "file"] = Field(default="stdout", alias="from")
    error: str = ""

    @model_validator(mode="after")
    def _place(self) -> Reply:
        if self.source == "file":
            place(self.path, "/home", "/work")
        return self

    def read(self, stdout: str) -> str | None:
        """The reply in what it has printed, or None where there is none."""
        if self.source == "stdout":
            return stdout.strip()
        data = parsed(stdout, lines=self.source == "jsonl")
        if self.error and any(Found(path=self.error, where=self.where).values(data)):
            return None
        texts = [t for t in self.values(data) if isinstance(t, str)]
        return texts[-1].strip() if texts else None


class Report(Found):
    """Where the agent says what it used. Only a cross-check: the proxy counts. Paths lie below `path`.

    `within`: its input counts what was read from or written to a cache too. `each`: every such line is of one call,
    to be added up.
    """

    input: str = ""
    cache_read: str = ""
    cache_write: str = ""
    output: str = ""
    cost: str = ""
    within: bool = False
    each: bool = False

    def read(self, stdout: str) -> dict[str, Any] | None:
        """Tokens by class and US dollars as the agent has them; None where it says nothing."""
        rows = list(self.values(parsed(stdout, lines=True) or parsed(stdout, lines=False)))
        rows = rows if self.each else rows[-1:]
        if not rows:
            return None
        total = Usage()
        for row in rows:
            read, write = _n(row, self.cache_read), _n(row, self.cache_write)
            new = _n(row, self.input) - (read + write if self.within else 0)
            total += Usage(max(0, new), read, write, _n(row, self.output), 0)
        cost = at(rows[-1], self.cost) if self.cost else None
        tokens = {k: v for k, v in total.to_dict().items() if k != "requests"}
        return {"tokens": tokens, **({"cost_usd": str(cost)} if cost is not None else {})}


class Proven(_Strict):
    """The run that showed that the profile works: with which version, when, and where its record is kept."""

    version: str
    date: str
    run: str


class Profile(_Strict):
    """One way to run a command-line agent."""

    about: str
    install: str = ""
    program: str = ""
    version: tuple[str, ...] = ()
    provider: Literal["", "openai", "anthropic"] = ""
    wire: Literal["", "chat", "responses", "messages"] = ""
    needs_model: bool = False
    first: tuple[str, ...]
    next: tuple[str, ...] | None = None
    fresh: tuple[str, ...] | None = None
    env: dict[str, str] = {}
    files: dict[str, str] = {}
    own_tools: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reply: Reply = Reply()
    usage: Report | None = None
    proven: Proven | None = None

    @field_validator("first", "next", "fresh", "env", "files")
    @classmethod
    def _slots(cls, value: Any) -> Any:
        """Names between `${` and `}` must be ours."""
        for name in _SLOT.findall(json.dumps(value, ensure_ascii=False)):
            if name not in NAMES:
                near = get_close_matches(name, NAMES, n=1)
                hint = f"did you mean ${{{near[0]}}}?" if near else f"expected one of {', '.join(NAMES)}"
                raise ValueError(f"there is no ${{{name}}}; {hint}")
        return value

    @field_validator("files")
    @classmethod
    def _places(cls, value: dict[str, str]) -> dict[str, str]:
        """Files are written into the home or the workspace, and nowhere else."""
        for path in value:
            place(path, "/home", "/work")
        return value

    @field_validator("memory")
    @classmethod
    def _below_home(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for path in value:
            if path.startswith(("/", "~")) or ".." in Path(path).parts or not Path(path).parts:
                raise ValueError(f"{path!r} is no path below the home")
        return value

    @property
    def status(self) -> str:
        """`proven` with its version, or `untested`."""
        return f"proven with {self.proven.version}" if self.proven else "untested"

    def status_of(self, version: str) -> str:
        """The same for the version at hand: what was proven with another is untested with this one."""
        if self.proven is None or self.proven.version == version:
            return self.status
        return f"untested with {version or 'this version'} ({self.status})"

    def words(self, argv: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
        """The words of a command line."""
        return [fill(w, values) for w in argv if not _unnamed(w, values)]

    def variables(self, values: Mapping[str, str]) -> dict[str, str]:
        """The variables that the agent gets beside the plain ones."""
        return {k: fill(v, values) for k, v in self.env.items() if not _unnamed(v, values)}

    def written(self, values: Mapping[str, str]) -> dict[str, str]:
        """The files that are laid out for it: path as in the profile, and text."""
        out = {}
        for path, text in self.files.items():
            lines = [line for line in text.splitlines(keepends=True) if not _unnamed(line, values)]
            out[path] = fill("".join(lines), values)
        return out

    def uses(self, name: str) -> bool:
        """Whether `${name}` stands anywhere in it."""
        texts = [
            *self.first,
            *(self.next or ()),
            *(self.fresh or ()),
            *self.env.values(),
            *self.files.values(),
        ]
        return any(f"${{{name}}}" in t for t in texts)


# ---- finding and reading them ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Named:
    """A profile by its name (of ours) or its file's, and the digest of its text."""

    name: str
    profile: Profile
    digest: str


def names() -> list[str]:
    """Our own profiles."""
    ours = files("errands.agents").joinpath("profiles")
    return sorted(f.name.removesuffix(".toml") for f in ours.iterdir() if f.name.endswith(".toml"))


def load_profile(name: str) -> Named:
    """One of ours by its name, or a file; raises `UsageError` that says what is wrong in it."""
    if not name.endswith(".toml"):
        if name not in names():
            near = get_close_matches(name, names(), n=1)
            raise UsageError(
                f"there is no profile {name!r}",
                expected=f"{', '.join(names())}, or the path of a .toml file",
                do=f"did you mean {near[0]}?" if near else "see `errands profiles`",
            )
        where = f"profile {name}"
        text = files("errands.agents").joinpath("profiles", f"{name}.toml").read_text("utf-8")
    else:
        where = name
        try:
            text = Path(name).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as why:
            raise UsageError(
                f"the profile cannot be read: {getattr(why, 'strerror', None) or why}", where=name
            ) from None
    profile = _parse(text, where)
    if (
        profile.proven
        and name.endswith(".toml")
        and not Path(name).parent.joinpath(profile.proven.run).exists()
    ):
        profile = profile.model_copy(update={"proven": None})  # a copy: that run was of another profile
    return Named(Path(name).name.removesuffix(".toml"), profile, sha256(text.encode()))


def _parse(text: str, where: str) -> Profile:
    try:
        return Profile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as why:
        raise UsageError(f"this is no TOML: {why}", where=where) from None
    except ValidationError as why:
        first = min(
            why.errors(), key=lambda e: e["type"] == "missing"
        )  # the misspelt key before the missing one
        place_ = ".".join(str(p) for p in first["loc"])
        hint = ""
        if first["type"] == "extra_forbidden":
            known = [f.alias or n for n, f in Profile.model_fields.items()]
            near = get_close_matches(str(first["loc"][-1]), known, n=1)
            hint = f"did you mean {near[0]}?" if near else ""
        message = "there is no such key" if first["type"] == "extra_forbidden" else first["msg"]
        raise UsageError(message, where=f"{where}: {place_}", do=hint) from None


# ---- small parts -------------------------------------------------------------------------------------------------


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with values in place of `${…}`; what a value holds is never filled again."""
    return _SLOT.sub(lambda m: values.get(m[1], ""), text)


def _unnamed(text: str, values: Mapping[str, str]) -> bool:
    return "${model}" in text and not values.get("model")


def place(path: str, home: str, workspace: str) -> str:
    """Where a profile's path (`~/…` or `./…`) lies, given the two folders; `ValueError` for any other."""
    root, _, rest = path.partition("/")
    if root not in ("~", ".") or not rest or ".." in Path(rest).parts:
        raise ValueError(f"{path!r} lies neither below ~/ (the home) nor below ./ (the workspace)")
    return f"{home if root == '~' else workspace}/{rest}"


def at(data: Any, path: str) -> Any:
    """What stands at a dotted path in JSON; None where there is nothing."""
    for part in path.split(".") if path else ():
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and re.fullmatch(r"-?\d+", part) and -len(data) <= int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def parsed(stdout: str, *, lines: bool) -> Any:
    """Output as JSON: as one value (of its last line where other lines come first), or a list of all JSON lines."""
    if not lines:
        whole = _json(stdout)
        return whole if whole is not None else next(reversed(parsed(stdout, lines=True)), None)
    values = [_json(line) for line in stdout.splitlines() if line.lstrip()[:1] in ("{", "[")]
    return [row for v in values if v is not None for row in (v if isinstance(v, list) else [v])]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _n(row: Any, path: str) -> int:
    value = at(row, path) if path else None
    return value if type(value) is int and value >= 0 else 0
