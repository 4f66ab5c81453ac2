"""Bundles that are sealed rightly and lie inside: each is refused by an `EvidenceError` naming the place."""

from __future__ import annotations

import json
import subprocess
import sys

import apsw
import pytest

from errands.core.errors import EvidenceError
from errands.evidence.bundle import pack, unpack
from errands.evidence.regrade import open_bundle
from errands.evidence.verify import verify
from errands.grading import evidence as evidence_module

from .forge import put, repacked, rewrite, with_sql

SQL = {
    "a view": (["CREATE VIEW spy AS SELECT * FROM exam_ledger"], "views, triggers or virtual"),
    "a trigger": (
        ["CREATE TRIGGER boom AFTER INSERT ON exam_meta BEGIN DELETE FROM exam_ledger; END"],
        "views, triggers",
    ),
    "a view in the ledger's place": (
        [
            "CREATE TABLE copy AS SELECT * FROM exam_ledger",
            "DROP TABLE exam_ledger",
            "CREATE VIEW exam_ledger AS SELECT * FROM copy",
        ],
        "views, triggers",
    ),
    "a virtual table": (["CREATE VIRTUAL TABLE v USING fts5(x)"], "views, triggers or virtual"),
    "no ledger": (["DROP TABLE exam_ledger"], "not an attempt file"),
    "an empty ledger": (["DELETE FROM exam_ledger"], "the ledger has 0 rows"),
    "a ledger of other columns": (
        ["ALTER TABLE exam_ledger DROP COLUMN body"],
        "not an attempt file|chain is broken",
    ),
    "a body that is no JSON": (["UPDATE exam_ledger SET body = '{' WHERE seq = 3"], "chain is broken"),
    "a changed body": (
        ["UPDATE exam_ledger SET body = replace(body, 'a', 'b') WHERE kind = 'turn'"],
        "chain is broken",
    ),
    "two rows swapped": (
        [
            "UPDATE exam_ledger SET seq = -2 WHERE seq = 2",
            "UPDATE exam_ledger SET seq = 2 WHERE seq = 3",
            "UPDATE exam_ledger SET seq = 3 WHERE seq = -2",
        ],
        "chain is broken",
    ),
    "no meta": (["DROP TABLE exam_meta"], "not an attempt file"),
}


@pytest.mark.parametrize(("sql", "why"), SQL.values(), ids=SQL)
def test_attempt_files_that_lie(bundle, sql, why):
    with pytest.raises(EvidenceError, match=f"^b.zip, attempt.sqlite: .*({why})"):
        open_bundle(with_sql(bundle, sql, digests=False), "b.zip")


LYING_LEDGERS = {
    "a body that is no JSON": ["UPDATE exam_ledger SET body = '{' WHERE seq = 3"],
    "a body that is nested deep": [f"UPDATE exam_ledger SET body = '{'[' * 50_000}' WHERE seq = 3"],
    "a body that is a list": ["UPDATE exam_ledger SET body = '[]' WHERE kind IN ('effect', 'end')"],
    "an effect without its rows": ["UPDATE exam_ledger SET body = '{}' WHERE kind = 'effect'"],
    "an effect on no table": ["UPDATE exam_ledger SET name = 'nowhere' WHERE kind = 'effect'"],
    "no final record": ["DELETE FROM exam_ledger WHERE kind = 'end'"],
    "a final record of another count": [
        "UPDATE exam_ledger SET body = json_set(body, '$.count', 3) WHERE kind = 'end'"
    ],
    "an unknown end": ["UPDATE exam_ledger SET name = 'won' WHERE kind = 'end'"],
    "an app that is not installed": ["UPDATE exam_meta SET value = '[\"nonesuch\"]' WHERE key = 'apps'"],
    "an app by path": ["UPDATE exam_meta SET value = '[\"../../x\"]' WHERE key = 'apps'"],
    "apps that are no list": ["UPDATE exam_meta SET value = '7' WHERE key = 'apps'"],
    "no place where the record stands": ["DELETE FROM exam_state"],
    "another present": ["UPDATE exam_state SET now = now + 1"],
    "another instruction": ["UPDATE exam_meta SET value = 'Do nothing.' WHERE key = 'instruction'"],
    "another table": ["CREATE TABLE more (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID"],
}


@pytest.mark.parametrize("sql", LYING_LEDGERS.values(), ids=LYING_LEDGERS)
def test_lies_under_fresh_digests_and_a_rewritten_run(run, bundle, sql):
    put(run, 2, with_sql(bundle, sql, digests=True))
    report = verify(run.path)
    assert [(kind, where.partition(",")[0]) for kind, where, _ in report.problems] == [
        ("changed", str(run.bundle(2)))
    ]
    assert report.exit_code == 1 and report.equal == 1, "the other attempt is still graded"


NOT_SQLITE = {
    "empty": b"",
    "text": b"no database",
    "header only": b"SQLite format 3\0" + bytes(84),
    "zeros": bytes(8_192),
    "cut": None,
    "write-ahead log": None,
    "pages of noise": None,
}


@pytest.mark.parametrize("kind", NOT_SQLITE)
def test_files_that_are_no_sqlite(bundle, kind):
    blob = NOT_SQLITE[kind]
    good = unpack(bundle)["attempt.sqlite"]
    if kind == "cut":
        blob = good[: len(good) // 2]
    elif kind == "write-ahead log":
        blob = good[:18] + b"\x02\x02" + good[20:]
    elif kind == "pages of noise":
        blob = good[:100] + b"\xa5" * (len(good) - 100)
    with pytest.raises(EvidenceError, match=r"^b.zip, attempt.sqlite: "):
        open_bundle(repacked(bundle, attempt_sqlite=blob), "b.zip")


def test_every_page_of_noise_is_refused_or_harmless(run, bundle):
    """A page of noise anywhere in the file, under fresh seals: found, or refused, never a crash."""
    good = unpack(bundle)["attempt.sqlite"]
    pages = range(0, len(good), 4096)
    for at in list(pages)[:: max(1, len(pages) // 12)]:
        put(run, 2, repacked(bundle, attempt_sqlite=good[:at] + b"\xa5" * 4096 + good[at + 4096 :]))
        report = verify(run.path)
        assert report.exit_code == 1 or report.equal == 2, f"page at {at}"  # a free page holds nothing


def test_a_file_beyond_the_limit(bundle, monkeypatch):
    monkeypatch.setattr(evidence_module, "MAX_BYTES", 1_000)
    with pytest.raises(EvidenceError, match=r"^b.zip, attempt.sqlite: .*at most 1000"):
        open_bundle(bundle, "b.zip")


MANIFESTS = {
    "another format": ({"format": 2}, "format 2 is not known here"),
    "format as text": ({"format": "1"}, "format '1' is not known"),
    "no task": ({"task": None}, "field 'task'"),
    "n as text": ({"n": "2"}, "field 'n'"),
    "end as list": ({"end": []}, "field 'end'"),
    "true as a number": ({"variant": True}, "field 'variant'"),
}


@pytest.mark.parametrize(("fields", "why"), MANIFESTS.values(), ids=MANIFESTS)
def test_manifests_that_do_not_fit(bundle, fields, why):
    with pytest.raises(EvidenceError, match=f"^b.zip, manifest.json: .*{why}"):
        open_bundle(repacked(bundle, manifest=fields), "b.zip")


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"7", b"\xff", b"{" * 100_000, b"[" * 100_000, b'{"format":NaN}']
)
def test_manifest_and_host_facts_that_cannot_be_read(bundle, text):
    for name in ("manifest_json", "host_json"):
        with pytest.raises(EvidenceError, match=f"^b.zip, {name.replace('_', '.')}: "):
            open_bundle(repacked(bundle, **{name: text}), "b.zip")


@pytest.mark.parametrize(
    "host",
    [
        {"wall_s": "soon", "cost_usd": None},
        {"wall_s": "nan", "cost_usd": None},
        {"wall_s": "1.000000", "cost_usd": "1e999"},
    ],
)
def test_host_facts_are_decimals(bundle, host):
    with pytest.raises(EvidenceError, match=r"^b.zip, host.json: .*decimals"):
        open_bundle(repacked(bundle, host_json=json.dumps(host).encode()), "b.zip")


@pytest.mark.parametrize("name", ["attempt.sqlite", "host.json", "manifest.json"])
def test_each_file_is_needed_even_when_another_is_there(bundle, name):
    files = unpack(bundle)
    files["other"] = files.pop(name)
    with pytest.raises(EvidenceError, match=r"^b.zip: files are missing"):
        open_bundle(pack(files), "b.zip")


MANIFEST_LIES = {
    "n": 1,
    "variant": 1,
    "repeat": 2,
    "market": "kr",
    "language": "ko",
    "agent": "oracle",
    "task": "ec-inbox-commitment-audit",
    "end_reason": "turn_limit",
    "start": 0,
    "end": 0,
    "world_digest": "0" * 64,
    "key_digest": "0" * 64,
}


@pytest.mark.parametrize("name", MANIFEST_LIES)
def test_a_manifest_that_lies_is_found(run, bundle, name):
    put(run, 2, repacked(bundle, manifest={name: MANIFEST_LIES[name]}))
    assert verify(run.path).exit_code == 1


RECORDS = {
    "no object": lambda r: [],
    "no files": lambda r: {**r, "files": None},
    "no roots": lambda r: {k: r[k] for k in ("format", "run")},
    "another format": lambda r: {**r, "format": 2},
    "no attempts": lambda r: {**r, "attempts": []},
    "another seal": lambda r: {**r, "attempts": [{**a, "seal": "0" * 64} for a in r["attempts"]]},
    "another world": lambda r: {**r, "world_root": "0" * 64},
    "another root": lambda r: {**r, "evidence_root": "0" * 64},
    "one file less": lambda r: {**r, "files": dict(list(r["files"].items())[1:])},
}


@pytest.mark.parametrize("change", RECORDS.values(), ids=RECORDS)
def test_run_records_that_lie_under_a_fresh_checksum(run, change):
    if (
        change(
            {"format": 1, "run": "", "files": {}, "attempts": []}
            if change is RECORDS["no object"]
            else json.loads((run.path / "run.json").read_bytes())
        )
        == []
    ):
        (run.path / "run.json").write_bytes(b"[]")
    else:
        rewrite(run, change)
    report = verify(run.path)
    assert report.exit_code == 1 and {p[0] for p in report.problems} == {"changed"}


def test_a_bundle_taken_out_and_struck_from_the_record(run):
    run.bundle(1).unlink()
    rewrite(run, lambda r: r["files"].pop("bundles/0001.zip") and r)
    assert verify(run.path).exit_code == 1


def test_no_connection_to_a_hostile_file_can_write_or_run_code(bundle):
    """The reader is query-only, has no views and triggers, and attaches nothing."""
    db = evidence_module.open_readonly(unpack(bundle)["attempt.sqlite"])
    for sql in (
        "DELETE FROM exam_ledger",
        "CREATE TABLE x (y)",
        "ATTACH ':memory:' AS more",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = ''",
    ):
        with pytest.raises(apsw.Error):
            db.execute(sql)


def test_the_commands_survive_a_hostile_run(run, bundle):
    """`verify` and `results` on a damaged run: documented exit codes and no traceback."""
    put(run, 2, with_sql(bundle, SQL["a view"][0], digests=False))
    for command, code in (("verify", 1), ("results", 3)):
        done = subprocess.run(
            [sys.executable, "-m", "errands", command, str(run.path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
