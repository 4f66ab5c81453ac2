"""One attempt of a command-line agent: its doors, its box, and its program, turn by turn."""

from __future__ import annotations

import errno
import json
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from errands.core.clock import from_ms
from errands.core.errors import ClosedError
from errands.core.types import Turn
from errands.exam.desk import Desk, ExamFault, remove
from errands.exam.sandbox import Box, Ran, SandboxFault
from errands.exam.sitting import Sitting

from .command import SandboxTrouble, made
from .drawn import drawn
from .memory import lay_out, remembered
from .meter import Meter
from .profiles import place

if TYPE_CHECKING:
    from errands.doors.mcp_server import Endpoint, Event

    from .command import CommandAgent

MCP_PORT, MODEL_PORT = 7301, 7302
SPARE_S = 30.0  # beyond the attempt's wall time, which is ended from outside
TAIL = 16_000  # bytes of a turn's output that are kept
MAX_LOG = 1 << 20
SHOWN = 64 << 10  # bytes of its own memory that are put on record after a turn
# Clients tell their model the date of this machine, which is not the world's.
DATED = {
    "en": "(It is {weekday}, {date}, {time} in {zone}. Go by this date, not by your computer's clock.)",
    "ko": "(지금은 {zone} 시간으로 {date} {time}입니다. 컴퓨터 시계가 아니라 이 날짜를 기준으로 해 주세요.)",
    "ja": "（現在は{zone}の時刻で{date} {time}です。コンピューターの時計ではなく、この日付を基準にしてください。）",
    "zh-Hant": "（現在是{zone}時間 {date} {time}。請以這個日期為準，不要看電腦的時鐘。）",
    "th": "(ขณะนี้คือ {date} เวลา {time} ตามเวลา {zone} โปรดยึดวันที่นี้ ไม่ใช่นาฬิกาของคอมพิวเตอร์)",
    "ar": "(الآن {date} الساعة {time} بتوقيت {zone}. اعتمد هذا التاريخ لا ساعة حاسوبك.)",
}


class Attempt:
    """A context: doors are open and the box is made inside it, and all is closed and dead after it."""

    def __init__(self, agent: CommandAgent, sitting: Sitting, desk: Desk):
        self.agent, self.sitting, self.desk = agent, sitting, desk
        self.profile = agent.spec.named.profile
        self.key, self.secret = f"errands-{secrets.token_urlsafe(24)}", secrets.token_urlsafe(32)
        self.over = threading.Event()
        self.sandbox = agent.sandbox(desk)
        self.session, self.turns = 0, list[dict[str, Any]]()
        self.brought = dict[str, bytes]()
        self._log: list[bytes] = []
        self._kill: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self.meter = Meter(
            desk,
            sitting,
            agent.upstreams,
            own=self.profile.own_tools,
            allowed=agent.terms.foreign_tools,
            priced=agent.terms.max_cost is not None,
            kill=self.end,
        )

    def __enter__(self) -> Attempt:
        try:
            self.desk.at_end(self.end)
            self._open()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._stack.close()
        self._keep()

    def end(self) -> None:
        """End the program; from any thread, and for good."""
        with self._lock:
            self.over.set()
            kill = self._kill
        if kill is not None:
            kill()

    def _heard(self, endpoint: Endpoint, what: Event) -> None:
        """Once the sitting is over (a limit is reached, or something of ours broke), nothing that it does counts."""
        if what != "contact":
            self.end()

    def _started(self, kill: Callable[[], None]) -> None:
        with self._lock:
            self._kill = kill
        if self.over.is_set():
            kill()

    # ---- doors and box -------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Open the doors on sockets of this attempt, make the box, and look out of it."""
        from errands.doors.mcp import Host
        from errands.doors.proxy import Proxy

        run = made(self.desk.scratch, "run")
        self.sockets = {"mcp": run / "mcp"}
        host = Host()
        host.run_in_thread(uds=self.sockets["mcp"])
        self._stack.callback(host.stop)
        self.endpoint: Endpoint = host.open(self.sitting, self.secret, pulled=False, watch=self._heard)
        self._stack.callback(host.close, self.secret)
        if self.profile.uses("mcp_socket"):
            self.sockets["stdio"] = run / "stdio"
            host.open_socket(self.endpoint, self.sockets["stdio"])
        self.ports = {self.sandbox.port(MCP_PORT): "mcp"}
        limited = self.agent.terms.max_cost is not None or self.agent.terms.max_tokens is not None
        proxy = Proxy(self.agent.upstreams, self.key, self.meter, bound=limited)
        self._stack.callback(proxy.stop)
        self.sockets["model"] = run / "model"
        proxy.listen_unix(self.sockets["model"])
        self.ports[self.sandbox.port(MODEL_PORT)] = "model"
        self.box = self._new_box()
        self._preflight()

    def _new_box(self) -> Box:
        """An empty workspace and home for the next session."""
        self.session += 1
        scratch = self.desk.scratch
        work, home = made(scratch, f"work-{self.session}"), made(scratch, f"home-{self.session}")
        return Box(work, home, self.agent.reads, self.sockets, self.ports)

    def _preflight(self) -> None:
        try:
            receipt = self.sandbox.probe(self.box, self._env(self._values(None, "")))
        except SandboxFault as why:
            if why.receipt is not None:
                self.desk.files["sandbox.json"] = _json(why.receipt)
            raise SandboxTrouble(why.what, where=why.where, do=why.do) from why
        self.desk.files["sandbox.json"] = _json(receipt)

    # ---- turns ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Turn by turn, until the sitting is over; raises what ended it before."""
        turn, begins = self.sitting.next(), True
        while turn is not None:
            if turn.fresh and not begins:
                self._forget()
                begins = True
            argv = self._argv(turn, begins)
            reply = self._said(turn, argv, begins)
            if reply is None:
                return
            self._show_memory()
            self._bring_pictures()
            turn, begins = self.sitting.reply(reply), False

    def _argv(self, turn: Turn, begins: bool) -> tuple[str, ...]:
        p = self.profile
        if not begins:
            return p.first if p.next is None else p.next
        return p.first if p.fresh is None or not turn.fresh else p.fresh

    def _said(self, turn: Turn, argv: tuple[str, ...], begins: bool) -> str | None:
        """Run the program for a turn: its reply, or None where the sitting is over."""
        prompt = f"{turn.text}\n\n{self._dated(turn)}" if begins else turn.text
        values = self._values(turn, prompt)
        try:
            self._lay_out(values)
        except OSError as why:  # it has put something else in their place
            self.sitting.close("agent_error", f"its configuration cannot be written: {why.strerror}")
            return None
        by_word = any("${prompt}" in w for w in argv)
        ran = self.sandbox.start(
            [*self.agent.argv, *self.profile.words(argv, values)],
            box=self.box,
            env=self._env(values),
            stdin=b"" if by_word else prompt.encode("utf-8", "replace"),
            timeout=self.sitting.limits.timeout_s + SPARE_S,
            at_end=self._started,
        )
        self._note(turn, ran)
        if self.meter.trouble is not None:
            raise self.meter.trouble
        if self.endpoint.fault is not None and not self.sitting.ended:
            raise ExamFault(
                f"the MCP server broke: {type(self.endpoint.fault).__name__}"
            ) from self.endpoint.fault
        if self.sitting.ended or self.over.is_set():
            return None
        return self._reply(ran)

    def _reply(self, ran: Ran) -> str | None:
        if self.meter.failing is not None:  # its model did not answer, whatever it says now
            raise self.meter.failing
        reply = self._read(ran)
        if reply is not None and ran.code == 0:
            return reply
        last = _text(ran.stderr.strip() or ran.stdout.strip()).splitlines()[-6:]
        what = "no reply" if ran.code == 0 else f"exit code {ran.code}"
        self.sitting.close("agent_error", self._clean(": ".join([what, "\n".join(last)]))[:500])
        return None

    def _read(self, ran: Ran) -> str | None:
        reply = self.profile.reply
        if reply.source != "file":
            return reply.read(_text(ran.stdout))
        root = self.box.home if reply.path.startswith("~") else self.box.workspace
        found = dict(remembered(root, [reply.path.partition("/")[2]]))
        return _text(next(iter(found.values()))).strip() if found else None

    def _values(self, turn: Turn | None, prompt: str) -> dict[str, str]:
        """What `${…}` stands for now."""
        inside = self.sandbox.inside(self.box)
        ports = {name: port for port, name in self.ports.items()}
        local = from_ms(turn.at, self.sitting.world.zone) if turn else None
        upstream = next(iter(self.agent.upstreams), "")
        base = f"http://127.0.0.1:{ports['model']}"
        return {
            "prompt": prompt,
            "model": self.agent.spec.model,
            "model_url": f"{base}/{upstream}" if upstream else "",
            "model_key": self.key if upstream else "",
            "mcp_url": f"http://127.0.0.1:{ports['mcp']}/mcp",
            "mcp_secret": self.secret,
            "mcp_socket": inside.sockets.get("stdio", ""),
            "relay": inside.relay,
            "python": inside.python,
            "workspace": inside.workspace,
            "home": inside.home,
            "turn": str(turn.n) if turn else "",
            "date": local.strftime("%Y-%m-%d") if local else "",
            "zone": self.sitting.world.zone,
        }

    def _env(self, values: dict[str, str]) -> dict[str, str]:
        """The profile's variables; for a program of no known provider those by which clients find their endpoint."""
        from .command import PROVIDERS

        env: dict[str, str] = {}
        if not self.profile.provider:
            base = values["model_url"].rpartition("/")[0]
            for name, (_, url, key) in PROVIDERS.items():
                for own in (name, "model"):
                    if own in self.agent.upstreams:
                        env |= {url: f"{base}/{own}", key: self.key}
        return {**env, **self.profile.variables(values)}

    def _dated(self, turn: Turn) -> str:
        """The world's date and zone in a line, in the language of the errand."""
        world = self.sitting.world
        local = from_ms(turn.at, world.zone)
        line = DATED.get(world.meta.get("language", "en"), DATED["en"])
        return line.format(
            weekday=f"{local:%A}", date=f"{local:%Y-%m-%d}", time=f"{local:%H:%M}", zone=world.zone
        )

    def _lay_out(self, values: dict[str, str]) -> None:
        """Write the profile's files. The agent may have put a link in their place: it is replaced, not followed."""
        for path, text in self.profile.written(values).items():
            file = Path(place(path, str(self.box.home), str(self.box.workspace)))
            root = (self.box.home if path.startswith("~") else self.box.workspace).resolve()
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.parent.resolve().is_relative_to(root):
                raise NotADirectoryError(
                    errno.ENOTDIR, f"there is a link in the place of {Path(path).parent}"
                )
            if file.is_symlink() or file.exists():
                file.unlink()
            file.write_text(text, encoding="utf-8")

    # ---- sessions ------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        """Begin a session that knows nothing but what the profile's memory paths hold."""
        kept = self._remember()
        old = self.box
        self.box = self._new_box()
        lay_out(self.box.home, kept)
        for folder in (old.home, old.workspace):
            remove(folder)

    def _remember(self) -> list[tuple[str, bytes]]:
        """What it remembers; also kept as evidence, by session."""
        kept = list(remembered(self.box.home, self.profile.memory))
        room = (8 << 20) - sum(len(d) for n, d in self.desk.files.items() if n.startswith("memory/"))
        for name, data in kept:
            if len(data) > room or len(self.desk.files) > 800:
                break
            safe = os.fsencode(name).decode("utf-8", "backslashreplace")
            self.desk.files[f"memory/{self.session}/{safe}"] = self._scrubbed(data)
            room -= len(data)
        return kept

    def _show_memory(self) -> None:
        """Put on record what its own memory holds, where the errand is about that."""
        if "memory" not in self.sitting.world.apps or not self.profile.memory or self.sitting.ended:
            return
        files, cut, room = dict[str, str](), list[str](), SHOWN
        for name, data in remembered(self.box.home, self.profile.memory):
            path = os.fsencode(name).decode("utf-8", "backslashreplace")
            room -= len(data)
            if room < 0:
                cut.append(path)
            else:
                files[path] = self._clean(data.decode("utf-8", "replace")).replace("\0", "\ufffd")
        with suppress(ClosedError):  # its time may be over meanwhile
            self.sitting.remembers(files, cut)

    def _bring_pictures(self) -> None:
        """Put what it has drawn in its own folder where the user looks for it, once for each content."""
        if not self.sitting.pictures or self.sitting.ended:
            return
        found = drawn(self.box.workspace, self.sitting.pictures)
        with suppress(ClosedError):
            self.sitting.brings({p: d for p, d in found.items() if self.brought.get(p) != d})
        self.brought |= found

    # ---- evidence ------------------------------------------------------------------------------------------

    def _note(self, turn: Turn, ran: Ran) -> None:
        """Keep the ends of its output, and what it says that it used."""
        report = self.profile.usage
        reported = report.read(_text(ran.stdout)) if report else None
        self.turns.append(
            {
                "turn": turn.n,
                "session": self.session,
                "code": ran.code,
                "seconds": round(ran.seconds, 3),
                **({"dropped": list(ran.dropped)} if any(ran.dropped) else {}),
                **({"reported": reported} if reported else {}),
            }
        )
        parts = [f"--- turn {turn.n}: exit code {ran.code}, {ran.seconds:.1f} s\n".encode()]
        for name, data in (("stdout", ran.stdout), ("stderr", ran.stderr)):
            if data.strip():
                head = f"--- {name}" + (f", the last of {len(data)} bytes" if len(data) > TAIL else "")
                parts += [head.encode() + b"\n", data[-TAIL:].rstrip(b"\n") + b"\n"]
        if sum(map(len, self._log)) < MAX_LOG:
            self._log += parts

    def _keep(self) -> None:
        """What goes into the bundle: how it ran, the ends of its output, its memory."""
        if self.profile.memory and hasattr(self, "box"):
            self._remember()
        if self._log:
            self.desk.files["agent.log"] = self._scrubbed(b"".join(self._log))
        spec = self.agent.spec
        facts = {
            "profile": spec.named.name,
            "profile_digest": spec.named.digest,
            "status": self.profile.status_of(self.agent.version),
            "version": self.agent.version,
            "model": spec.model,
            "sandbox": self.sandbox.kind,
            "turns": self.turns,
            "foreign_tools": self.meter.foreign,
            "elsewhere": self.meter.elsewhere,
            "more_elsewhere": self.meter.more_elsewhere,
        }
        self.desk.files["agent.json"] = _json(facts)

    def _scrubbed(self, data: bytes) -> bytes:
        """Without the attempt's secrets: they are worth nothing any more, and still belong into no evidence."""
        for word in (self.key, self.secret):
            data = data.replace(word.encode(), b"***")
        return data

    def _clean(self, text: str) -> str:
        return self._scrubbed(text.encode("utf-8", "replace")).decode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str).encode("utf-8", "replace")
