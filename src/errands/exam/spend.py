"""The purse of a run: what its model calls cost, across all its processes, and where it ends.

An append-only file under a lock. A call first puts its worst case aside and is refused where that would go beyond
the limit; afterwards what it really used stands in its place. What was put aside by a process that died counts as
spent: nobody knows better. So eight jobs hold one limit together, and a run that goes on knows what it spent before.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

from errands.core.errors import ErrandsError
from errands.core.usage import Usage

HOLD_S = 60.0  # how long a call waits for what others have put aside


class SpentOut(ErrandsError):
    """The run's limit on cost or tokens leaves no room for another call.

    `waits`: there would be room but for what calls that are under way have put aside.
    """

    waits = False


@dataclass
class Spend:
    """The purse in `file`. Limits are US dollars and tokens for the whole run; None is no limit.

    Safe between threads and processes; a `Spend` itself belongs to one thread.
    """

    file: Path
    max_usd: Decimal | None = None
    max_tokens: int | None = None
    _held: dict[str, tuple[int, Decimal]] = field(default_factory=dict)
    _tokens: int = 0
    _usd: Decimal = Decimal(0)
    _unknown: set[str] = field(default_factory=set)
    _at: int = 0

    def hold(self, n: int, tokens: int, usd: Decimal | None) -> str:
        """Put aside the worst case of a call of attempt `n`; returns a ticket, raises `SpentOut`."""
        cost = usd or Decimal(0)
        with self.file.open("a+b") as f:
            self._read(f)
            self._fits(tokens, cost)
            ticket = uuid.uuid4().hex
            self._write(
                f,
                {
                    "kind": "hold",
                    "ticket": ticket,
                    "n": n,
                    "tokens": tokens,
                    "usd": None if usd is None else str(cost),
                },
            )
        return ticket

    def settle(self, ticket: str, usage: Usage, usd: Decimal | None) -> None:
        """What the call of this ticket really used; nothing where it was not served."""
        with self.file.open("a+b") as f:
            self._read(f)
            self._write(
                f,
                {
                    "kind": "spent",
                    "ticket": ticket,
                    "usage": usage.to_dict(),
                    "usd": None if usd is None else str(usd),
                },
            )

    def spent(self) -> tuple[int, Decimal]:
        """Tokens and US dollars so far, what is put aside included."""
        if not self.file.exists():
            return 0, Decimal(0)
        with self.file.open("rb") as f:
            self._read(f)
        tokens, usd = zip(*self._held.values(), strict=True) if self._held else ((), ())
        return self._tokens + sum(tokens), self._usd + sum(usd, Decimal(0))

    @property
    def unpriced(self) -> bool:
        """Whether something is in it of which nobody knows the price."""
        return bool(self._unknown)

    def _fits(self, tokens: int, usd: Decimal) -> None:
        held = sum(t for t, _ in self._held.values()), sum((u for _, u in self._held.values()), Decimal(0))
        why = None
        if self.max_tokens is not None and self._tokens + held[0] + tokens > self.max_tokens:
            aside = f" and {held[0]} put aside" if held[0] else ""
            why = SpentOut(
                f"{self._tokens} of {self.max_tokens} tokens are used{aside}; a call may need {tokens} more"
            )
            why.waits = self._tokens + tokens <= self.max_tokens
        elif self.max_usd is not None and self._usd + held[1] + usd > self.max_usd:
            aside = f" and ${held[1]:.4f} put aside" if held[1] else ""
            why = SpentOut(
                f"${self._usd:.4f} of ${self.max_usd} are spent{aside}; a call may cost ${usd:.4f} more"
            )
            why.waits = self._usd + usd <= self.max_usd
        if why is not None:
            raise why

    def _read(self, f: BinaryIO) -> None:
        """Take the lock (it goes with the file handle) and what others have written since."""
        fcntl.flock(f.fileno(), fcntl.LOCK_EX)
        f.seek(self._at)
        new: bytes = f.read()
        whole = new[: new.rfind(b"\n") + 1]
        if len(whole) < len(new) and "a" in f.mode:
            f.truncate(self._at + len(whole))  # half a line of a process that was killed
        self._at += len(whole)
        for line in whole.splitlines():
            self._take(json.loads(line))

    def _write(self, f: BinaryIO, row: dict[str, object]) -> None:
        line = json.dumps(row).encode() + b"\n"
        f.write(line)
        f.flush()
        os.fsync(f.fileno())
        self._at += len(line)
        self._take(row)

    def _take(self, row: dict[str, object]) -> None:
        ticket = str(row["ticket"])
        if row["kind"] == "hold":
            if row["usd"] is None:
                self._unknown.add(ticket)
            self._held[ticket] = (int(str(row["tokens"])), Decimal(str(row["usd"] or 0)))
            return
        self._held.pop(ticket, None)
        self._tokens += Usage.of(row["usage"]).tokens  # type: ignore[arg-type]
        self._unknown.discard(ticket)
        if row["usd"] is None:
            self._unknown.add("")
        self._usd += Decimal(str(row["usd"] or 0))
