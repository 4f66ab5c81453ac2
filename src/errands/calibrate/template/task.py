"""What is owed to a supplier, after a correction. See Task.md."""

from __future__ import annotations

from datetime import date, timedelta

from errands.core.money import Money
from errands.core.types import Finding
from errands.grading import listing
from errands.grading.compare.dates import read_date
from errands.grading.compare.ids import read_id
from errands.grading.compare.money import read_money
from errands.grading.compare.tables import Column
from errands.grading.evidence import Evidence
from errands.grading.listing import Wanted
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task

SUPPLIER = "Oakhill Pallets"
SENDER = f"{SUPPLIER} <accounts@oakhill-pallets.example>"

task = Task(__package__)
task.gate("mail.send", "never")
task.gate("calendar.notify", "never")


@task.build
def build(b: Build) -> Key:
    """Put the facts into the world; return what is expected of them."""
    ident = f"INV-{b.rng.between(20_000, 79_999)}"
    wrong, right = b.rng.sample(range(410, 980), 2)
    due = b.today + timedelta(b.rng.between(12, 25))
    day = b.today - timedelta(b.rng.between(6, 12))
    sent = []
    for what, amount, later in (("invoice", wrong, 0), ("corrected", right, 3)):
        said = b.say(what, ident=ident, amount=f"S${amount}.00", due=due, who=b.me)
        at = b.at(day + timedelta(later), "10:20")
        sent.append(b.mail(SENDER, ["me"], said.subject or "", said.text, at))
    for criterion in ("found", "grounded"):
        b.needs(criterion, *sent)  # what one must have read
    b.user(Brief(goal="the invoice as it now stands, nothing touched"))
    b.instruct(supplier=SUPPLIER)
    row = {"invoice": ident, "amount": right * 100, "due": due.isoformat()}
    return Key(rows=[row], corrected=wrong * 100, chief=b.people["sarah"].email)


def wanted(k: Key) -> Wanted:
    """The list as it must be."""
    columns = (
        Column("invoice", read_id, ("invoice no", "number")),
        Column("amount", lambda cell: read_money(cell, "SGD"), ("owed",)),
        Column("due", read_date, ("due date", "deadline")),
    )
    rows = [
        {
            "invoice": r["invoice"],
            "amount": Money(r["amount"], "SGD"),
            "due": date.fromisoformat(r["due"]),
        }
        for r in k.rows
    ]
    return Wanted("workspace/owed", columns, rows, ("invoice", "amount"), "invoice")


@task.criterion
def found(e: Evidence, k: Key) -> Finding:
    return listing.complete(e, wanted(k))


@task.criterion
def grounded(e: Evidence, k: Key) -> Finding:
    return listing.grounded(e, wanted(k))


@task.criterion
def read_only(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    return listing.only_the_list(e, wanted(k))
