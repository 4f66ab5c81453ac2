"""The persons of a fixture as scripts that a tester plays: what they tell when asked, what they approve and refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from errands.languages.pack import Says, pack
from errands.people.brief import Brief, Fact
from errands.world import open_world

from .model import Line, Phrases, Script

MOST_WORDS = 12
SUBJECTS = {
    "where": "the place",
    "how_long": "how long it takes",
    "who": "who it is",
    "deadline": "the deadline",
    "budget": "the budget",
    "why": "the reason",
    "contact": "how to reach somebody",
    "time_of_day": "the time of day",
}


def scripts(blob: bytes, languages: Sequence[str]) -> tuple[Script, ...]:
    """Everybody who has a brief, the user first; their set phrases in each of the prompt's languages."""
    world = open_world(blob)
    try:
        rows = world.all("SELECT * FROM people_brief ORDER BY person <> 'user', person")
        mail = "mail" in world.apps
    finally:
        world.close()
    return tuple(_script(r, languages, mail) for r in rows)


def _script(row: dict[str, Any], languages: Sequence[str], mail: bool) -> Script:
    brief = Brief.model_validate(json.loads(row["body"]))
    spoken = languages if row["person"] == "user" else row["languages"].split()[:1]
    return Script(
        person=row["person"],
        goal=brief.goal,
        lines=(*_facts(brief), *_approvals(brief)),
        phrases=tuple(Phrases(language=x, lines=tuple(_phrases(pack(x).says, mail))) for x in spoken),
    )


def _facts(brief: Brief) -> Iterator[Line]:
    for f in brief.facts:
        yield Line(when=f"clearly asked about {_matter(f)}", says=f.answer)
        if f.corrected:
            minutes = f.corrected.after_ms / 60_000
            yield Line(
                when=f"{minutes:g} minutes after you said that, of your own accord; from then on say only"
                f" “{f.corrected.answer}” when asked",
                says=f.corrected.words,
            )


def _matter(f: Fact) -> str:
    if f.about:
        return SUBJECTS.get(f.about, f.about.replace("_", " "))
    return f"{f.id.replace('_', ' ')} (in words such as {words(f.asked)})"


def words(asked: Sequence[str]) -> str:
    """The words that expressions look for, for a reader who knows none of their signs."""
    bare = " ".join(re.sub(r"\\.|\(\?[:!=<]*|\[[^\]]*\]|\{[^}]*\}", " ", a) for a in asked)
    return ", ".join(list(dict.fromkeys(re.findall(r"[^\W\d_]{2,}", bare)))[:MOST_WORDS])


def _approvals(brief: Brief) -> Iterator[Line]:
    for r in brief.refuses:
        yield Line(
            when=f"what is shown goes to {r.to}", says=f"no, and read back what it was. {r.why}".strip()
        )
    for kind in brief.approves:
        yield Line(
            when=f"shown a {kind.replace('_', ' ')} in full and asked whether it may go out",
            says="yes, and read back what you were shown",
        )
    if brief.until_ms is not None:
        yield Line(when="you have said yes", says=f"(the yes holds for {brief.until_ms / 60_000:g} minutes)")
    no = f"no. {brief.refusal}".strip()
    yield Line(when="asked to allow anything else that cannot be taken back", says=no)


def _phrases(says: Says, mail: bool) -> Iterator[Line]:
    yield Line(when="yes", says=says.yes.format(items="[what you were shown]"))
    yield Line(when="no", says=says.no.format(items="[what you were shown]", why=" [why]"))
    yield Line(when="asked for a yes, and nothing was shown or prepared", says=says.prepare)
    yield Line(when="asked for a yes, and it is not clear to what", says=says.which)
    yield Line(when="asked anything else", says=says.unknown if mail else says.unknown_bare)
    yield Line(when="asked the same again", says=says.again.format(answer="[what you told]"))
    yield Line(when="told what was done, with a yes still unused", says=says.waiting)
