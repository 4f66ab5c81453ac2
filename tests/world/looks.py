"""What the kernel's tests ask again and again: rows, what a refusal left, whether digests hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errands.core.errors import ToolError
from errands.world import World
from errands.world.ledger import chain_rows, count_rows


def rows(w: World, kind: str) -> list[dict[str, Any]]:
    """Ledger rows of a kind, oldest first, with their body read."""
    found = w.all("SELECT * FROM exam_ledger WHERE kind = ? ORDER BY seq", kind)
    return [{**r, "body": json.loads(r["body"])} for r in found]


def sound(w: World) -> None:
    """Running digests equal a recomputation, and seq has no gap."""
    assert w.ledger.rows_sum == count_rows(w.db, w.ledger.tables)
    assert (w.ledger.seq, w.ledger.chain) == chain_rows(w.db)
    assert w.value("SELECT count(*) FROM exam_ledger") == w.ledger.seq


def refused(w: World, tool: Any, args: Any, code: str | None = None) -> ToolError:
    """The call is answered by a ToolError, is on record, and has changed nothing."""
    state, seq = w.ledger.rows_sum, w.ledger.seq
    with pytest.raises(ToolError) as caught:
        w.call(tool, args)
    assert w.ledger.rows_sum == state
    last = w.one("SELECT * FROM exam_ledger ORDER BY seq DESC LIMIT 1")
    assert last is not None and (last["seq"], last["kind"]) == (seq + 1, "call")
    assert json.loads(last["body"])["error"] == json.loads(json.dumps(caught.value.body()))
    assert code is None or caught.value.code == code
    return caught.value
