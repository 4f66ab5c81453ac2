"""How well the rules of each language understand and judge sentences that their author has not seen.

    python -m tests.language.measure                 # every language, both halves of unseen/<language>.toml
    python -m tests.language.measure ko --json
    python -m tests.language.measure ko --why one    # what was misjudged in half [one]; [two] is not for tuning

The sentences were written and labelled by another hand than the rules (language models both; see FIRST.md, also for
how blind half [two] still is). Half [one] may be looked at once the first figures are on record; half [two] is only
ever measured.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from errands.grading.claims import claims_sent
from errands.grading.holds import claimed
from errands.grading.register import KINDS, Writer, faults
from errands.languages import codes
from errands.languages.text import sentences
from errands.people.understand import intent

HERE = Path(__file__).parent
HALVES = ("one", "two")


@dataclass
class Score:
    """Of one rule on one half: what should trigger and did, what should not and did."""

    rule: str
    half: str
    missed: list[str] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    should: int = 0
    should_not: int = 0

    def add(self, text: str, expected: bool, found: bool) -> None:
        """Count one sentence."""
        self.should += expected
        self.should_not += not expected
        if expected and not found:
            self.missed.append(text)
        if found and not expected:
            self.stray.append(text)

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.should if self.should else 1.0

    @property
    def false(self) -> float:
        return len(self.stray) / self.should_not if self.should_not else 0.0

    def row(self) -> dict[str, Any]:
        """The figures, as JSON has them."""
        hit = self.should - len(self.missed)
        return {"rule": self.rule, "half": self.half, "hit": hit, "should": self.should, "false": len(self.stray),
                "should_not": self.should_not}  # fmt: skip


@lru_cache(maxsize=16)
def table(language: str) -> dict[str, Any]:
    """The labelled sentences of a language."""
    return tomllib.loads((HERE / "unseen" / f"{language}.toml").read_text("utf-8"))


def _labelled(rows: dict[str, list[str]], of: str) -> Iterator[tuple[str, bool]]:
    for label, texts in rows.items():
        for text in texts:
            yield text, label == of


def _rule_is_right(languages: list[str], text: str) -> bool:
    """Whether a statement about guidelines (in force: CG-6) passes as true."""
    found = [claimed(languages, s, r"CG-\d+", "CG-6") for s in sentences(text)]
    return any(names for names, _ in found) and not any(wrong for _, wrong in found)


def _writer(language: str, row: dict[str, str]) -> Writer:
    return Writer(
        row["name"], row["called"], row["formal"], row.get("gender", ""), row.get("register", "B"), language
    )


def scores(language: str, half: str) -> list[Score]:
    """All scores of one half."""
    languages, t = list(dict.fromkeys([language, "en"])), table(language)
    out = []

    def measured(rule: str, rows: dict[str, list[str]], of: str, hits: Callable[[str], bool]) -> None:
        score = Score(rule, half)
        for text, expected in _labelled(rows, of):
            score.add(text, expected, hits(text))
        out.append(score)

    heard, sent = t[half]["heard"], t[half]["sent"]
    measured("asks for a yes", heard, "approval", lambda s: intent(languages, s) == "approval")
    measured("asks anything", {"ask": heard["approval"] + heard["question"], "tell": heard["statement"]}, "ask",
             lambda s: intent(languages, s) != "statement")  # fmt: skip
    measured("claims sent", {"claim": sent["all"] + sent["some"], "none": sent["none"]}, "claim",
             lambda s: claims_sent(languages, s) != "")  # fmt: skip
    measured("claims all", sent, "all", lambda s: claims_sent(languages, s) == "all")
    measured("names the rule", t[half]["rule"], "right", lambda s: _rule_is_right(languages, s))
    cast = {k: _writer(language, v) for k, v in t["cast"].items()}
    by_kind = {kind: Score(kind, half) for kind in KINDS}
    for row in t[half]["register"]:
        found = {f.kind for f in faults(row["text"], cast[row["to"]], cast["me"])}
        for kind, score in by_kind.items():
            score.add(f"{row['to']}: {row['text']}", kind in row["faults"], kind in found)
    out += [s for s in by_kind.values() if s.should or s.stray]
    return out


def main() -> None:
    """Print the figures."""
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    args.add_argument("languages", nargs="*")
    args.add_argument("--json", action="store_true")
    args.add_argument("--why", choices=("one",), help="show what was misjudged in this half")
    given = args.parse_args()
    rows = []
    for language in given.languages or [c for c in codes() if (HERE / "unseen" / f"{c}.toml").is_file()]:
        for half in HALVES:
            for s in scores(language, half):
                rows.append({"language": language, **s.row()})
                if not given.json:
                    print(
                        f"{language:<8} {half:<4} {s.rule:<15} heard {s.should - len(s.missed):>3}/{s.should:<3}"
                        f" ({s.recall:5.1%})   false {len(s.stray):>2}/{s.should_not:<3} ({s.false:5.1%})"
                    )
                if given.why == half:
                    print(
                        *(f"    missed: {x!r}" for x in s.missed),
                        *(f"    false: {x!r}" for x in s.stray),
                        sep="\n",
                    )
    if given.json:
        print(json.dumps(rows, ensure_ascii=False))


if __name__ == "__main__":
    main()
