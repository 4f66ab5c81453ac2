"""How well the models of each language hear what the user is asked to tell, on messages that nobody trained on.

    python -m tests.language.asked.measure                    # every language, both sets of unseen/<language>.toml
    python -m tests.language.asked.measure ko --json
    python -m tests.language.asked.measure ko --why tuning    # what was misjudged there; [blind] is never to be read

The two sets are by other hands than the messages in tools/ears. [tuning] may be read, and the settings of the models
were chosen on it; [blind] is only ever measured. Of a subject, `heard` counts the messages that ask it, `false` the
others.
`all` counts pairs of a message and a subject, asked or not; `any` counts the messages that are told a fact too many.
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
from errands.people.asked import asked_about

from ..measure import Score

HERE = Path(__file__).parent
SETS = ("tuning", "blind")
ALL, ANY = "all", "any"


def labelled(rows: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Messages and the subjects that they ask."""
    for name in SUBJECTS:
        for text in rows.get(name, ()):
            yield text, {name}
    for text in rows.get("none", ()):
        yield text, set()
    for text, *names in rows.get("both", ()):
        yield text, set(names)


@lru_cache(maxsize=16)
def table(language: str) -> dict[str, Any]:
    """The labelled messages of a language, by set."""
    return tomllib.loads((HERE / "unseen" / f"{language}.toml").read_text("utf-8"))


def scores(language: str, of: str) -> list[Score]:
    """Of each subject, of all pairs, and of messages."""
    languages = list(dict.fromkeys([language, "en"]))
    by = {name: Score(name, of) for name in (*SUBJECTS, ALL, ANY)}
    for text, expected in labelled(table(language)[of]):
        found = set(asked_about(languages, text))
        for name in SUBJECTS:
            by[name].add(text, name in expected, name in found)
            by[ALL].add(f"{name}: {text}", name in expected, name in found)
        by[ANY].add(f"{'+'.join(sorted(found - expected))}: {text}", False, bool(found - expected))
    return list(by.values())


def main() -> None:
    """Print the figures."""
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    args.add_argument("languages", nargs="*")
    args.add_argument("--json", action="store_true")
    args.add_argument("--why", choices=("tuning",), help="show what was misjudged in this set")
    given = args.parse_args()
    rows = []
    for language in given.languages or codes():
        for of in SETS:
            for s in scores(language, of):
                rows.append({"language": language, **s.row()})
                if given.json:
                    continue
                heard = (
                    f"{s.should - len(s.missed):>3}/{s.should:<3} ({s.recall:6.1%})" if s.should else " " * 17
                )
                print(
                    f"{language:<8} {of:<6} {s.rule:<12} heard {heard}"
                    f"   false {len(s.stray):>2}/{s.should_not:<4} ({s.false:5.1%})"
                )
                if given.why == of and s.rule == ALL:
                    print(
                        *(f"    missed {x}" for x in s.missed), *(f"    false {x}" for x in s.stray), sep="\n"
                    )
    if given.json:
        print(json.dumps(rows, ensure_ascii=False))


if __name__ == "__main__":
    main()
