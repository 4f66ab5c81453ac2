"""How someone who knows the format would tamper: edit what is in a bundle, then seal bundle and run again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import apsw

from errands.core.canon import canonical
from errands.evidence.bundle import pack, seal_of, unpack
from errands.evidence.folder import RunFolder
from errands.evidence.regrade import open_bundle
from errands.world.ledger import Ledger, chain_rows, count_rows
from errands.world.schema import tables


def repacked(data: bytes, *, manifest: dict[str, Any] | None = None, **files: bytes | None) -> bytes:
    """The bundle with other files (`attempt_sqlite=…`) or manifest fields, sealed again. None takes a file
    out.
    """
    inside = unpack(data)
    for name, content in files.items():
        name = name.replace("_", ".")
        inside.pop(name, None)
        if content is not None:
            inside[name] = content
    if manifest is not None:
        inside["manifest.json"] = canonical({**json.loads(inside["manifest.json"]), **manifest}).encode()
    return pack(inside)


def with_sql(data: bytes, statements: Iterable[str], *, digests: bool) -> bytes:
    """The bundle after SQL on its attempt file. `digests` works out every sum, chain and count again."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", unpack(data)["attempt.sqlite"])
    for sql in statements:
        db.execute(sql)
    manifest: dict[str, Any] = {}
    if digests:
        seq, chain = chain_rows(db)
        led = Ledger(db, tables(db), seq, count_rows(db, tables(db)), chain)
        db.execute(
            "UPDATE exam_state SET seq = ?, rows_sum = ?, chain = ?",
            (seq, f"{led.rows_sum:064x}", chain.hex()),
        )
        manifest = {"rows": seq, "chain": chain.hex(), "world_digest": led.world_digest()}
    return repacked(data, manifest=manifest, attempt_sqlite=db.serialize("main"))


def without_ledger_row(data: bytes, seq: int) -> bytes:
    """The bundle without one ledger row, later ones renumbered, the count and all digests made to fit."""
    return with_sql(
        data,
        [
            f"DELETE FROM exam_ledger WHERE seq = {seq}",
            f"UPDATE exam_ledger SET cause = cause - 1 WHERE cause > {seq}",
            f"UPDATE exam_ledger SET seq = -seq WHERE seq > {seq}",
            "UPDATE exam_ledger SET seq = -seq - 1 WHERE seq < 0",
            "UPDATE exam_ledger SET body = json_set(body, '$.count', seq) WHERE kind = 'end'",
        ],
        digests=True,
    )


def put(run: RunFolder, n: int, data: bytes) -> None:
    """Put a tampered bundle into its run and rewrite run.json, so that nothing but the content tells."""
    run.bundle(n).write_bytes(data)
    said = json.loads((run.path / "run.json").read_bytes())["attempts"]
    attempts = []
    for p, before in zip(run.plan().attempts, said, strict=True):
        seal = seal_of(run.bundle(p.n).read_bytes())
        try:
            digest = open_bundle(run.bundle(p.n).read_bytes()).manifest["world_digest"]
        except Exception:
            digest = before["world_digest"]
        attempts.append({"n": p.n, "seal": seal, "world_digest": digest})
    run.finish(attempts)


def rewrite(run: RunFolder, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change run.json and give it a fitting checksum."""
    from errands.core.canon import sha256

    file = run.path / "run.json"
    record = json.loads(file.read_bytes())
    record.pop("sha256")
    record = change(record) or record
    file.write_bytes(canonical({**record, "sha256": sha256(canonical(record).encode())}).encode())
