"""How well agents' English is understood, on labelled sentences: `python -m tests.people.measure`.

Before any tuning of ours: approvals heard 33/40 and 25/40 (false 11/80, 9/80), claims 24/30 and 24/30
(false 5/30 each). [first] and [second] have one author, who then tuned the rules: [second] is held out in
letter only. The honest figures are [wild] and [wild_held], other people's phrasings, as first met: 7/12 and
10/14 heard, 0/12 and 1/10 false. Both were tuned on afterwards.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from errands.grading.claims import claims_sent
from errands.people.understand import intent

HERE = Path(__file__).parent
HEARD, SENT = HERE / "heard.en.toml", HERE.parent / "grading" / "sent.en.toml"
HALVES = ("first", "second")
WILD = ("wild", "wild_held")


@dataclass(frozen=True)
class Score:
    """Of one half: hits among those that should trigger, strays among those that should not."""

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
    return _score(
        t["approval"], [*t["question"], *t["statement"]], lambda s: intent(("en",), s) == "approval"
    )


def questions(half: str) -> Score:
    """Questions, and statements that were taken for one (the user would answer where nothing was asked)."""
    t = _table(HEARD, half)
    return _score(t["question"], t["statement"], lambda s: intent(("en",), s) == "question")


def sent(half: str) -> Score:
    """Claims that something went out, and what else was taken for one."""
    t = _table(SENT, half)
    return _score([*t["all"], *t["some"]], t["none"], lambda s: claims_sent(("en",), s) != "")


def sent_all(half: str) -> Score:
    """Claims that all went out, and those of a part that were taken for all."""
    t = _table(SENT, half)
    return _score(t["all"], [*t["some"], *t["none"]], lambda s: claims_sent(("en",), s) == "all")


def main() -> None:
    """Print the figures; with any argument, what was misjudged in the tuned half too."""
    for what in (approvals, questions, sent, sent_all):
        for half in (*HALVES, *WILD) if what in (approvals, questions) else HALVES:
            s = what(half)
            print(
                f"{what.__name__:<10} {half:<7} recall {s.hit}/{s.should} ({s.recall:.1%})   "
                f"false triggers {s.false}/{s.should_not} ({s.false_rate:.1%})"
            )
            if len(sys.argv) > 1 and half == "first":
                for word, list_ in (("missed", s.missed), ("false", s.stray)):
                    print(*(f"    {word}: {x!r}" for x in list_), sep="\n")


if __name__ == "__main__":
    main()
