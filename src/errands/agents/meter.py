"""The meter between a command-line agent and its model: purse, record, foreign tools, and lost access."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from errands.core.errors import ErrandsError, UsageError
from errands.core.usage import Usage
from errands.doors.proxy import Denied, Served, Upstream
from errands.doors.wires import Ask, is_tool
from errands.exam.desk import Desk, ForeignTool, NoAccess
from errands.exam.sitting import Sitting
from errands.exam.spend import HOLD_S, SpentOut

if TYPE_CHECKING:
    from .prices import Prices

MAX_REFUSED = 200  # requests to elsewhere that are kept
NO_ENTRY = (401, 402, 403, 404)
OWN_FAULT = (400, 413, 415, 422)  # what the agent asked cannot be answered
HOSTS = {"api.openai.com": "openai", "api.anthropic.com": "anthropic"}


class Meter:
    """Hears of each call of one attempt. `trouble` is what ends the attempt; `kill` ends the agent's program then.

    `own`: patterns of tools of its own that the profile lets it keep; `allowed`: those that the operator does.
    """

    def __init__(
        self,
        desk: Desk,
        sitting: Sitting,
        upstreams: Mapping[str, Upstream],
        *,
        own: Iterable[str],
        allowed: Iterable[str],
        priced: bool,
        kill: Callable[[], None],
    ):
        self.desk, self.sitting, self.upstreams = desk, sitting, upstreams
        self.ours = [t.name for t in sitting.tools]
        self.own, self.allowed, self.priced, self.kill = tuple(own), tuple(allowed), priced, kill
        self.trouble: ErrandsError | None = None
        self.answered: set[str] = set()  # names of models that have answered
        self.failing: NoAccess | None = None  # the last call failed, and may have been tried again in vain
        self.foreign: dict[str, str] = {}
        self.elsewhere: list[dict[str, str]] = []
        self.more_elsewhere = 0
        self._seen: set[str] = set()
        self._tickets: dict[str, str] = {}
        self._lock = threading.Lock()

    # ---- what the proxy tells ------------------------------------------------------------------------------

    def ask(self, ask: Ask) -> str:
        """Let a call through: a ticket. Raises `Denied` where the attempt is to end."""
        until = time.monotonic() + HOLD_S
        while True:
            with self._lock:
                if self.trouble is not None or self.sitting.ended:
                    raise Denied(403, "over", "this attempt is over")
                self._tools(ask)
                if self.desk.token_limit and self.desk.usage.tokens >= self.desk.token_limit:
                    self.sitting.close("token_limit")
                    self.kill()
                    raise Denied(403, "token_limit", "the errand's limit on tokens is reached")
                ticket = self._hold(ask, may_wait=time.monotonic() < until)
            if ticket is not None:
                return ticket
            time.sleep(0.1)  # others have put the money aside, and may not need it

    def served(self, ticket: str, served: Served) -> None:
        """Settle and record a call."""
        price = price_of(self.upstreams[served.ask.upstream], served.ask.model, served.model)
        told = served.usage != Usage() or served.status >= 400 or not served.reached
        cost = (
            (Decimal(0) if served.usage == Usage() else price.cost(served.usage) if price else None)
            if told
            else None
        )
        more: dict[str, Any] = {"wire": served.ask.wire, "host": served.host, "status": served.status}
        if price:
            more["prices"] = price.table
        for mark in ("estimated", "cut", "left"):
            if getattr(served, mark):
                more[mark] = True
        with self._lock:
            if self.desk.spend is not None and told:  # what may have been worked on stays put aside
                self.desk.spend.settle(ticket, served.usage, cost)
            self.desk.model_call(
                model=served.model,
                seconds=served.seconds,
                usage=served.usage,
                cost=cost,
                text=served.text,
                calls=list(served.calls),
                error=served.error,
                **more,
            )
            self._access(served)

    def refused(self, method: str, host: str, path: str, why: str) -> None:
        """Keep what else was asked for."""
        with self._lock:
            if len(self.elsewhere) < MAX_REFUSED:
                self.elsewhere.append({"method": method, "host": host, "path": path})
            else:
                self.more_elsewhere += 1

    # ---- what follows --------------------------------------------------------------------------------------

    def _tools(self, ask: Ask) -> None:
        """Tools that are neither the exam's nor harmless could touch what is real."""
        bad = []
        for name in (n[:200] for n in ask.tools[:500]):
            if name in self._seen:
                continue
            self._seen.add(name)
            if fits(name, self.own) or (
                not name.startswith("mcp:") and any(is_tool(name, t) for t in self.ours)
            ):
                continue
            self.foreign[name] = "allowed" if fits(name, self.allowed) else "refused"
            if self.foreign[name] == "refused":
                bad.append(name)
        if not bad:
            return
        names = ", ".join(sorted(bad)[:8]) + (f" and {len(bad) - 8} more" if len(bad) > 8 else "")
        self._end(
            ForeignTool(
                f"the agent offers its model tools that are not the exam's: {names}",
                where="foreign tool",
                do="switch them off in its profile, or allow each with --allow-foreign-tool NAME",
                key=f"foreign tools: {names}",
            )
        )
        raise Denied(403, "foreign_tool", f"these tools are not allowed here: {names}")

    def _hold(self, ask: Ask, *, may_wait: bool) -> str | None:
        """A ticket, or None where it is worth while to wait for what others have put aside."""
        upstream = self.upstreams[ask.upstream]
        price = price_of(upstream, ask.model)
        if price is None and self.priced:
            self._end(
                NoAccess(
                    f"nobody knows the price of {ask.model or 'this model'}, and the run has a --max-cost",
                    where=upstream.host,
                    do="use --max-tokens, or name the price in a file (ERRANDS_PRICES)",
                    key=f"unpriced {upstream.host} {ask.model}",
                )
            )
            raise Denied(402, "unpriced", "this model has no known price")
        spend = self.desk.spend
        if spend is None:
            return ""
        try:
            cost = price.most(ask.read, ask.written) if price else None
            return spend.hold(self.desk.n, ask.worst, cost)
        except SpentOut as why:
            if why.waits and may_wait:
                return None
            self._end(why)
            raise Denied(402, "spent_out", why.what) from None

    def _access(self, served: Served) -> None:
        """A refusal of the endpoint ends the attempt; what may pass does so only if it was the agent's last try."""
        if self.desk.stopped.is_set():
            return
        good = served.status in range(200, 300)
        unreadable = good and served.estimated and not served.left
        kind = "unreachable" if not served.reached or served.cut or not served.status else str(served.status)
        what = f"{served.host} answered {served.status}: {served.error}" if served.status else served.error
        lost = NoAccess(
            f"{served.host} answered what cannot be read" if unreadable and not served.cut else what,
            where=served.ask.model or "model",
            do="is the key good, and the model's name right?" if served.status in NO_ENTRY else "",
            key=f"{'unreadable' if unreadable and not served.cut else kind} {served.host} {served.ask.model}",
        )
        if good and not unreadable and not served.cut:
            self.answered.add(served.ask.model)
        if served.status in NO_ENTRY and self.answered and served.ask.model not in self.answered:
            return  # it was let in before: the name of another model is the agent's own doing
        if not served.reached or served.status in NO_ENTRY:
            self._end(lost)
        elif served.cut or unreadable or (not good and served.status not in OWN_FAULT):
            self.failing = lost
        else:
            self.failing = None

    def _end(self, why: ErrandsError) -> None:
        self.trouble = self.trouble or why
        self.kill()


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a tool's name is one of these, or like one of them (`*`)."""
    return any(fnmatchcase(name, p) for p in patterns)


def price_of(upstream: Upstream, *models: str) -> Prices | None:
    """The prices of the first of these names of a model that has any; None where nobody knows them."""
    from . import prices

    provider = HOSTS.get(upstream.host, "openai-compatible")
    for model in dict.fromkeys(m for m in models if m):
        try:
            found = prices.price_of(provider, model)
        except UsageError:  # no table is installed
            return None
        if found is not None:
            return found
    return None
