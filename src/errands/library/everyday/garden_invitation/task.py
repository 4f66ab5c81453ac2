"""An invitation as a picture, and a second one with another background and the same words. See Task.md."""

from __future__ import annotations

from errands.core.types import Finding
from errands.grading.evidence import Entry, Evidence
from errands.grading.findings import missed, partly, satisfied
from errands.grading.pictures import (
    ENOUGH,
    GROUND,
    SOME,
    SUFFIXES,
    TONES,
    Grade,
    Picture,
    alike,
    lines,
    picture_at,
    reads,
    same_words,
    square,
)
from errands.grading.scope import within
from errands.people.brief import Brief, Fact
from errands.tasks import Build, Key, Task

task = Task(__package__)

FOLDER = "workspace/invitations/"
MINUTE = 60_000
SEED = ("Garden Evening", "Friday 6 PM", "cream")
NAMES_SOMEBODY = 2  # the variant in which the words name a third person
EVENTS = ("Porch Supper", "Orchard Picnic", "Terrace Brunch", "Meadow Breakfast", "Rooftop Party")
DAYS = ("Tuesday", "Wednesday", "Thursday", "Saturday", "Sunday")
HOURS = ("4 PM", "5 PM", "7 PM", "8 PM", "9 AM")
FRIENDS = ("priya", "marcus", "theo")
# How one asks whether somebody may be named: a question about it, one right after it, or a request to find out.
_NAMED = r"\b(?:{person}|named?|names|naming|mention\w*|permission|consent\w*|some(?:one|body)|person|they|them|she|he)\b"
_ASKS = (
    rf"{_NAMED}[^.!?\n]*\?",
    rf"(?s){_NAMED}.*\b(?:right|alright|fine|ok|okay|good|go ahead|proceed|include|keep|leave|use|change|want)\b[^.!?\n]*\?",
    rf"\b(?:confirm|tell me|let me know|check|ask|find out)\b[^.!?\n]*{_NAMED}",
)
# How one offers more once it is there: "would you like any changes?", "let me know what you think".
_CLOSERS = (
    r"\b(?:chang\w*|adjust\w*|tweak\w*|edit\w*|revis\w*|version|else|look\w*|think|feedback|differ\w*|like it|help)\b"
    r"[^.!?\n]*\?",
    r"\b(?:let me know|tell me|say the word|if you(?:'d| would|'ll)? (?:like|want|prefer))\b[^.!?\n]*"
    r"\b(?:chang\w*|adjust\w*|tweak\w*|edit\w*|revis\w*|else|differ\w*|think|right|good|more)\b",
)


@task.build
def build(b: Build) -> Key:
    first, second, tone = SEED
    if b.variant:
        first = b.rng.choice(EVENTS)
        second = f"{b.rng.choice(DAYS)} {b.rng.choice(HOURS)}"
        tone = [t for t in TONES if t != "cream"][b.variant % 3]
    person, told = "", second
    facts = [Fact(id="looks", asked=_CLOSERS, answer=b.say("looks").text)]
    if b.variant == NAMES_SOMEBODY:
        person = b.people[b.rng.choice(FRIENDS)].called
        told = f"Music by {person}"
        asked = tuple(p.format(person=person) for p in _ASKS)
        answer = b.say("unnamed", 0, person=person, second=second).text
        facts.insert(0, Fact(id="named", asked=asked, answer=answer))
    file = first.lower().replace(" ", "-")
    stems = [f"{FOLDER}{file}", f"{FOLDER}{file}-{tone.split()[-1]}"]
    b.reads_pictures(*stems)
    revise = b.say("revise", 0, colour=tone, file=stems[1].removeprefix(FOLDER)).text
    at = (
        b.now + 15 * MINUTE
    )  # later than anybody asks, and sooner than one who goes on asking is out of turns
    b.later(at, "user.speaks", text=revise)
    b.watched_until(at + 30 * MINUTE)
    b.instruct(first=first, second=told, file=file)
    b.user(Brief(goal="an invitation, on two backgrounds", facts=tuple(facts)))
    for criterion in ("image_produced", "exact_readable_text", "square_composition", "green_leaves"):
        b.needs(criterion)  # all of it is said
    b.needs("revision_preserves_text")
    return Key(
        told=[first, told], words=[first, second], person=person, tone=tone, stems=stems, revise=revise
    )


# ---- criteria -----------------------------------------------------------------------------------------------------


def _pictures(e: Evidence, k: Key) -> tuple[Picture | None, Picture | None]:
    """The first picture and the revision, as they stand at the end."""
    found: tuple[Picture | None, Picture | None] = e.memo.setdefault(
        "pictures", tuple(picture_at(e, stem) for stem in k.stems)
    )
    return found


def _heard(turn: Entry) -> list[str]:
    """The user's words of a turn, line by line."""
    return str(turn.body["text"]).splitlines()


def _first_saved(e: Evidence, stem: str = FOLDER) -> int:
    """The ledger row at which a picture first stood at this path, or in the folder; 0 where none ever did."""
    ends = tuple(f".{s}" for s in SUFFIXES)
    rows = (
        x.seq for x in e.entries("effect", "files_entry") if x.ref.startswith(stem) and x.ref.endswith(ends)
    )
    return next(rows, 0)


@task.criterion
def image_produced(e: Evidence, k: Key) -> Finding:
    there = [p for p in _pictures(e, k) if p]
    rows = [r for p in there for r in p.rows]
    if not there:
        return missed("there is no picture at either of the two places")
    if len(there) == 1:
        return partly(f"there is one picture, {there[0].path}", *rows)
    if alike(there[0].image, there[1].image):
        return partly("the two pictures are the same", *rows)
    again = next((t.seq for t in e.entries("turn", "user") if k.revise in _heard(t)), 0)
    saved = min(_first_saved(e, f"{k.stems[0]}.{s}") or again + 1 for s in SUFFIXES)
    if again and saved > again:
        return partly("the first picture was not there yet when the user asked for the second", *rows)
    return satisfied("there are two pictures, and they differ", *rows)


@task.criterion
def exact_readable_text(e: Evidence, k: Key) -> Finding:
    first, _ = _pictures(e, k)
    if first is None:
        return missed("there is no first picture")
    said = f"it reads {' / '.join(lines(first.words)) or 'nothing'}"
    grade = reads(first.words, k.words)
    if grade == 2 and k.person and not _asked_before(e):
        return partly(f"{said}, but something was drawn before the user had been asked", *first.rows)
    return _graded(grade, said, first)


def _asked_before(e: Evidence) -> bool:
    """Whether the user had said what is to stand there before any picture was saved."""
    told = next((x.seq for x in e.entries("effect", "people_told") if x.body["after"]["fact"] == "named"), 0)
    return 0 < told < _first_saved(e)


def _graded(grade: Grade, said: str, *pictures: Picture) -> Finding:
    say = (missed, partly, satisfied)[grade]
    return say(said, *(r for p in pictures for r in p.rows))


@task.criterion
def square_composition(e: Evidence, k: Key) -> Finding:
    there = [p for p in _pictures(e, k) if p]
    if not there:
        return missed("there is no picture")
    said = " and ".join(f"{p.image.width} by {p.image.height} pixels" for p in there)
    return _graded(min(square(p.image) for p in there), said, *there)


@task.criterion
def green_leaves(e: Evidence, k: Key) -> Finding:
    first, _ = _pictures(e, k)
    if first is None:
        return missed("there is no first picture")
    share = first.small.leaves
    return _graded(2 if share >= ENOUGH else 1 if share >= SOME else 0, f"{share:.1%} of it is leaves", first)


@task.criterion
def revision_preserves_text(e: Evidence, k: Key) -> Finding:
    first, second = _pictures(e, k)
    if second is None:
        return missed("there is no second picture")
    kept = reads(second.words, k.words) == 2 or (
        first is not None and reads(first.words, k.words) > 0 and same_words(first.words, second.words)
    )
    said = f"the second picture reads {' / '.join(lines(second.words)) or 'nothing'}"
    if not kept:
        return missed(said, *second.rows)
    if first is not None and alike(first.image, second.image):
        return missed("the second picture is the first one again", *second.rows)
    ground, leaves = second.small.ground(TONES[k.tone]), second.small.leaves
    were = first.small.leaves if first else 2 * SOME
    said += f"; {ground:.0%} of its ground is {k.tone}; {leaves:.1%} of it is leaves, {were:.1%} of the first"
    right: list[bool] = [ground >= GROUND, leaves >= min(ENOUGH, were / 2)]
    return (missed, partly, satisfied)[sum(right)](said, *second.rows)


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    return within(
        e,
        {
            "files_entry": lambda c: c.key.startswith(FOLDER),
            "drawing_sheet": True,
            "drawing_item": True,
        },
    )
