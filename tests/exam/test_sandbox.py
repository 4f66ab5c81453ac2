"""The sandbox of command-line agents: what a program inside gets, and that nothing of it outlives its run."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import venv
from dataclasses import replace
from pathlib import Path

import pytest

import errands
from errands.core.errors import UsageError
from errands.exam.sandbox import Places, SandboxFault, open_sandbox, program_reads
from errands.exam.sandbox.bubblewrap import Bounds, Bubblewrap
from errands.exam.sandbox.host import UnsafeHost

from .boxes import alive, base_packages, echo, new_box, server

KINDS = ("bubblewrap", "unsafe-host")
SOURCE = Path(errands.__file__).resolve().parents[1]


@pytest.fixture
def box(tmp_path):
    return new_box(tmp_path / "mine")


@pytest.fixture
def mark():
    """Seconds to sleep that no other test sleeps: found again in the list of processes."""
    return f"{random.randrange(10**6, 10**7)}.{random.randrange(10**6)}"


def run(box, *argv, kind="bubblewrap", timeout=20.0, **more):
    return open_sandbox(kind).start(argv, box=box, env=more.pop("env", {}), timeout=timeout, **more)


def until(condition, seconds=10.0):
    """Wait for something that is about to be."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


# ---- what a program gets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_is_fed_and_listened_to(box, kind):
    (box.workspace / "asked.txt").write_text("a file of the exam")
    words = "cat asked.txt; cat; echo done > made.txt; echo trouble >&2; exit 7"
    ran = run(box, "sh", "-c", words, kind=kind, stdin=b" and stdin")
    assert (ran.code, ran.stdout, ran.stderr) == (7, b"a file of the exam and stdin", b"trouble\n")
    assert not ran.timed_out and 0 < ran.seconds < 20 and ran.dropped == (0, 0)
    assert (box.workspace / "made.txt").read_text() == "done\n"


def test_environment_is_what_was_granted(box, monkeypatch):
    monkeypatch.setenv("ERRANDS_HOST_SECRET", "no")
    names = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM", "PWD"}
    for kind, plain in (
        ("bubblewrap", names),
        ("unsafe-host", {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM"}),
    ):
        ran = run(box, "/usr/bin/env", "-0", kind=kind, env={"MODEL_KEY": "two\nlines"})
        got = dict(word.split("=", 1) for word in ran.stdout.decode().split("\0") if word)
        assert set(got) - {"LC_CTYPE"} == plain | {"MODEL_KEY"} and got["MODEL_KEY"] == "two\nlines"
        assert got["HOME"] == open_sandbox(kind).inside(box).home


def test_only_the_box_can_be_written(box, tmp_path):
    places = "/ /usr /etc /dev /home /run/errands /proc/sys /root /opt"
    words = f'for p in {places}; do touch $p/x 2>/dev/null && echo "$p"; done; '
    words += "touch /work/x ~/x /tmp/x /dev/shm/x && echo ok"
    assert run(box, "sh", "-c", words).stdout == b"ok\n"
    assert (box.workspace / "x").exists() and (box.home / "x").exists()
    reads = tmp_path / "tool"
    reads.mkdir()
    ran = run(replace(box, reads=(reads,)), "touch", str(reads / "x"))
    assert ran.code != 0 and b"Read-only" in ran.stderr


def test_it_is_nobody_on_no_network(box):
    ran = run(
        box, "sh", "-c", "id -un; hostname; cat /proc/net/dev | tail -n +3 | cut -d: -f1; ls /home /run /etc"
    )
    user, host, *rest = ran.stdout.decode().split()
    assert (user, host, rest[0]) == ("agent", "sandbox", "lo")
    assert "resolv.conf" not in rest and "shadow" not in rest and "agent" in rest
    dial = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
    ran = run(box, Bubblewrap().inside(box).python, "-c", dial)
    assert b"Network is unreachable" in ran.stderr and ran.seconds < 5


def test_output_is_bounded_and_the_rest_is_counted(box):
    sandbox = Bubblewrap(max_output=100_000)
    ran = sandbox.start(
        ["sh", "-c", "head -c 3000000 /dev/zero; head -c 5 /dev/zero >&2"], box=box, env={}, timeout=20
    )
    assert (len(ran.stdout), ran.dropped, len(ran.stderr), ran.code) == (100_000, (2_900_000, 0), 5, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_much_input_and_much_output_at_once(box, kind):
    data = random.Random(7).randbytes(3 << 20)
    assert run(box, "cat", kind=kind, stdin=data).stdout == data
    assert run(box, "true", kind=kind, stdin=data).code == 0  # it does not want to hear it


def test_one_sandbox_serves_many_threads(tmp_path):
    """Twelve boxes at once stay apart, and nothing that they needed stays open."""
    sandbox = Bubblewrap()
    boxes = [new_box(tmp_path / str(n)) for n in range(12)]
    got: dict[int, bytes] = {}

    def sit(n):
        (boxes[n].workspace / "n").write_text(str(n))
        words = ["sh", "-c", "cat n - | tee copy; ls"]
        got[n] = sandbox.start(words, box=boxes[n], env={}, timeout=30, stdin=b"!").stdout

    sit(0)
    before = len([*Path("/proc/self/fd").iterdir()])
    threads = [threading.Thread(target=sit, args=(n,)) for n in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == {n: f"{n}!copy\nn\n".encode() for n in range(12)}
    assert until(lambda: len([*Path("/proc/self/fd").iterdir()]) <= before)
    if os.geteuid() == 0:
        owners = [b.workspace.stat().st_uid for b in boxes]
        assert len({*owners}) == 12 and min(owners) > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_is_not_there(box, kind):
    ran = run(box, "no-such-program", kind=kind)
    assert ran.code == 127 and b"no-such-program" in ran.stderr


def test_a_program_that_speaks_like_the_sandbox_is_no_fault_of_it(box):
    ran = run(box, "sh", "-c", "echo 'bwrap: cannot be built' >&2; exit 1")
    assert (ran.code, ran.stderr) == (1, b"bwrap: cannot be built\n")


def test_limits(box):
    def limited(script, **bounds):
        python = Bubblewrap().inside(box).python
        return Bubblewrap(bounds=Bounds(**bounds)).start([python, "-c", script], box=box, env={}, timeout=30)

    forks = "import os, time\nfor n in range(60):\n    if os.fork() == 0: time.sleep(60)\n"
    assert b"BlockingIOError" in limited(forks, processes=20).stderr
    assert limited(forks.replace("60", "3"), processes=20).code == 0
    assert b"MemoryError" in limited("b'x' * (300 << 20)", memory=200 << 20).stderr
    big = "open('/work/big', 'wb').write(bytes(3 << 20))"
    assert b"File too large" in limited(big, file=1 << 20).stderr
    assert b"No space left" in limited(big.replace("/work", "/tmp"), scratch=1 << 20).stderr


# ---- its end -----------------------------------------------------------------------------------------------

# Leaves two processes behind: one that was forked twice in a session of its own and holds no pipe, one that does.
DAEMON = "(setsid sh -c 'sleep {0} & sleep {0}' >/dev/null 2>&1 </dev/null &); (setsid sleep {0} &); "


@pytest.mark.parametrize("kind", KINDS)
def test_daemons_are_dead_when_the_program_has_ended(box, kind, mark):
    words = DAEMON + "until [ $(pgrep -fc '^sleep {0}') = 3 ]; do :; done; exit 3"
    ran = run(box, "sh", "-c", words.format(mark), kind=kind)
    assert ran.code == 3 and not ran.timed_out and not alive(mark)


@pytest.mark.parametrize("kind", KINDS)
def test_time_is_over(box, kind, mark):
    words = DAEMON + "trap '' TERM INT HUP; echo begun; sleep {0}"
    ran = run(box, "sh", "-c", words.format(mark), kind=kind, timeout=0.7)
    assert ran.timed_out and ran.code != 0 and ran.stdout == b"begun\n"
    assert 0.7 <= ran.seconds < 10 and not alive(mark)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_ended_from_outside(box, kind, mark):
    ends = []
    thread = threading.Thread(target=lambda: until(lambda: ends and alive(mark)) and ends[0]())
    thread.start()
    ran = run(box, "sh", "-c", (DAEMON + "sleep {0}").format(mark), kind=kind, at_end=ends.append)
    thread.join()
    assert not ran.timed_out and ran.code != 0 and not alive(mark)
    ends[0]()  # a desk that is stopped later does no harm


@pytest.mark.parametrize("kind", KINDS)
def test_it_dies_with_the_exam(tmp_path, kind, mark):
    script = f"""
import sys; from pathlib import Path; from errands.exam.sandbox import Box, open_sandbox
box = Box(Path({str(tmp_path / "mine" / "work")!r}), Path({str(tmp_path / "mine" / "home")!r}))
open_sandbox({kind!r}).start(["sh", "-c", {(DAEMON + "sleep {0}").format(mark)!r}], box=box, env={{}}, timeout=60)
"""
    new_box(tmp_path / "mine")
    with subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(SOURCE)}
    ) as exam:
        assert until(lambda: len([w for w in alive(mark) if w.startswith("sleep")]) == 4, 20)
        exam.send_signal(signal.SIGKILL)
    assert until(lambda: not [w for w in alive(mark) if w.startswith(("sleep", "sh"))])


def test_an_unsafe_host_whose_keeper_is_killed_ends_what_it_can(box, mark):
    """The program kills its keeper: what is left in the group is ended, and the run is over."""
    words = f"kill -9 $PPID; sleep {mark}"
    ran = run(box, "sh", "-c", words, kind="unsafe-host")
    assert ran.code == -signal.SIGKILL and until(lambda: not alive(mark))


# ---- ways out ----------------------------------------------------------------------------------------------

DIAL = """
import socket, sys
s = socket.create_connection(("127.0.0.1", {port}), 10)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_port_leads_to_a_socket_and_half_closes(box, kind, tmp_path):
    sandbox = open_sandbox(kind)
    port = sandbox.port(8931)
    script = DIAL.format(port=port) + (
        "data = bytes(range(256)) * 8000\n"
        "import threading; threading.Thread(target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR))).start()\n"
        "got = b''\n"
        "while d := s.recv(65536): got += d\n"
        "print(got == data + b'<end>'); sys.exit(9)\n"
    )
    with server(tmp_path / "mcp.sock", echo) as path:
        served = replace(box, sockets={"mcp": path}, tcp={port: "mcp"})
        ran = sandbox.start([sandbox.inside(served).python, "-c", script], box=served, env={}, timeout=30)
    assert (ran.stdout, ran.code) == (b"True\n", 9), ran


def test_a_stream_stays_a_stream(box, tmp_path):
    """Each event arrives before the next is sent: the server waits for the word that it did."""

    def stream(near):
        for n in range(20):
            near.sendall(b"data: %d\n\n" % n)
            if near.recv(99) != b"got %d" % n:
                return
        near.sendall(b"all")

    script = DIAL.format(port=80) + (
        "for n in range(20):\n    assert s.recv(99) == b'data: %d\\n\\n' % n\n    s.sendall(b'got %d' % n)\n"
        "print(s.recv(99))"
    )
    with server(tmp_path / "sse.sock", stream) as path:
        served = replace(box, sockets={"sse": path}, tcp={8080: "sse"})
        python = Bubblewrap().inside(box).python
        ran = run(served, python, "-c", script.replace("80)", "8080)"))
    assert ran.stdout == b"b'all'\n", ran


def test_many_connections_stay_apart(box, tmp_path):
    script = """
import socket, threading
def talk(n):
    with socket.create_connection(("127.0.0.1", 8000 + n % 2), 10) as s:
        s.sendall(str(n).encode() * 1000); s.shutdown(socket.SHUT_WR)
        got = b"".join(iter(lambda: s.recv(65536), b""))
        good.append(got == str(n).encode() * 1000 + (b"<end>" if n % 2 else b""))
good = []
threads = [threading.Thread(target=talk, args=(n,)) for n in range(40)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(good), all(good))
"""

    def plain(near):
        while data := near.recv(65536):
            near.sendall(data)

    with server(tmp_path / "a.sock", plain) as a, server(tmp_path / "b.sock", echo) as b:
        served = replace(box, sockets={"a": a, "b": b}, tcp={8000: "a", 8001: "b"})
        ran = run(served, Bubblewrap().inside(box).python, "-c", script)
    assert ran.stdout == b"40 True\n", ran


def test_a_server_that_is_gone_is_a_closed_connection(box, tmp_path):
    gone = tmp_path / "gone.sock"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(gone))
    served = replace(box, sockets={"mcp": gone}, tcp={8931: "mcp"})
    ran = run(served, Bubblewrap().inside(box).python, "-c", DIAL.format(port=8931) + "print(s.recv(9))")
    assert ran.stdout == b"b''\n" and b"relay: /run/errands/mcp: Connection refused" in ran.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_stdio_is_bridged_to_a_socket(box, kind, tmp_path):
    """What a client of MCP over stdio starts: it hears lines at once, and the end when the server ends."""
    sandbox = open_sandbox(kind)
    with server(tmp_path / "mcp.sock", echo) as path:
        served = replace(box, sockets={"mcp": path})
        view = sandbox.inside(served)
        script = f"""
import subprocess
p = subprocess.Popen({[view.python, view.relay, "stdio", view.sockets["mcp"]]!r}, stdin=-1, stdout=-1)
for n in range(3):
    p.stdin.write(b"line %d\\n" % n); p.stdin.flush()
    assert p.stdout.readline() == b"line %d\\n" % n
p.stdin.close()
print(p.stdout.read(), p.wait())
"""
        ran = sandbox.start([view.python, "-c", script], box=served, env={}, timeout=20)
    assert ran.stdout == b"b'<end>' 0\n", ran


# ---- what its program needs --------------------------------------------------------------------------------


def test_a_program_of_a_python_environment(box, tmp_path):
    """With a package installed, one being developed elsewhere, and nothing of the base's own packages."""
    home = tmp_path / "tools"
    venv.create(home / "env", with_pip=False)
    packages = next((home / "env" / "lib").glob("python*")) / "site-packages"
    (packages / "installed.py").write_text("WORD = 'installed'\n")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "developed.py").write_text("WORD = 'developed'\n")
    (packages / "developed.pth").write_text(f"{tmp_path / 'project'}\n")
    script = home / "env" / "bin" / "agent"
    script.write_text(
        f"#!{home / 'env' / 'bin' / 'python'}\n"
        "import importlib.util, installed, developed, ssl, sqlite3, sys\n"
        "print(installed.WORD, developed.WORD, importlib.util.find_spec('errands'), sys.prefix)\n"
    )
    script.chmod(0o755)
    (home / "agent").symlink_to("env/bin/agent")
    reads = program_reads(str(home / "agent"))
    box = replace(box, reads=tuple(reads))
    said = f"installed developed None {home / 'env'}\n"
    assert run(box, str(home / "agent")).stdout.decode() == said
    assert run(box, "agent").stdout.decode() == said  # it is on the PATH
    assert not [p for p in reads if p in (home, tmp_path, tmp_path / "mine")]
    python = program_reads(str(home / "env" / "bin" / "python"))
    ran = run(replace(box, reads=tuple(python)), "python", "-m", "installed")
    assert ran.code == 0, ran


def test_a_program_of_node(box, tmp_path, monkeypatch):
    """Installed for all, and a script of a project; node itself outside of the system's folders."""
    prefix, project = tmp_path / "nvm", tmp_path / "project"
    package = prefix / "lib" / "node_modules" / "@acme" / "agent"
    for folder in (prefix / "bin", package / "node_modules" / "left", project / "node_modules" / "right"):
        folder.mkdir(parents=True)
    (prefix / "bin" / "node").symlink_to("/usr/bin/node")
    (prefix / "lib" / "node_modules" / "other").mkdir()
    (package / "node_modules" / "left" / "index.js").write_text("module.exports = 'left'\n")
    (package / "cli.js").write_text("#!/usr/bin/env node\nconsole.log(require('left'))\n")
    (prefix / "bin" / "agent").symlink_to("../lib/node_modules/@acme/agent/cli.js")
    (project / "package.json").write_text('{"type": "module"}')
    (project / "node_modules" / "right" / "index.js").write_text("module.exports = 'right'\n")
    (project / "run.js").write_text("#!/usr/bin/env -S node\nimport right from 'right'; console.log(right)\n")
    for script in (package / "cli.js", project / "run.js"):
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name, said in (("agent", b"left\n"), (str(project / "run.js"), b"right\n")):
        reads = program_reads(name)
        ran = run(replace(box, reads=tuple(reads)), name)
        assert ran.stdout == said, ran
        assert prefix / "lib" / "node_modules" not in reads


def test_programs_that_cannot_be_shown(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no program 'no-such-agent'"):
        program_reads("no-such-agent")
    (tmp_path / "shims").mkdir()
    shim = tmp_path / "shims" / "agent"
    shim.write_text("#!/bin/sh\n")
    shim.chmod(0o755)
    with pytest.raises(UsageError, match="name the real one"):
        program_reads(str(shim))
    assert program_reads("sh") == []


def test_a_program_that_only_root_can_read(box, tmp_path):
    """Under root the agent is somebody else, and is told so before it starts; an ordinary user is himself."""
    tool = tmp_path / "tool"
    tool.mkdir(mode=0o700)
    (tool / "word").write_text("read")
    box = replace(box, reads=(tool,))
    if os.geteuid() == 0:
        with pytest.raises(UsageError, match=r"not readable by others.*chmod -R o\+rX"):
            run(box, "cat", str(tool / "word"))
    else:
        assert run(box, "cat", str(tool / "word")).stdout == b"read"


def test_packages_of_the_system_are_hidden_unless_named(box, tmp_path):
    library = tmp_path / "base" / "lib"
    packages = library / "python3.99" / "site-packages"
    (packages / "one").mkdir(parents=True)
    (packages / "two").mkdir()
    seen = {
        (library,): b"",
        (library, packages): b"one\ntwo\n",
        (library, packages / "two"): b"two\n",
        (tmp_path / "base",): b"one\ntwo\n",  # an environment of its own
    }
    for reads, said in seen.items():
        assert run(replace(box, reads=reads), "ls", str(packages)).stdout == said, reads
    hidden = [base_packages(), *Path("/usr/lib").glob("python3*/dist-packages")]
    assert [*hidden[0].iterdir()], "nothing to hide"
    for folder in hidden:
        assert run(box, "ls", str(folder)).stdout == b"", folder


def test_a_private_place_below_the_system_is_empty(box):
    """A repository or a cache below /usr: everybody sees /usr, and nobody sees that."""
    folder = Path("/usr/share/zoneinfo")
    sandbox = Bubblewrap(
        Places(caches=(folder / "Asia",), databases=(folder / "UTC",), runs=(folder / "Asia" / "x",))
    )
    ran = sandbox.start(["sh", "-c", f"ls {folder}/Asia; cat {folder}/UTC"], box=box, env={}, timeout=20)
    assert ran.stdout == b"" and b"UTC" in ran.stderr
    assert sandbox.probe(box, {})["ok"]


def test_boxes_that_cannot_be(box, tmp_path):
    (tmp_path / "file").write_text("")
    for wrong, word in (
        (replace(box, reads=(tmp_path / "nowhere",)), "nowhere"),
        (replace(box, sockets={"mcp": tmp_path / "file"}), "not a unix socket"),
        (replace(box, tcp={80: "mcp"}), "does not have"),
        (replace(box, sockets={"../mcp": tmp_path / "file"}), "name of a socket"),
        (replace(box, workspace=tmp_path / "nowhere"), "not a folder"),
        (replace(box, home=Path.home()), "the home of this machine's user"),
        (replace(box, reads=(Path("/"),)), "lies above"),
    ):
        with pytest.raises(UsageError, match=word):
            run(wrong, "true")
    with pytest.raises(UsageError, match="zero byte"):
        run(box, "true", env={"A": "x\0--bind\0/\0/all"})


# ---- machines without it -----------------------------------------------------------------------------------


def test_this_machine_can():
    """A machine without bubblewrap fails here, and is not skipped: apt-get install bubblewrap."""
    open_sandbox().check()
    open_sandbox("unsafe-host").check()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "bwrap: No permissions to create new namespace, likely because the kernel does not allow",
            "AppArmor profile",
        ),
        ("bwrap: setting up uid map: Permission denied", "systempaths=unconfined"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "hides parts of /proc"),
        ("bwrap: execvp /usr/bin/prlimit: No such file or directory", "apt-get install util-linux"),
        ("bwrap: something else", "something else"),
    ],
)
def test_a_machine_that_forbids_it_says_what_can_be_done(tmp_path, box, said, words):
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 1\n')
    bwrap.chmod(0o755)
    with pytest.raises(UsageError) as why:
        Bubblewrap(bwrap=str(bwrap)).check()
    assert words in str(why.value) and "--unsafe-host" in str(why.value)
    with pytest.raises(SandboxFault, match="could not be built"):
        Bubblewrap(bwrap=str(bwrap)).start(["true"], box=box, env={}, timeout=20)


def test_machines_that_have_none(monkeypatch, box):
    for call in (
        Bubblewrap(bwrap="/nowhere/bwrap").check,
        lambda: Bubblewrap(bwrap="/nowhere/bwrap").start(["true"], box=box, env={}, timeout=20),
    ):
        with pytest.raises(UsageError, match="apt-get install bubblewrap"):
            call()
    for system in ("darwin", "win32"):
        monkeypatch.setattr(sys, "platform", system)
        with pytest.raises(UsageError, match=r"virtual machine or container.*webhook.*--unsafe-host"):
            Bubblewrap().check()


def test_an_unsafe_host_says_that_it_looked_at_nothing(box):
    receipt = UnsafeHost().probe(box, {})
    assert receipt == {"ok": False, "checks": [], "seen": {}, "sandbox": "unsafe-host"}


# ---- as an ordinary user -----------------------------------------------------------------------------------

ORDINARY = """
import json, os, sys, tempfile
from pathlib import Path
from errands.core.errors import UsageError
from errands.exam.sandbox import Box, SandboxFault
from errands.exam.sandbox.bubblewrap import Bounds, Bubblewrap, _Hole

source, python = sys.argv[1:]
folder = Path(tempfile.mkdtemp())
for name in ("work", "home"): (folder / name).mkdir()
box, sandbox, said = Box(folder / "work", folder / "home"), Bubblewrap(bounds=Bounds(processes=20)), {}
def run(*argv): return sandbox.start(argv, box=box, env={}, timeout=20)

sandbox.check()
said["uid"] = os.getuid()
said["receipt"] = sandbox.probe(box, {})["ok"]
said["ran"] = run("sh", "-c", "id -un; touch /work/made /tmp/made; touch /dev/x || touch /x || exit 5").code
said["made"] = (folder / "work" / "made").exists()
forks = "import os, time\\nfor n in range(60):\\n  if os.fork() == 0: time.sleep(9)"
said["forks"] = run(python, "-c", forks).stderr.decode()[-200:]
sandbox._hole = _Hole(("--ro-bind", source, "/opt/src"))
try: sandbox.probe(box, {})
except SandboxFault as fault: said["leak"] = str(fault)
sandbox._hole = _Hole(("--ro-bind", "/proc", "/proc"))
try: sandbox.probe(box, {})
except SandboxFault as fault: said["proc"] = str(fault)
print(json.dumps(said))
"""


def as_ordinary_user(*argv: str) -> list[str]:
    """The words that run a program as an ordinary user; under root with our folders opened to others."""
    if os.geteuid() != 0:
        return [*argv]
    words = ["bwrap", "--dev-bind", "/", "/"]
    for needed in (Path(sys.base_prefix), SOURCE):
        closed = [p for p in reversed(needed.parents) if not p.stat().st_mode & 0o001]
        if closed:
            inner = [p for p in reversed(needed.parents) if closed[0] in p.parents]
            words += ["--tmpfs", str(closed[0]), "--chmod", "0755", str(closed[0])]
            words += [w for p in inner for w in ("--perms", "0755", "--dir", str(p))]
            words += ["--ro-bind", str(needed), str(needed)]
    return [*words, "--", "setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "--", *argv]


def test_an_ordinary_user_has_the_same_sandbox(box):
    python = Bubblewrap().inside(box).python
    words = as_ordinary_user(python, "-c", ORDINARY, str(SOURCE), python)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=env, cwd="/")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["uid"] != 0 and said["receipt"] and said["made"] and said["ran"] == 5
    assert "BlockingIOError" in said["forks"]
    assert "/opt/src" in said["leak"] and "is not ours and can be seen" in said["proc"]
