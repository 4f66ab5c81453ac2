"""Command-line agents: any program, in a sandbox of its own, with the errand's MCP server and its model by proxy.

cmd:claude-code             a profile of ours, by name (`errands profiles`)
cmd:codex@gpt-5             the same with a model
cmd:path/to/mine.toml       a profile of your own
cmd:"python my_agent.py"    any program: message on standard input, reply on standard output
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from errands.core.errors import ErrandsError, UsageError
from errands.exam.desk import Desk, ExamFault
from errands.exam.sitting import Sitting
from errands.exam.terms import Terms
from errands.tasks.task import Instance, Task

from .profiles import Named, load_profile, names

if TYPE_CHECKING:
    from errands.doors.proxy import Upstream
    from errands.exam.sandbox import Places, Sandbox

INSTALL = "pip install 'errands[mcp]'"
RUNS = "errands-runs"
BASE, KEY = "ERRANDS_MODEL_BASE_URL", "ERRANDS_MODEL_API_KEY"
# Base URL, and the variables by which the providers' own clients know base URL and key.
PROVIDERS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}
_NAMED = re.compile(r"(?P<name>[^\s@]+?)(?:@(?P<model>\S+))?")


class SandboxTrouble(ExamFault):
    """The sandbox could not be made, or was not tight."""

    reason = "sandbox_fault"


@dataclass(frozen=True, slots=True)
class Spec:
    """What stands behind `cmd:`: a profile, the program's words, and the model."""

    named: Named
    words: tuple[str, ...]
    model: str = ""


def read_spec(rest: str, profile: str = "") -> Spec:
    """Read a profile's name or path, with a model behind @, or a program with arguments.

    `profile`: the one to go by whatever stands in `rest`, which is then its program.
    """
    try:
        words = tuple(shlex.split(rest))
    except ValueError as why:
        raise UsageError(f"this is no command line: {why}", where=f"cmd:{rest}") from None
    if not words:
        raise UsageError(
            "nothing stands behind cmd:",
            expected=f"a program with its arguments, or a profile: {', '.join(names())}",
            do="see `errands profiles`",
        )
    if profile:
        name, _, model = profile.partition("@")
        return Spec(load_profile(name), words, model)
    found = _NAMED.fullmatch(words[0])
    if len(words) == 1 and found and (found["name"] in names() or found["name"].endswith(".toml")):
        named = load_profile(found["name"])
        return Spec(named, tuple(shlex.split(named.profile.program)), found["model"] or "")
    return Spec(load_profile("plain"), words)


class CommandAgent:
    """A program that is started once a turn. It is found, and its sandbox tried, when it is loaded."""

    trusted = False
    own_word = False
    preload: tuple[str, ...] = ()
    cost_usd: float | None = None

    def __init__(self, name: str, rest: str, terms: Terms):
        self.name, self.terms = name, terms
        self.spec = read_spec(rest, terms.profile)
        self.isolation = "unsafe-host" if terms.unsafe_host else "sandbox"
        self.version = ""
        self.argv: tuple[str, ...] = ()
        self.reads: tuple[Path, ...] = ()
        self.upstreams: Mapping[str, Upstream] = {}
        self._sandbox: Sandbox | None = None

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """The program, its endpoint and price, and its sandbox."""
        self.load()

    def load(self) -> None:
        """Find the program, its endpoint and its price, and try its sandbox; raises `UsageError`."""
        _needs_mcp()
        spec, profile = self.spec, self.spec.named.profile
        if not spec.words:
            raise UsageError(
                f"the profile {spec.named.name} has no program of its own", do='name one: cmd:"program args"'
            )
        if profile.needs_model and not spec.model:
            raise UsageError(
                f"{spec.named.name} needs a model",
                where=self.name,
                do=f"name it: cmd:{spec.named.name}@MODEL",
            )
        self.sandbox().check()
        self.argv = _on_disk(spec)
        self.upstreams = upstreams(profile.provider, os.environ)
        self._priced()
        self.reads = self._readable()
        self.version = self._tried()

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Run the program turn by turn; all that it started is dead when this returns."""
        from errands.exam.sandbox import SandboxFault

        from .command_attempt import Attempt

        if not self.argv:
            self.load()
        try:
            with Attempt(self, sitting, desk) as attempt:
                attempt.run()
        except UsageError as why:  # what `load` has found good is not so here
            raise SandboxTrouble(why.what, where=why.where, expected=why.expected, do=why.do) from why
        except SandboxFault as why:
            raise SandboxTrouble(why.what, where=why.where, do=why.do) from why
        except ErrandsError:
            raise
        except Exception as why:  # a thread has nobody else to tell
            raise ExamFault(f"the driver broke: {type(why).__name__}: {why}") from why

    def sandbox(self, desk: Desk | None = None) -> Sandbox:
        """How its program is kept apart; a desk names the places that its attempt must not see."""
        from errands.exam.sandbox import open_sandbox

        if desk is None and self._sandbox is not None:
            return self._sandbox
        found = open_sandbox("unsafe-host" if self.terms.unsafe_host else "bubblewrap", _places(desk))
        if desk is None:
            self._sandbox = found
        return found

    # ---- parts of loading ----------------------------------------------------------------------------------

    def _readable(self) -> tuple[Path, ...]:
        """What the program may read of this machine: itself, what the profile and the operator name."""
        from errands.exam.sandbox import program_reads

        found = list(program_reads(self.argv[0]))
        found += [Path(w) for w in self.argv[1:] if Path(w).is_absolute() and Path(w).exists()]
        for more in (*self.spec.named.profile.reads, *self.terms.reads):
            path = Path(more).expanduser().absolute()
            if not path.exists():
                raise UsageError("there is nothing there", where=str(path), expected="a folder for --reads")
            found.append(path)
        return tuple(dict.fromkeys(found))

    def _tried(self) -> str:
        """Start it once in a box that has nothing, to see that the box can be and which version it is."""
        from errands.exam.sandbox import Box

        asks = self.spec.named.profile.version
        with tempfile.TemporaryDirectory(prefix="errands-", ignore_cleanup_errors=True) as folder:
            box = Box(made(folder, "work"), made(folder, "home"), self.reads)
            argv = [self.argv[0], *asks] if asks else ["true"]
            ran = self.sandbox().start(argv, box=box, env={}, timeout=60)
        said = (ran.stdout.strip() or ran.stderr.strip()).decode("utf-8", "replace")
        if asks and (ran.code or not said):
            raise UsageError(
                f"it does not start: exit code {ran.code}: {said[-300:]}",
                where=shlex.join(argv),
                expected="its version",
                do=self.spec.named.profile.install and f"install it: {self.spec.named.profile.install}",
            )
        return said.splitlines()[-1][:200] if asks else ""

    def _priced(self) -> None:
        """With a limit on cost, the price must be known before anything is planned."""
        from .meter import price_of

        if self.terms.max_cost is None or not self.upstreams:
            return
        if not self.spec.model and self.spec.named.profile.provider:
            raise UsageError(
                "--max-cost is refused: the model is not named, so nobody knows its price",
                where=self.name,
                do=f"name it (cmd:{self.spec.named.name}@MODEL), or use --max-tokens",
            )
        if self.spec.model and all(price_of(u, self.spec.model) is None for u in self.upstreams.values()):
            raise UsageError(
                f"--max-cost is refused: nobody knows the price of {self.spec.model}",
                where=self.name,
                do="use --max-tokens, or name the price in a file (ERRANDS_PRICES)",
            )


def upstreams(provider: str, environ: Mapping[str, str]) -> dict[str, Upstream]:
    """The model endpoints that an agent may reach: one of the operator's own, or those whose key is there.

    `provider`: the one that the profile speaks to; empty is any. `UsageError` where it has no key.
    """
    from errands.doors.proxy import Upstream

    if environ.get(BASE):
        return {"model": Upstream(environ[BASE], environ.get(KEY, ""))}
    found = {}
    for name, (base, base_name, key_name) in PROVIDERS.items():
        own = environ.get(KEY, "") if name == provider else ""
        key = own or environ.get(key_name, "")
        if key and provider in ("", name):
            found[name] = Upstream(environ.get(base_name) or base, key)
    if provider and not found:
        raise UsageError(
            "there is no key for its model",
            where=provider,
            expected=f"{PROVIDERS[provider][2]} in the environment",
            do=f"or name an endpoint that speaks the same: {BASE} and {KEY}",
        )
    return found


def _needs_mcp() -> None:
    try:
        import errands.doors.mcp  # noqa: F401
    except ImportError as why:
        raise UsageError(f"the MCP server is not installed ({why.name})", do=INSTALL) from None


def _on_disk(spec: Spec) -> tuple[str, ...]:
    """The program's words, with the program and files of this folder by their full paths."""
    program, *rest = spec.words
    found = shutil.which(program)
    if found is None:
        install = spec.named.profile.install
        near = get_close_matches(program.partition("@")[0], names(), n=1, cutoff=0.75)
        hint = f"did you mean cmd:{near[0]}?" if near else f"profiles are: {', '.join(names())}"
        raise UsageError(
            f"there is no program {program!r}",
            where=f"profile {spec.named.name}",
            expected="a program on the PATH, or its path",
            do=f"install it: {install}" if install else hint,
        )
    full = str(Path(found).absolute())
    return (full, *(str(Path(w).absolute()) if Path(w).is_file() else w for w in rest))


def _places(desk: Desk | None) -> Places:
    """What lies on this machine that the agent must not see, beside the exam itself."""
    from errands.exam.sandbox import Places

    runs = [Path(RUNS).absolute()] if Path(RUNS).is_dir() else []
    boxes: list[Path] = []
    if desk is not None:
        runs += [desk.spend.file.parent] if desk.spend is not None else []
        scratch = desk.scratch
        boxes = [p for p in scratch.parent.glob("errands-*") if p != scratch and p.is_dir()][:64]
    return Places(runs=tuple(runs), boxes=tuple(boxes))


def made(folder: str | Path, name: str) -> Path:
    """A new folder in a folder."""
    path = Path(folder, name)
    path.mkdir()
    return path
