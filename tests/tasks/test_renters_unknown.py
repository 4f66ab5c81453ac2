"""The fact that must be asked for: in which words the user is asked, and what is asked about something else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from errands.exam.sitting import Limits, Sitting
from errands.tasks.registry import task
from errands.world import open_world

HEARD = tomllib.loads(Path(__file__).with_name("asked_claims.toml").read_text(encoding="utf-8"))
ASKS, ELSE = HEARD["asks"] + HEARD["unseen_asks"], HEARD["else"] + HEARD["unseen_else"]
TOLD = "1 theft claim, 2024"


@pytest.fixture(scope="module")
def blob():
    return task("qf-renters-unknown").instance("us", 0).fixture.blob


class User:
    """The user of the errand, and somebody who talks to her."""

    def __init__(self, blob: bytes):
        self.world = open_world(blob)
        self.sitting = Sitting(self.world, Limits(turns=20, calls=20))
        self.sitting.next()

    def ask(self, text: str) -> str:
        return str(self.sitting.call("user_ask_user", {"question": text})["answer"])

    def say(self, text: str) -> str:
        turn = self.sitting.reply(text)
        return turn.text if turn else ""

    @property
    def told(self) -> list[str]:
        return [r["fact"] for r in self.world.all("SELECT fact FROM people_told")]


@pytest.fixture
def user(blob):
    made = User(blob)
    yield made
    made.world.close()


@pytest.mark.parametrize("how", ["ask", "say"])
@pytest.mark.parametrize("text", ASKS)
def test_whoever_asks_for_the_claims_is_told(user, how, text):
    assert getattr(user, how)(text) == TOLD and user.told == ["claims"]


@pytest.mark.parametrize("how", ["ask", "say"])
@pytest.mark.parametrize("text", ELSE)
def test_whoever_asks_something_else_is_not(user, how, text):
    assert TOLD not in getattr(user, how)(text) and user.told == []


def test_asked_again_the_user_says_the_same_and_a_report_asks_nothing(user):
    assert user.ask("Have you had any claims in the last 5 years?") == TOLD
    assert user.ask("What kind of claim was it, and in which year?").endswith(TOLD)
    assert user.say("Done: I entered 1 theft claim in 2024 under the claims of the last 5 years.") == ""


def test_the_claims_stand_nowhere_in_the_profile(blob):
    world = open_world(blob)
    files = world.all("SELECT data FROM files_blob")
    world.close()
    assert files and not any(b"theft" in bytes(f["data"]) or b"2024" in bytes(f["data"]) for f in files)
