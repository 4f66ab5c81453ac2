"""One desk for all: a folder in which the demo was run, offline and watched."""

import os
import shutil
from types import SimpleNamespace

import pytest

from .shell import Here, errands

# Fails on any connection, name look-up or other program, and leaves a note of it. What a plain installation does not
# bring is not to be found either.
GUARD = """
import os, sys
FORBIDDEN = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind",
             "subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.spawn")
def watch(event, args):
    if event in FORBIDDEN:
        with open(os.environ["GUARD_LOG"], "a") as log:
            log.write(f"{event} {args!r}\\n")
        raise PermissionError(f"forbidden: {event}")
sys.addaudithook(watch)
EXTRAS = {"babel", "holidays", "phonenumbers", "mcp", "uvicorn", "starlette", "playwright", "pydantic_ai"}
EXTRAS |= {"genai_prices", "pandas", "pyarrow", "numpy", "icalendar", "vobject"}
EXTRAS |= {"reportlab", "hypothesis", "time_machine"}
class Plain:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Plain())
open(os.environ["GUARD_LOG"], "a").close()
"""


@pytest.fixture(scope="session")
def guard(tmp_path_factory):
    """An environment in which Python opens no connection; `log` holds what was tried."""
    folder = tmp_path_factory.mktemp("guard")
    (folder / "sitecustomize.py").write_text(GUARD)
    log, home = folder / "log.txt", folder / "home"
    home.mkdir()
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    env = {
        "PYTHONPATH": path,
        "GUARD_LOG": log,
        "HOME": home,
        "XDG_CACHE_HOME": home,
        "XDG_CONFIG_HOME": home,
    }
    return SimpleNamespace(log=log, home=home, env=env)


@pytest.fixture(scope="session")
def desk(tmp_path_factory, guard):
    """An empty folder in which `errands demo` was run under the guard; `said` is what it printed."""
    folder = tmp_path_factory.mktemp("desk")
    said = errands("demo", cwd=folder, **guard.env).ok()
    return SimpleNamespace(path=folder, said=said, runs=folder / "errands-runs")


@pytest.fixture
def mine(desk, tmp_path, monkeypatch):
    """A private copy of the desk, as the working folder."""
    shutil.copytree(desk.runs, tmp_path / "errands-runs")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "errands-runs"


@pytest.fixture
def at_desk(desk, monkeypatch):
    """The desk itself as the working folder, for commands that change nothing sealed."""
    monkeypatch.chdir(desk.path)
    return desk


@pytest.fixture
def here(capfd):
    """`errands …` in this process."""
    return Here(capfd)
