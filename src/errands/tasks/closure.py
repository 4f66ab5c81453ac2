"""What Python sources a task's verdicts rest on: those of `grading` and of its library that its folder leads to.

A calibration covers these and no others, so that a comparator which one errand gets leaves the others as they were.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

GRADING = "errands.grading"
BETWEEN = "errands.tasks"  # is looked through, and not covered: the kernel is held by the golden evidence
ALWAYS = ("errands.grading.verdict", "errands.grading.evidence")  # what reaches every verdict


def sources(package: str, library: str, home: Traversable) -> tuple[tuple[str, Traversable], ...]:
    """Names and files of the modules that a task's package leads to, sorted by name; its own folder is left out.

    `library` is the package under which the task lies, `home` its folder: what tasks share there counts too. Imports
    are read, not run, those inside of functions as well.
    """
    within = (GRADING, BETWEEN, library)
    found: dict[str, Traversable] = {}
    todo = [*ALWAYS, *_own(package)]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        file = _file(name, library, home)
        if file is None:
            continue
        if not _inside(name, package) and not _inside(name, BETWEEN):
            found[name] = file
        here = name if file.name == "__init__.py" else name.rpartition(".")[0]
        led = _leads_to(file.read_text(encoding="utf-8"), here, library)
        todo += [n for n in led if any(_inside(n, w) for w in within)]
    return tuple(sorted(found.items()))


def _inside(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _own(package: str) -> Iterator[str]:
    """The modules of a package, those of packages in it too."""
    yield package
    for item in resources.files(package).iterdir():
        if item.name.endswith(".py") and item.name != "__init__.py":
            yield f"{package}.{item.name[:-3]}"
        elif item.is_dir() and item.joinpath("__init__.py").is_file():
            yield from _own(f"{package}.{item.name}")


def _file(name: str, library: str, home: Traversable) -> Traversable | None:
    """The source of a module of ours or of the library; None where there is none of this name."""
    top, folder = (library, home) if _inside(name, library) else ("errands", resources.files("errands"))
    rest = name[len(top) + 1 :].split(".") if name != top else []
    for part in rest[:-1]:
        folder = folder.joinpath(part)
    if not rest:
        return _there(folder.joinpath("__init__.py"))
    return _there(folder.joinpath(f"{rest[-1]}.py")) or _there(folder.joinpath(rest[-1], "__init__.py"))


def _there(file: Traversable) -> Traversable | None:
    return file if file.is_file() else None


@lru_cache(maxsize=1024)
def _leads_to(source: str, package: str, library: str) -> tuple[str, ...]:
    """The modules, ours or the library's, that a source in this package imports, with the packages that this runs."""
    found = {n for node in ast.walk(ast.parse(source)) for n in _imported(node, package)}
    return tuple(sorted(n for n in found if _inside(n, "errands") or _inside(n, library)))


def _imported(node: ast.AST, package: str) -> Collection[str]:
    if isinstance(node, ast.Import):
        names = [a.name for a in node.names]
    elif isinstance(node, ast.ImportFrom):
        base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
        base = ".".join(p for p in (base, node.module) if p)
        names = [base, *(f"{base}.{a.name}" for a in node.names)]
    else:
        return []
    paths = [n.split(".") for n in names]
    return {".".join(p[:i]) for p in paths for i in range(1, len(p) + 1)}
