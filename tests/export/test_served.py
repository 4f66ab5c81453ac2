"""The line of a run sheet that serves a website: what is looked at there, by whatever browser, is graded."""

from __future__ import annotations

import re
import urllib.request

import pytest

from errands.cli import try_
from tests.cli.shell import Here

from .hand import files, sheet

TASK = "qf-mortgage-stop"


@pytest.fixture
def here(capfd):
    return Here(capfd)


def test_the_line_of_the_sheet_serves_the_site_at_an_address_of_this_machine(here, tmp_path, monkeypatch):
    site = next(a for a in sheet(files(TASK, "us")).accounts if a.app == "ratefield")
    line = re.search(r"errands (try .*? --language \w+)", site.how[0]).group(1).split()
    told, seen = [], []
    lines = iter(["say It is done.", "say Goodbye."])

    def typed():
        """As a tester at the terminal, who has looked at the site before."""
        if not seen:
            with urllib.request.urlopen(told[0]) as page:
                seen.append((page.status, page.read().decode()))
        return next(lines, None)

    monkeypatch.setattr(try_, "_line", typed)
    monkeypatch.setattr(try_, "note", lambda text: told.extend(re.findall(r"http://\S+", text)))
    out = tmp_path / "run"
    said = here(*line, "--host", "127.0.0.2", "--out", out, "--json")
    assert told[0].startswith("http://127.0.0.2:") and seen[0][0] == 200 and "Ratefield" in seen[0][1]
    assert said.code == 0, said.err
    assert '"strict": false' in said.out and (out / "bundles").is_dir()


def test_an_address_of_another_machine_is_refused_and_leaves_nothing(here, tmp_path):
    said = here("try", TASK, "--host", "203.0.113.9", "--out", tmp_path / "run")
    assert said.code == 2 and "--host" in said.err and "Traceback" not in said.err
    assert not (tmp_path / "run").exists()
