"""Which option a text chooses: replies as people and models write them, about lunch and about a trip."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from errands.grading.clauses import Option
from errands.grading.picks import picks
from errands.grading.traits import Trait

LUNCH = (Option("fern", ("Fern",)), Option("rush", ("Rush",)), Option("harbor", ("Harbor",)))
DIET = Trait("diet", (r"vegetarian", r"\bveg(?:gie)?\b"), (r"\bfish(?: only|-only)?\b", r"\bseafood\b"))
QUIET = Trait("quiet", (r"\bquiet\w*", r"\bcalm\b"), (r"\bloud\w*", r"\bnois(?:y|ier)\b"))
STAYS = (
    Option("train", ("Coast Line", "train")),
    Option("cedar", ("Hotel Cedar", "Cedar")),
    Option("elm", ("Hotel Elm", "Elm")),
)
REFUND = Trait("refund", (r"\brefundab\w+",), (r"non-?refundable",))
STEPS = Trait("steps", (r"step-free",), (r"\bstairs\b",))

TABLE = tomllib.loads(Path(__file__).with_name("picks.en.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", TABLE["lunch"], ids=lambda r: r["text"][:50])
def test_which_of_three_is_chosen(row: dict[str, Any]):
    got = picks(row["text"], LUNCH, traits=(DIET, QUIET))
    assert (sorted(got.chosen), got.none) == (row["chosen"], row.get("none", False))
    assert got.single == (row["chosen"][0] if len(row["chosen"]) == 1 else "")


@pytest.mark.parametrize("row", TABLE["lodging"], ids=lambda r: r["text"][:50])
def test_which_lodging_is_chosen_where_a_train_is_named_too(row: dict[str, Any]):
    got = picks(row["text"], STAYS, among=("cedar", "elm"), traits=(REFUND, STEPS))
    assert (sorted(got.chosen), got.none) == (row["chosen"], row.get("none", False))


def test_a_name_is_no_common_word_where_it_is_written_as_a_name():
    got = picks(
        "Fern overlooks the harbor. No rush: I recommend Fern. Harbor is fish only, Rush loud.", LUNCH
    )
    assert got.chosen == {"fern"}
    assert picks("fern, overlooking the bay", LUNCH).chosen == {"fern"}


def test_what_is_set_aside():
    got = picks("I'd choose Fern over Rush. Harbor is out.", LUNCH)
    assert got.aside == {"rush", "harbor"} and got.named == {"fern", "rush", "harbor"}
