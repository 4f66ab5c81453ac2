"""`errands doctor`: is this machine ready?"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import typer

from errands.records.find import RUNS

from .options import Json
from .screen import commands, console, put


def doctor(json: Json = False) -> None:
    """Check the machine: Python, SQLite with its hook, zone data, the library, a place to write, ways to sit."""
    from rich.markup import escape

    checks = [_python(), _sqlite(), _zones(), _library(), _writable(), *_ways()]
    ok = all(c["ok"] for c in checks)
    if json:
        put({"ok": ok, "checks": checks})
    else:
        for c in checks:
            console().print(
                f" {_mark(c)} {c['name']:<10} {escape(c['what'])}",
                soft_wrap=True,
            )
        if ok:
            commands("Next", ["errands demo"], width=10)
    if not ok:
        raise typer.Exit(2)


def _mark(c: dict[str, Any]) -> str:
    if not c["ok"]:
        return "[red]✗[/]"
    return "[yellow]–[/]" if c["what"].startswith("for ") else "[green]✓[/]"


def _check(name: str, ok: bool, what: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "what": what}


def _ways() -> list[dict[str, Any]]:
    """What else agents may need to sit; what is missing is said, and is no fault of the machine."""
    has = {name: importlib.util.find_spec(name) is not None for name in ("mcp", "uvicorn", "pydantic_ai")}
    mcp = has["mcp"] and has["uvicorn"]
    from errands.doors.browser import INSTALL, can_browse
    from errands.exam import ocr

    bwrap = shutil.which("bwrap")
    return [
        _check(
            "mcp",
            True,
            "present" if mcp else "for MCP, command-line agents, webhooks: pip install 'errands[mcp]'",
        ),
        _check(
            "models", True, "present" if has["pydantic_ai"] else "for model:…: pip install 'errands[models]'"
        ),
        _check("browser", True, "present" if can_browse() else f"for errands on websites: {INSTALL}"),
        _check(
            "pictures", True, "present" if ocr.can_read() else f"for errands about pictures: {ocr.INSTALL}"
        ),
        _check(
            "sandbox",
            True,
            "bubblewrap present" if bwrap else "for cmd:… on Linux: apt-get install bubblewrap",
        ),
    ]


def _python() -> dict[str, Any]:
    return _check(
        "python",
        sys.version_info >= (3, 11),
        f"{platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def _sqlite() -> dict[str, Any]:
    import apsw

    ok = hasattr(apsw.Connection, "preupdate_hook")
    return _check(
        "sqlite",
        ok,
        f"apsw {apsw.apsw_version()}, pre-update hook {'present' if ok else 'missing: pip install -U apsw'}",
    )


def _zones() -> dict[str, Any]:
    from errands.core.clock import zone

    return _check(
        "zones",
        zone("Asia/Singapore").key == "Asia/Singapore",
        f"tzdata {importlib.metadata.version('tzdata')}, packaged",
    )


def _library() -> dict[str, Any]:
    from errands.core.errors import ErrandsError
    from errands.tasks.registry import tasks

    try:
        found = tasks()
        for t in found:
            _ = t.criteria, t.solutions
    except (ErrandsError, ValueError) as why:
        return _check("library", False, str(why))
    return _check("library", bool(found), f"{len(found)} errands, tables and code agree")


def _writable() -> dict[str, Any]:
    try:
        with tempfile.NamedTemporaryFile(dir=RUNS if RUNS.is_dir() else Path()):
            pass
    except OSError as why:
        return _check("folder", False, f"{RUNS} cannot be written ({why.strerror}); use --out")
    return _check("folder", True, f"runs go to {RUNS}/")
