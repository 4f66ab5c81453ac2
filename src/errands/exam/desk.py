"""What a driver may use beside the sitting: a folder of its own, the run's purse, and a record of model calls."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from errands.core.errors import ErrandsError
from errands.core.usage import Usage, usd

from .spend import Spend

MAX_KEPT = 32 << 20  # bytes of all that is kept beside the attempt file
# Bytes of recorded model calls an attempt; later ones are counted, their texts are not kept.
MAX_TRACE = 8 << 20


class NoAccess(ErrandsError):
    """The agent could not be reached, or was refused access: the attempt is blocked, and never scored.

    `key` tells like from unlike: three attempts in a row that end with the same one stop the run.
    """

    def __init__(
        self, what: str, *, where: str = "", expected: str = "", do: str = "", key: str = ""
    ) -> None:
        super().__init__(what, where=where, expected=expected, do=do)
        self.key = (key or f"{where}: {what}".removeprefix(": "))[:500]


class ForeignTool(NoAccess):
    """The agent has a tool that is not the exam's and that nobody allowed: it could touch what is real."""


class ExamFault(ErrandsError):
    """Something of ours beside the world broke: the attempt is invalid, never graded."""

    reason = "server_fault"


def remove(folder: Path) -> None:
    """Remove a folder, however deep an agent has made it: what walks it must not run out of stack."""
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, timeout=120)


def _sweep() -> None:
    """Remove what attempts of processes that were killed have left in the temporary folder.

    Only what bears the mark of this process's own namespace: the same number may live on in another container.
    """
    for old in Path(tempfile.gettempdir()).glob(f"{_mark()}*-*"):
        pid = old.name.removeprefix(_mark()).partition("-")[0]
        if (
            pid.isdigit()
            and not _alive(int(pid))
            and not old.is_symlink()
            and old.stat().st_uid == os.getuid()
        ):
            remove(old)


def _mark() -> str:
    """How the folders of attempts begin: with the namespace in which process numbers mean what they do here."""
    try:
        return f"errands-desk-{Path('/proc/self/ns/pid').stat().st_ino}-"
    except OSError:
        return "errands-desk-0-"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class Desk:
    """One attempt's desk. Owned by the thread that sits the attempt; `stop` may be called from any."""

    def __init__(self, n: int = 1, spend: Spend | None = None, limit: int = 0):
        self.n, self.spend = n, spend
        self.token_limit = limit
        self.usage = Usage()
        self.usd: Decimal | None = Decimal(0)
        self.files: dict[str, bytes] = {}
        self.stopped = threading.Event()
        self.trouble: ErrandsError | None = None
        self._begun = time.perf_counter()
        self._scratch: Path | None = None
        self._ends: list[Callable[[], None]] = []
        self._trace: list[bytes] = []
        self._size = 0
        self._lock = threading.Lock()

    # ---- a folder ------------------------------------------------------------------------------------------

    @property
    def scratch(self) -> Path:
        """A folder for this attempt alone; gone when it is sealed."""
        if self._scratch is None:
            _sweep()
            self._scratch = Path(tempfile.mkdtemp(prefix=f"{_mark()}{os.getpid()}-"))
        return self._scratch

    def clear(self) -> None:
        """Remove the folder."""
        if self._scratch is not None:
            remove(self._scratch)
            self._scratch = None

    # ---- the end -------------------------------------------------------------------------------------------

    def at_end(self, end: Callable[[], None]) -> None:
        """Have this called when the attempt is stopped from outside; at once if it is stopped already."""
        with self._lock:
            if not self.stopped.is_set():
                self._ends.append(end)
                return
        end()

    def stop(self) -> None:
        """End whatever the driver has running: its process, its requests."""
        with self._lock:
            if self.stopped.is_set():
                return
            self.stopped.set()
            ends = list(self._ends)
        for end in reversed(ends):
            with suppress(Exception):
                end()

    # ---- model calls ---------------------------------------------------------------------------------------

    def model_call(
        self,
        *,
        model: str,
        seconds: float,
        usage: Usage,
        cost: Decimal | None,
        text: str = "",
        calls: list[dict[str, Any]] | None = None,
        error: str = "",
        retries: int = 0,
        **more: Any,
    ) -> None:
        """Record one model call: `text` and `calls` (`id`, `tool`, `args`) are what the model answered."""
        row = {
            "at_s": round(time.perf_counter() - self._begun - seconds, 6),
            "seconds": round(seconds, 6),
            "model": model[:200],
            "usage": usage.to_dict(),
            "cost_usd": usd(cost),
            "text": text,
            "calls": calls or [],
            "error": error[:2000],
            "retries": retries,
            **more,
        }
        line = json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "replace")
        with self._lock:
            self.usage += usage
            self.usd = None if self.usd is None or cost is None else self.usd + cost
            if self._size + len(line) > MAX_TRACE:
                keys = ("at_s", "seconds", "model", "usage", "cost_usd", "retries")
                slim = {
                    **{k: row[k] for k in keys},
                    "text": "",
                    "calls": [],
                    "error": error[:200],
                    "cut": True,
                }
                line = json.dumps(slim, ensure_ascii=False, default=str).encode("utf-8", "replace")
            self._size += len(line)
            self._trace.append(line)

    @property
    def kept(self) -> dict[str, bytes]:
        """What goes into the bundle beside the attempt file."""
        kept = {"model.jsonl": b"\n".join(self._trace) + b"\n"} if self._trace else {}
        room = MAX_KEPT - sum(map(len, kept.values()))
        for name in sorted(self.files, key=lambda n: len(self.files[n])):
            if (room := room - len(self.files[name])) < 0:
                break
            kept[name] = self.files[name]
        return kept

    def facts(self) -> dict[str, Any]:
        """What the host measured of the models (cost is None where a price is unknown); empty where none was seen."""
        return {"usage": self.usage.to_dict(), "cost_usd": usd(self.usd)} if self._trace else {}
