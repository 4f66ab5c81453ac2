"""Opening (rule 0): one constructor sets the guards, takes no garbage, finds whole calls after a kill."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.errors import EvidenceError, UsageError, WorldFault
from errands.world import App, World, open_world
from errands.world.fixture import Draft
from errands.world.world import MAX_BYTES, recovered

from .looks import rows, sound
from .test_invariants import play
from .toy import fixture, world

BLOB = fixture().blob


def other_file(*sql: str) -> bytes:
    db = apsw.Connection(":memory:")
    for s in sql:
        db.execute(s)
    return db.serialize("main")


def edited(*sql: str) -> bytes:
    db = apsw.Connection(":memory:")
    db.deserialize("main", BLOB)
    for s in sql:
        db.execute(s)
    return db.serialize("main")


def in_wal_mode() -> bytes:
    return BLOB[:18] + b"\x02\x02" + BLOB[20:]


GARBAGE = {
    "empty": b"", "one byte": b"x", "text": b"hello " * 999, "zeros": bytes(4096),
    "huge": bytes(MAX_BYTES + 1),
    "header only": BLOB[:100], "half": BLOB[: len(BLOB) // 2], "a byte short": BLOB[:-1],
    "a page short": BLOB[:-4096],
    "head of another": b"PK\x03\x04" + BLOB[4:], "wal": in_wal_mode(),
    "no tables": other_file("CREATE TABLE x (y)"),
    "no meta": edited("DELETE FROM exam_meta"), "no state": edited("DELETE FROM exam_state"),
    "apps are no json": edited("UPDATE exam_meta SET value = 'nope' WHERE key = 'apps'"),
    "apps are a number": edited("UPDATE exam_meta SET value = '7' WHERE key = 'apps'"),
    "apps are lists": edited("UPDATE exam_meta SET value = '[[1]]' WHERE key = 'apps'"),
    "app is a path": edited("UPDATE exam_meta SET value = '[\"a.b/../c\"]' WHERE key = 'apps'"),
    "digest is no hex": edited("UPDATE exam_state SET rows_sum = 'xyz'"),
    "not UTF-8": edited("UPDATE exam_meta SET value = CAST(x'ff' AS TEXT) WHERE key = 'zone'"),
}  # fmt: skip


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("disk", [False, True])
def test_what_is_no_attempt_file_is_said_to_be_none(kind, disk, tmp_path):
    with pytest.raises(EvidenceError):
        open_world(GARBAGE[kind], tmp_path / "a.sqlite" if disk else None)


def test_a_missing_app_is_named():
    with pytest.raises(UsageError, match="'nowhere' that is not installed"):
        open_world(edited("""UPDATE exam_meta SET value = '["nowhere"]' WHERE key = 'apps'"""))


def hit(places: list[tuple[int, int]]) -> bytes:
    out = bytearray(BLOB)
    for place, value in places:
        out[place] = value
    return bytes(out)


@settings(max_examples=150, deadline=None)
@given(st.one_of(
    st.binary(max_size=300), st.integers(0, len(BLOB)).map(lambda n: BLOB[:n]),
    st.lists(st.tuples(st.integers(0, len(BLOB) - 1), st.integers(0, 255)), min_size=1, max_size=20).map(hit),
))  # fmt: skip
def test_any_bytes_open_or_are_refused(blob):
    try:
        open_world(blob).close()
    except (EvidenceError, UsageError) as why:
        assert str(why)


@pytest.mark.parametrize("disk", [False, True])
def test_the_guards_are_set_whatever_the_bytes_say(disk, tmp_path):
    w = open_world(edited("PRAGMA foreign_keys = 0"), tmp_path / "a.sqlite" if disk else None)
    assert w.value("PRAGMA foreign_keys") == 1
    assert w.value("PRAGMA trusted_schema") == 0
    assert w.db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
    assert w.db.limit(apsw.SQLITE_LIMIT_LENGTH) == 4 << 20
    with pytest.raises(apsw.SQLError, match="too many attached"):
        w.run("ATTACH ':memory:' AS other")
    with pytest.raises(apsw.ConstraintError):
        w.run("INSERT INTO toy_thing VALUES ('thg_x', 'box_none', 1, NULL)")
    with pytest.raises(apsw.TooBigError):
        w.run("INSERT INTO toy_thing VALUES ('thg_x', 'box_0', 1, zeroblob(5000000))")
    with pytest.raises(apsw.SQLError, match="may not be modified"):
        w.run("PRAGMA writable_schema = 1")
        w.run("DELETE FROM sqlite_schema")


# ---- files on disk ------------------------------


def steps(seed: int, n: int) -> list[tuple[str, dict]]:
    """Random calls, none of which is a planted bug (those leave no row)."""
    r = random.Random(seed)

    def box() -> str:
        return f"box_{r.choice('0129')}"

    make = [
        lambda: ("toy_make", {"label": f"l{r.randrange(30)}-{r.randrange(10**9)}"}),
        lambda: ("toy_put", {"box": box(), "weight": r.choice([1, 50, 101])}),
        lambda: ("toy_relabel", {"box": box(), "label": f"l{r.randrange(30)}"}),
        lambda: ("toy_later", {"minutes": r.randrange(3), "label": f"l{r.randrange(30)}"}),
        lambda: ("toy_send", {"box": box(), "idempotency_key": r.choice(["", "k"])}),
        lambda: ("tock_wait", {"minutes": r.randrange(3)}), lambda: ("toy_look", {"box": box()}),
        lambda: ("toy_put", {"box": box(), "weight": "heavy"}),
    ]  # fmt: skip
    return [r.choice(make)() for _ in range(n)]


CHILD = """
import sys
from pathlib import Path
from errands.world import open_world
from tests.world.test_open import BLOB, steps, play
w = open_world(BLOB, Path(sys.argv[1]))
for n, step in enumerate(steps(int(sys.argv[2]), 3000)):
    play(w, [step])
    print(n + 1, flush=True)
"""


@pytest.mark.parametrize("seed", range(5))
def test_a_killed_process_leaves_whole_calls(seed, tmp_path):
    path, stop = tmp_path / "a.sqlite", random.Random(seed).randrange(1, 400)
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(seed)], cwd=root, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        said = 0
        while said < stop:
            said = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        said = int((child.stdout.read().split() or [said])[-1])
    w = open_world(recovered(path))
    sound(w)
    done = len(rows(w, "call"))
    assert done in (said, said + 1)
    causes = {r["seq"]: r["kind"] for r in w.all("SELECT seq, kind FROM exam_ledger")}
    assert all(causes[e["cause"]] in ("call", "event") for e in rows(w, "effect"))
    # Going on from the torn file is going on as if nothing had happened.
    twin, script = world(), steps(seed, done + 20)
    play(twin, script[:done])
    assert play(w, script[done:]) == play(twin, script[done:])
    assert (w.world_digest(), w.now) == (twin.world_digest(), twin.now)


def test_a_file_at_rest_reads_as_the_world_in_memory(tmp_path):
    path = tmp_path / "a.sqlite"
    w = open_world(BLOB, path)
    for step in steps(1, 40):
        play(w, [step])
        again = open_world(path.read_bytes())
        assert (again.world_digest(), again.now) == (w.world_digest(), w.now)
    assert open_world(recovered(path)).world_digest() == w.world_digest()


def torn(tmp_path: Path) -> Path:
    """A file whose process died while half a call was already in it: the way back is in the journal."""
    w = open_world(BLOB, tmp_path / "a.sqlite")
    w.call("toy_make", {"label": "whole"})
    w.db.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; SAVEPOINT whole")
    for n in range(200):
        w.run("INSERT INTO toy_box VALUES (?, ?, 0)", f"box_half{n}", "half " * 100 + str(n))
    dead = tmp_path / "dead.sqlite"
    for end in ("", "-journal"):
        shutil.copy(f"{tmp_path}/a.sqlite{end}", f"{dead}{end}")
    w.close()
    assert b"half half" in dead.read_bytes()
    return dead


def test_half_a_call_in_the_file_is_taken_back(tmp_path):
    w = open_world(recovered(torn(tmp_path)))
    assert w.value("SELECT count(*) FROM toy_box WHERE label LIKE 'half%'") == 0
    assert w.value("SELECT count(*) FROM toy_box WHERE label = 'whole'") == 1
    sound(w)


def test_a_new_try_at_the_name_of_a_killed_one_is_not_touched_by_its_journal(tmp_path):
    path = torn(tmp_path)
    w = open_world(BLOB, path)
    assert w.value("SELECT count(*) FROM toy_box") == 3
    assert w.value("PRAGMA integrity_check") == "ok"
    sound(w)


# ---- what interrupts a call ------------------------------

stopped = App("stopped", schema="CREATE TABLE stopped_at (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;")


@stopped.write()
def by(w: World, what: str) -> None:
    """Write, then be interrupted."""
    w.insert("stopped_at", id=w.new_id("stp"))
    raise {"key": KeyboardInterrupt, "exit": SystemExit, "bug": ZeroDivisionError}[what]


@pytest.mark.parametrize("what", ["key", "exit", "bug"])
def test_an_interrupt_or_a_bug_in_a_call_leaves_none_of_it(what):
    w = open_world(Draft(("stopped",)).finish(now=0, zone="Asia/Seoul").blob)
    digest = w.world_digest()
    with pytest.raises((KeyboardInterrupt, SystemExit, WorldFault)):
        w.call("stopped_by", {"what": what})
    assert (w.world_digest(), w.now, w.value("SELECT count(*) FROM stopped_at")) == (digest, 0, 0)
    assert json.loads(w.fork().meta["apps"]) == ["stopped"], "no savepoint is left open"
    sound(w)
