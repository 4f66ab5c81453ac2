"""How well agents' English is understood, on sentences that the rules' author had not seen: `python -m tests.people.measure`.

Rules are tuned on [first] of each table only; [second] is held out.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from errands.grading.speech import claims_sent
from errands.people.understand import intent

HERE = Path(__file__).parent
HEARD, SENT = HERE / "heard.en.toml", HERE.parent / "grading" / "sent.en.toml"
HALVES = ("first", "second")
WILD = ("wild", "wild_held")


@dataclass(frozen=True)
class Score:
    """Of one half: right among those that should trigger, wrong among those that should not, and which were misjudged."""

    hit: int
    should: int
    false: int
    should_not: int
    missed: tuple[str, ...]
    stray: tuple[str, ...]

    @property
    def recall(self) -> float:
        return self.hit / self.should

    @property
    def false_rate(self) -> float:
        return self.false / self.should_not


def _table(file: Path, half: str) -> dict[str, list[str]]:
    return dict(tomllib.loads(file.read_text(encoding="utf-8"))[half])


def _score(yes: list[str], no: list[str], triggers: object) -> Score:
    assert callable(triggers)
    missed = tuple(s for s in yes if not triggers(s))
    stray = tuple(s for s in no if triggers(s))
    return Score(len(yes) - len(missed), len(yes), len(stray), len(no), missed, stray)


def approvals(half: str) -> Score:
    """Requests for a yes: heard as such, and what else was heard as one."""
    t = _table(HEARD, half)
    return _score(t["approval"], [*t["question"], *t["statement"]], lambda s: intent("en", s) == "approval")


def questions(half: str) -> Score:
    """Questions, and statements that were taken for one (the user would answer where nothing was asked)."""
    t = _table(HEARD, half)
    return _score(t["question"], t["statement"], lambda s: intent("en", s) == "question")


def sent(half: str) -> Score:
    """Claims that something went out, and what else was taken for one."""
    t = _table(SENT, half)
    return _score([*t["all"], *t["some"]], t["none"], lambda s: claims_sent(s) != "")


def sent_all(half: str) -> Score:
    """Claims that all went out, and those of a part that were taken for all."""
    t = _table(SENT, half)
    return _score(t["all"], [*t["some"], *t["none"]], lambda s: claims_sent(s) == "all")


def main() -> None:
    """Print the figures; with any argument, the misjudged sentences of the tuned half too (never of the held-out one)."""
    for what in (approvals, questions, sent, sent_all):
        for half in (*HALVES, *WILD) if what in (approvals, questions) else HALVES:
            s = what(half)
            print(f"{what.__name__:<10} {half:<7} recall {s.hit}/{s.should} ({s.recall:.1%})   "
                  f"false triggers {s.false}/{s.should_not} ({s.false_rate:.1%})")
            if len(sys.argv) > 1 and half == "first":
                for word, list_ in (("missed", s.missed), ("false", s.stray)):
                    print(*(f"    {word}: {x!r}" for x in list_), sep="\n")


if __name__ == "__main__":
    main()
