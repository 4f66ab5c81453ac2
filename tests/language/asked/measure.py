"""How well the rules of each language tell what the user is asked about, on sentences that their author has not seen.

    python -m tests.language.asked.measure                 # every language, both halves of unseen/<language>.toml
    python -m tests.language.asked.measure ko --json
    python -m tests.language.asked.measure ko --why one    # what was misjudged in half [one]; [two] is not for tuning

Measured is what the user does: one who takes a message for a request for approval, or for a statement, hears none of
its subjects. `all` counts pairs of a sentence and a subject it asks; there, false are the sentences with a subject
too many.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from errands.languages import codes
from errands.languages.pack import SUBJECTS
from errands.people.understand import asked_about, intent

from ..measure import HALVES, Score

HERE = Path(__file__).parent
ALL = "all"


def heard(languages: list[str], text: str) -> set[str]:
    """The subjects that the user hears in a message."""
    return set(asked_about(languages, text)) if intent(languages, text) == "question" else set()


def labelled(rows: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Sentences and the subjects that they ask."""
    for name in SUBJECTS:
        for text in rows.get(name, ()):
            yield text, {name}
    for text in rows.get("none", ()):
        yield text, set()
    for text, *names in rows.get("both", ()):
        yield text, set(names)


@lru_cache(maxsize=16)
def table(language: str, of: str = "unseen") -> dict[str, Any]:
    """The labelled sentences of a language: `unseen` (in halves) or the author's `own`."""
    return tomllib.loads((HERE / of / f"{language}.toml").read_text("utf-8"))


def scores(language: str, half: str) -> list[Score]:
    """Of each subject, and of all together."""
    languages = list(dict.fromkeys([language, "en"]))
    by = {name: Score(name, half) for name in (*SUBJECTS, ALL)}
    for text, expected in labelled(table(language)[half]):
        found = heard(languages, text)
        for name in SUBJECTS:
            by[name].add(text, name in expected, name in found)
        total = by[ALL]
        total.should += len(expected)
        total.missed += [f"{name}: {text}" for name in sorted(expected - found)]
        total.should_not += 1
        total.stray += [f"{'+'.join(sorted(found - expected))}: {text}"] if found - expected else []
    return list(by.values())


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
                if given.json:
                    continue
                print(
                    f"{language:<8} {half:<4} {s.rule:<12} heard {s.should - len(s.missed):>3}/{s.should:<3}"
                    f" ({s.recall:6.1%})   false {len(s.stray):>2}/{s.should_not:<3} ({s.false:5.1%})"
                )
                if given.why == half and s.rule == ALL:
                    print(
                        *(f"    missed {x}" for x in s.missed), *(f"    false {x}" for x in s.stray), sep="\n"
                    )
    if given.json:
        print(json.dumps(rows, ensure_ascii=False))


if __name__ == "__main__":
    main()
