"""pytest: `pytest --errands-agent my_agent.py --errands-tasks smoke.toml` collects one item for each instance.

Without the option nothing else of Errands is imported. An item sits its instance in a run folder of its own; it
fails where an attempt did not pass, and is an error where one could not be graded. Instances in quarantine are
expected to fail. There is no baseline here and no re-run: for that see `errands gate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("errands", "errands: an exam for personal agents")
    group.addoption(
        "--errands-agent", default="", metavar="AGENT", help="Sit errands: as `errands run AGENT`."
    )
    group.addoption(
        "--errands-tasks", default="", metavar="FILE", help="Which instances: a tasks file of the gate."
    )
    group.addoption(
        "--errands-attempts", default=1, type=int, metavar="N", help="How often each instance is sat (1)."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Have the tasks file collected, beside whatever else is."""
    agent, tasks = config.getoption("--errands-agent"), config.getoption("--errands-tasks")
    if bool(agent) != bool(tasks):
        raise pytest.UsageError("--errands-agent and --errands-tasks belong together")
    if not agent:
        return
    if config.getoption("--errands-attempts") < 1:
        raise pytest.UsageError("--errands-attempts: 1 or more")
    file = config.invocation_params.dir / tasks
    if not file.is_file():
        raise pytest.UsageError(f"--errands-tasks: there is no file {tasks}")
    config.addinivalue_line("markers", "errands: one instance, sat by the agent of --errands-agent")
    config.args.append(str(file))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The tasks file, and no other."""
    tasks = parent.config.getoption("--errands-tasks")
    if not tasks or file_path != (parent.config.invocation_params.dir / tasks).resolve():
        return None
    return _Tasks.from_parent(parent, path=file_path)


class _Tasks(pytest.File):
    """A tasks file."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item for each instance."""
        from errands.core.errors import ErrandsError
        from errands.gate.listed import name_of, read_listed

        try:
            listed = read_listed(self.path)
            choices = listed.choices(str(self.path))
        except ErrandsError as why:
            raise self.CollectError(str(why)) from None
        quarantine = {q.id: q for q in listed.quarantine}
        for c in choices:
            item = _Errand.from_parent(self, name=name_of(c), choice=c)
            item.add_marker("errands")
            if q := quarantine.get(name_of(c)):
                item.add_marker(
                    pytest.mark.xfail(reason=f"in quarantine since {q.since}: {q.reason}", strict=False)
                )
            yield item


class _Errand(pytest.Item):
    """One instance. It is sat in `setup`, so that what could not be graded is an error and no failure."""

    def __init__(self, *, choice: Any, **more: Any):
        super().__init__(**more)
        self.choice = choice
        self.record: dict[str, Any] = {}

    def setup(self) -> None:
        """Sit it."""
        from errands.agents import resolve
        from errands.core.errors import ErrandsError
        from errands.exam.plan import plan_listed
        from errands.exam.rows import run_record
        from errands.exam.run import Run
        from errands.records.find import free_run

        c = self.choice
        try:
            agent = resolve(self.config.getoption("--errands-agent"))
            agent.check()
            path = free_run(f"pytest-{c.task}-{c.market}-{c.variant}")
            folder = plan_listed(agent, [c], self.config.getoption("--errands-attempts"), path)
            work = Run(folder, resolve)
            for _ in work.go():
                pass
        except ErrandsError as why:
            raise NotGraded(str(why)) from None
        self.record = run_record(folder, work.failures, work.stopped)
        self.add_report_section("setup", "errands", f"evidence: {folder.path}")
        open_ = [a for a in self.record["attempts"] if a["status"] != "graded"]
        if open_:
            raise NotGraded(f"{open_[0]['status'].replace('_', ' ')}: {open_[0]['why'] or work.stopped}")

    def runtest(self) -> None:
        """Every attempt passed."""
        from errands.gate.report import why_not

        failed = [a for a in self.record["attempts"] if not a["strict"]]
        if failed:
            first = next((a for a in failed if a["crossed"]), failed[0])
            n = len(self.record["attempts"])
            raise NotPassed(
                f"{n - len(failed)} of {n} attempts passed; {why_not(first)}\n"
                f"errands explain {self.record['path']}:{first['n']}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """In our own words, without a traceback through our code."""
        if isinstance(excinfo.value, NotPassed | NotGraded):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands."""
        return self.path, None, self.name


class NotPassed(AssertionError):
    """An attempt was graded and did not pass."""


class NotGraded(Exception):
    """An attempt could not be graded: that says nothing of the agent."""
