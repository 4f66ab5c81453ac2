"""Ten deliberate leaks into the sandbox, one at a time: the preflight sees each, and none where there is none.

Each leak is shown to be one: a program inside reads what it must not. Where a box could ask for it, it is refused.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import errands
from errands.core.errors import UsageError
from errands.exam.sandbox import Box, Places, Ran, SandboxFault, program_reads
from errands.exam.sandbox.bubblewrap import Bubblewrap, _Hole
from errands.exam.sandbox.view import SCRIPTS, View

from .boxes import base_packages, echo, new_box, server

MARK = "private-marmalade-4711"
REPOSITORY = Path(errands.__file__).resolve().parents[2]
PACKAGES = Path(str(next(iter(importlib.metadata.distributions(name="errands"))).locate_file("")))
BASE_PACKAGES = base_packages()


@dataclass
class Room:
    """A box, the private places around it (each holds the mark), and the sandbox that knows of them."""

    box: Box
    sandbox: Bubblewrap
    cache: Path
    other: Path
    database: Path
    folder: Path

    def leak(self, *args: str, fds: tuple[int, ...] = (), env: dict[str, str] | None = None) -> None:
        """Drill a hole."""
        self.sandbox._hole = _Hole(args, fds, env or {})

    def run(self, *argv: str) -> Ran:
        """Run a program in the box."""
        return self.sandbox.start(argv, box=self.box, env={}, timeout=20)

    def failed(self) -> dict[str, str]:
        """The checks of the preflight that fail, with what they found; empty where it passes."""
        try:
            self.sandbox.probe(self.box, {})
        except SandboxFault as fault:
            assert fault.receipt is not None and not fault.receipt["ok"]
            found = {c["name"]: c["detail"] for c in fault.receipt["checks"] if not c["ok"]}
            assert all(f"{name}: {detail}" in str(fault) for name, detail in found.items())
            return found
        return {}


@pytest.fixture
def room(tmp_path):
    cache, other = tmp_path / "cache", tmp_path / "other" / "work"
    for folder in (cache, other):
        folder.mkdir(parents=True)
        (folder / "kept.txt").write_text(MARK)
    database = tmp_path / "results.sqlite"
    database.write_text(MARK)
    places = Places(databases=(database,), caches=(cache,), boxes=(tmp_path / "other",))
    return Room(new_box(tmp_path / "mine"), Bubblewrap(places), cache, other, database, tmp_path)


def bound(source: Path, dest: Path | None = None) -> list[str]:
    """Arguments that bind a path, below folders that all may enter."""
    to = dest or source
    parents = [a for p in reversed(to.parents[:-1]) for a in ("--perms", "0755", "--dir", str(p))]
    return [*parents, "--ro-bind", str(source), str(to)]


def refused(room: Room, path: Path, above: Path | None = None) -> None:
    """A box that asks for a private path, for what is above it, or for it by another name, is refused by name."""
    link = room.folder / f"innocent-{path.name}"
    link.symlink_to(path)
    for asked in (path, above or path.parent, link):
        box = replace(room.box, reads=(asked,))
        with pytest.raises(UsageError) as why:
            room.sandbox.start(["true"], box=box, env={}, timeout=20)
        assert str(asked) in str(why.value), asked
        with pytest.raises(UsageError):
            room.sandbox.probe(box, {})


def test_repository(room):
    room.leak(*bound(REPOSITORY))
    assert "errands" in room.run("cat", str(REPOSITORY / "pyproject.toml")).stdout.decode()
    failed = room.failed()
    assert str(REPOSITORY) in failed["private"] and "was not granted" in failed["mounts"] and "exam" in failed
    room.leak(*bound(REPOSITORY, Path("/opt/tools/handy")))
    assert "/opt/tools/handy" in room.failed()["private"]
    refused(room, REPOSITORY / "src")


def test_site_packages_that_hold_the_exam(room):
    room.leak(*bound(PACKAGES, BASE_PACKAGES))
    listed = room.run("ls", str(BASE_PACKAGES)).stdout.decode()
    assert f"errands-{errands.__version__}.dist-info" in listed
    failed = room.failed()
    assert str(BASE_PACKAGES) in failed["private"] and "errands-" in failed["exam"]
    refused(room, PACKAGES, PACKAGES.parents[2])
    refused(room, PACKAGES / "apsw", PACKAGES)


def test_exam_code_that_can_be_imported(room):
    """A copy of the exam that no known place names."""
    package = room.folder / "copy" / "errands" / "exam"
    package.mkdir(parents=True)
    (package / "sitting.py").write_text("")
    (package.parent / "__init__.py").write_text("")
    room.leak(*bound(room.folder / "copy", BASE_PACKAGES))
    python = room.sandbox.inside(room.box).python
    assert room.run(python, "-c", "import errands").code == 0
    assert "`import errands` works" in room.failed()["exam"]
    with pytest.raises(UsageError, match=r"copy/errands"):
        room.sandbox.start(["true"], box=replace(room.box, reads=(room.folder / "copy",)), env={}, timeout=20)


def test_fixture_cache(room):
    for dest in (room.cache, Path("/srv/data")):
        room.leak(*bound(room.cache, dest))
        assert room.run("cat", f"{dest}/kept.txt").stdout.decode() == MARK
        failed = room.failed()
        assert str(dest) in failed["private"] and str(dest) in failed["mounts"]
    refused(room, room.cache)


def test_environment_of_another_process(room):
    uid = int(room.run("stat", "-c", "%u", "/work").stdout) if os.geteuid() == 0 else None
    with subprocess.Popen(
        ["sleep", "300"],
        env={"OTHERS_SECRET": MARK},
        user=uid,
        group=uid,
        extra_groups=None if uid is None else [],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as other:
        try:
            room.leak("--ro-bind", "/proc", "/proc")
            seen = room.run("ls", f"/proc/{other.pid}")
            assert seen.code == 0
            if uid is not None:  # in a user namespace it can be seen, but not read
                assert MARK in room.run("cat", f"/proc/{other.pid}/environ").stdout.decode()
                assert "OTHERS_SECRET" in room.failed()["processes"]
            assert "is not ours and can be seen" in room.failed()["processes"]
        finally:
            other.kill()


def test_symlink_in_the_workspace(room):
    link = room.box.workspace / "notes.txt"
    link.symlink_to(room.database)
    assert room.run("cat", "/work/notes.txt").code != 0
    assert not room.failed()  # it leads nowhere
    room.leak(*bound(room.database))
    assert room.run("cat", "/work/notes.txt").stdout.decode() == MARK
    failed = room.failed()
    assert failed["symlinks"] == f"/work/notes.txt leads to {room.database}" and "private" in failed


def test_inherited_descriptor(room):
    fd = os.open(room.database, os.O_RDONLY)
    try:
        room.leak(fds=(fd,))
        python = room.sandbox.inside(room.box).python
        assert MARK in room.run(python, "-c", f"import os; print(os.read({fd}, 99))").stdout.decode()
        assert f"descriptor {fd} is open: {room.database}" in room.failed()["descriptors"]
    finally:
        os.close(fd)


def test_unix_socket(room):
    with server(room.folder / "other.sock", echo) as path:
        path.chmod(0o666)
        room.leak(*bound(path, Path("/opt/other.sock")))
        python = room.sandbox.inside(room.box).python
        dial = "import socket as k; s = k.socket(k.AF_UNIX); s.connect('/opt/other.sock'); s.send(b'hi')"
        assert room.run(python, "-c", f"{dial}; print(s.recv(9))").stdout.decode().strip() == "b'hi'"
        assert "/opt/other.sock is a socket that was not granted" in room.failed()["sockets"]


def test_secret_in_the_environment(room):
    room.leak(env={"OPENAI_API_KEY": MARK})
    assert room.run("printenv", "OPENAI_API_KEY").stdout.decode().strip() == MARK
    assert "OPENAI_API_KEY" in room.failed()["environment"]


def test_granted_secret_elsewhere(room):
    """A secret that was granted in one variable stands in another, or a key that nobody granted in a plain one."""
    granted = {"MODEL_KEY": MARK}
    assert room.sandbox.probe(room.box, granted)["ok"]
    for env in ({"LOGNAME": f"agent:{MARK}"}, {"LOGNAME": "sk-" + "x1" * 16}):
        room.leak(env=env)
        with pytest.raises(SandboxFault, match="LOGNAME holds what looks like a secret"):
            room.sandbox.probe(room.box, granted)


def test_workspace_of_another_attempt(room):
    for dest in (room.other, Path("/opt/elsewhere")):
        room.leak(*bound(room.other.parent, dest))
        assert MARK in room.run("cat", f"{dest}/work/kept.txt").stdout.decode()
        assert str(dest) in room.failed()["private"]
    refused(room, room.other)
    for box in (Box(room.other, room.box.home), Box(room.box.workspace, room.other.parent)):
        with pytest.raises(UsageError, match="the box of another attempt"):
            room.sandbox.start(["true"], box=box, env={}, timeout=20)


def test_results_database(room):
    room.leak(*bound(room.database))
    assert room.run("cat", str(room.database)).stdout.decode() == MARK
    failed = room.failed()
    assert str(room.database) in failed["private"] and str(room.database) in failed["mounts"]
    refused(room, room.database)


def test_something_else_of_the_home(room, monkeypatch):
    """A folder of the user's home beside the one that was granted."""
    home = room.folder / "user"
    for name in ("tool", ".ssh"):
        (home / name).mkdir(parents=True)
        (home / name / "key").write_text(MARK)
    monkeypatch.setenv("HOME", str(home))
    room.box = replace(room.box, reads=(home / "tool",))
    assert not room.failed()
    room.leak(*bound(home / ".ssh"))
    assert room.run("cat", str(home / ".ssh" / "key")).stdout.decode() == MARK
    assert f"home of this machine's user shows {home / '.ssh'}" in room.failed()["private"]
    with pytest.raises(UsageError, match="lies above the home"):
        room.sandbox.probe(replace(room.box, reads=(home,)), {})


def test_without_a_sandbox_the_preflight_fails(room):
    """The same preflight, run right here, sees everything."""
    known = View.of(room.box, room.sandbox.places).known({})
    known["system"] = [str(p) for p in Path("/").iterdir()]  # not to walk this whole machine
    with socket.create_server(("127.0.0.1", 0)) as listening:
        done = subprocess.run(
            [sys.executable, SCRIPTS / "probe.py"],
            input=json.dumps(known).encode(),
            env={**os.environ, "OTHERS_SECRET": MARK},
            capture_output=True,
            check=True,
        )
        port = listening.getsockname()[1]
    receipt = json.loads(done.stdout)
    failed = {c["name"]: c["detail"] for c in receipt["checks"] if not c["ok"]}
    assert not receipt["ok"]
    assert {"private", "mounts", "exam", "environment", "processes", "network", "host"} <= set(failed)
    assert os.geteuid() != 0 or "it runs as root" in failed["privileges"]
    assert port in receipt["seen"]["ports"] and "errands" in failed["exam"]


def test_no_false_alarm(room, tmp_path):
    """The good sandbox passes five times: bare, with a program of Node and one of Python, sockets and secrets."""
    node = Path(shutil.which("node") or "node is not installed").resolve()
    prefix = tmp_path / "nvm" / "v20"
    package = prefix / "lib" / "node_modules" / "@acme" / "agent"
    for folder in (prefix / "bin", package / "node_modules" / "left"):
        folder.mkdir(parents=True)
    (prefix / "bin" / "node").symlink_to(node)
    (package / "cli.js").write_text("#!/usr/bin/env node\nconsole.log(require('left'))\n")
    (package / "cli.js").chmod(0o755)
    (package / "node_modules" / "left" / "index.js").write_text("module.exports = 'right'\n")
    (prefix / "bin" / "agent").symlink_to("../lib/node_modules/@acme/agent/cli.js")
    (room.box.home / ".config").mkdir()
    (room.box.workspace / "latest").symlink_to(".")
    (room.box.workspace / "python").symlink_to("/usr/bin/env")
    with server(tmp_path / "mcp.sock", echo) as path:
        rich = replace(
            room.box,
            reads=tuple(program_reads(str(prefix / "bin" / "agent"))),
            sockets={"mcp": path},
            tcp={8931: "mcp"},
        )
        for box, env in ((room.box, {}), (rich, {"MODEL_KEY": MARK}), (rich, {}), (rich, {}), (room.box, {})):
            receipt = room.sandbox.probe(box, env)
            assert receipt["ok"] and receipt["sandbox"] == "bubblewrap", receipt
            assert all(c["ok"] and not c["detail"] for c in receipt["checks"])
            assert receipt["seen"]["ports"] == [*box.tcp]
            assert receipt["seen"]["sockets"] == [f"/run/errands/{n}" for n in box.sockets]


def test_checks_that_break_do_not_pass(room):
    """A preflight that cannot look is not a preflight that saw nothing."""
    room.leak("--tmpfs", "/proc")
    with pytest.raises(SandboxFault):
        room.sandbox.probe(room.box, {})
    room.leak("--ro-bind", "/dev/null", "/run/errands/probe.py")
    with pytest.raises(SandboxFault, match="without a receipt"):
        room.sandbox.probe(room.box, {})
