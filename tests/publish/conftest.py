"""One list and the runs over it, sat once for all tests of cards; nobody changes them."""

from types import SimpleNamespace

import pytest

from errands.export.tables import write
from errands.records.attempts import sat
from errands.records.tables import columns, tables
from tests.cli.shell import Here

from . import shop


@pytest.fixture(scope="session")
def sold(tmp_path_factory):
    """A folder with `batch.json` and a run of each agent over it, twice a task; baselines once."""
    home = tmp_path_factory.mktemp("shop")
    drawn = shop.batch()
    (home / "batch.json").write_bytes(drawn.text)
    runs = {name: shop.sit(name, home / name, drawn) for name in (*shop.SKILLS, "hasty")}
    runs |= {name: shop.sit(name, home / name, drawn, 1) for name in ("null", "refuse", "spam", "oracle")}
    return SimpleNamespace(home=home, batch=drawn, runs=runs)


@pytest.fixture(scope="session")
def exported(sold):
    """A folder with the tables of each run, by its name."""
    for name, run in sold.runs.items():
        write("jsonl", sold.home / "tables" / name, tables(sat([run], sold.batch)), columns())
    return sold.home / "tables"


@pytest.fixture
def here(capfd, sold, monkeypatch):
    """`errands …` in this process, in the folder of the runs."""
    monkeypatch.chdir(sold.home)
    monkeypatch.setenv("COLUMNS", "120")
    return Here(capfd)


@pytest.fixture
def card_args():
    """The command line of a whole card, but for its agent."""
    return (
        "--batch",
        "batch.json",
        *(x for b in ("null", "refuse", "spam", "oracle") for x in ("--baseline", b)),
    )
