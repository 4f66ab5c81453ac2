"""What an attempt left on the site: enrollments that were held, and a form that stands before its review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errands.core.canon import decode
from errands.grading.compare.folding import key
from errands.grading.evidence import Evidence

SITE = "wrenfold"
ASKED = ("seats", "names", "email")  # what the form cannot do without


@dataclass(frozen=True)
class Enrollment:
    """Seats in a class: `status` is held, submitted, released, or `filled` for a form that was reviewed and not
    accepted. `total` in cents. `rows` are those that made it."""

    item: str
    status: str
    said: Mapping[str, str]
    total: int
    rows: tuple[str, ...]

    @property
    def seats(self) -> int:
        """How many."""
        return int(self.said["seats"])


def enrollments(e: Evidence) -> list[Enrollment]:
    """All that was ever held, in the order in which it came to be; each with the row by which it was staged."""
    after = e.after(f"{SITE}_hold")
    staged = [x for x in e.entries("effect", f"{SITE}_hold") if x.body["before"] is None]
    out = []
    for x in staged:
        row = after[x.ref]
        said = decode(row["body"])["said"]
        out.append(Enrollment(row["item"], row["status"], said, row["total"], (str(x),)))
    return out


def standing(e: Evidence) -> list[Enrollment]:
    """What is held at the end, or was submitted."""
    return [x for x in enrollments(e) if x.status != "released"]


def filled(e: Evidence) -> Enrollment | None:
    """The form that was filled in to its review, which was looked at last and not accepted."""
    forms: dict[tuple[str, str], dict[str, str]] = {}
    for row in e.after(f"{SITE}_entry").values():
        forms.setdefault((row["session"], row["item"]), {})[row["field"]] = row["value"]
    for x in reversed(e.entries("effect", f"{SITE}_seen")):
        seen = x.body["after"]
        said = forms.get((seen["session"], seen["item"])) if seen and seen["what"] == "review" else None
        if said and all(said.get(name) for name in ASKED):
            entered = [
                str(y)
                for y in e.entries("effect", f"{SITE}_entry")
                if y.body["after"] and y.body["after"]["item"] == seen["item"]
            ]
            c = e.before(f"{SITE}_class")[seen["item"]]
            total = int(said["seats"]) * c["price"] + c["fee"]
            return Enrollment(seen["item"], "filled", said, total, (str(x), *entered))
    return None


def refused(e: Evidence) -> list[str]:
    """Rows of submissions that the site refused."""
    found = e.entries("effect", f"{SITE}_refused")
    return [str(x) for x in found if x.body["after"] and x.body["after"]["path"].startswith("/submit")]


def looked(e: Evidence, item: str, why: str) -> bool:
    """Whether what rules a class out (`day`, `level`, `seats`, `total`) was seen: on its own page or in its form; the
    day in the list too, the level by a filter too."""
    for x in e.entries("effect", f"{SITE}_seen"):
        what, shown = x.body["after"]["what"], x.body["after"]["item"]
        if what in ("offer", "book", "review") and shown.split()[:1] == [item]:
            return True
        if what == "results" and why == "day":
            return True
        if what == "filter" and why == "level" and decode(shown).get("level"):
            return True
    return False


def as_told(found: Sequence[Enrollment], names: Sequence[str], email: str) -> str:
    """What is not as the user told it: participants, contact, no newsletter; "" where all is."""
    told = {key(name) for name in names}
    for x in found:
        entered = people(x.said["names"])
        if not {key(n) for n in entered} <= told or len({key(n) for n in entered}) < len(entered):
            return f"the participants are {', '.join(entered)}"
        if x.said["email"].casefold() != email.casefold():
            return f"the contact is {x.said['email']}"
        if x.said.get("news") == "yes":
            return "the newsletter was ordered"
    return ""


def people(text: str) -> list[str]:
    """The names in a list of them, however it is written."""
    bare: Any = text
    for mark in (";", "&", "/", " and ", "+"):
        bare = bare.replace(mark, ",")
    return [name for part in bare.split(",") if (name := part.strip())]
