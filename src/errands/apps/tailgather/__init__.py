"""Tailgather: a comparison site for pet insurance, where a second pet in the same quote earns a discount.

A pet's premium is the carrier's base for a dog or a cat, more for each year of age, times the percentages of breed,
ZIP code, cover, deductible and reimbursement. Two pets are added up, the carrier's multi-pet discount is taken off, and
only then is it rounded to a cent: the cheapest for two need not be the cheapest for either.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from errands.web import Button, Choice, Field, Number, Postcode, Quote, Rows, Said, Site, Step, Text, Tick

BREEDS = Choice(
    name="breed",
    label="Breed",
    options=(("dog_labrador", "Dog: Labrador Retriever"), ("dog_beagle", "Dog: Beagle"),
             ("dog_bulldog", "Dog: French Bulldog"), ("dog_mixed", "Dog: Mixed breed"),
             ("cat_longhair", "Cat: Domestic Longhair"), ("cat_shorthair", "Cat: Domestic Shorthair"),
             ("cat_maine", "Cat: Maine Coon"), ("cat_siamese", "Cat: Siamese")),
)  # fmt: skip


def _pet(n: str, whose: str, only: tuple[str, str] | None) -> tuple[Field, ...]:
    """What is asked of one pet; of the second (`n` is "2") only if there is one."""
    return (
        Text(name=f"name{n}", label=f"{whose} name", shown_if=only),
        Choice(name=f"breed{n}", label=f"{whose} breed", options=BREEDS.options, shown_if=only),
        Number(name=f"age{n}", label=f"{whose} age in years", most=25, shown_if=only),
    )


PETS = Step(
    "pets",
    "Your pets",
    (
        *_pet("", "Your pet's", None),
        Tick(name="another", label="Add another pet", hint="Two pets in one quote may cost less."),
        *_pet("2", "The other pet's", ("another", "yes")),
    ),
)
KIND = Choice(
    name="cover",
    label="Cover",
    options=(("accident", "Accident only"), ("illness", "Accident and illness")),
    spread=True,
)
COVER = Step(
    "cover",
    "Your cover",
    (
        Postcode(name="zip", label="ZIP code", market="us"),
        KIND,
        Choice(
            name="deductible",
            label="Annual deductible",
            options=(("100", "$100"), ("250", "$250"), ("500", "$500"), ("1000", "$1,000")),
        ),
        Choice(
            name="back",
            label="Reimbursement",
            options=(("70", "70%"), ("80", "80%"), ("90", "90%")),
            spread=True,
        ),
    ),
    button="See prices",
)

tailgather = Site(
    "tailgather",
    __name__,
    title="Tailgather",
    line="Pet insurance for the whole pack",
    look="paper",
    per="a month",
    steps=(PETS, COVER),
    buttons=(Button("buy", "Buy now"),),
)


@tailgather.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """Each carrier's price for the pets together, by name."""
    factors = {(f["carrier"], f["kind"], f["value"]): f["percent"] for f in rows("factor")}
    pets = ("", "2") if said["another"] == "yes" else ("",)
    out = []
    for c in sorted(rows("carrier"), key=lambda c: c["name"]):
        whole = 0  # in cents times a hundred for each percentage
        for n in pets:
            breed = said[f"breed{n}"]
            part = c[breed[:3]] * (100 + c["yearly"] * int(said[f"age{n}"]))
            for kind, value in (("breed", breed), *((k, said[k]) for k in SHARED)):
                part *= factors.get((c["id"], kind, value), 100)
            whole += part
        both = len(pets) > 1
        price = _rounded(whole * (100 - c["multi"] if both else 100), 100 ** (3 + len(SHARED)))
        shown = {"For" if not n else "And": _words(said, n) for n in pets}
        shown |= {"Multi-pet discount": f"{c['multi']}%" if c["multi"] else "none"} if both else {}
        shown |= {"Cover": KIND.words(said["cover"]), "Deductible": f"${int(said['deductible']):,}"}
        shown["Reimbursement"] = f"{said['back']}%"
        facts = {"pets": len(pets), **{k: said[k] for k in SHARED}}
        out.append(Quote(c["id"], c["name"], c["plan"], price, shown, facts=facts))
    return out


SHARED = ("zip", "cover", "deductible", "back")


def _rounded(a: int, b: int) -> int:
    """a / b to the nearest whole number, a half up."""
    return (2 * a + b) // (2 * b)


def _words(said: Said, n: str) -> str:
    breed = BREEDS.words(said[f"breed{n}"]).partition(": ")[2]
    return f"{said[f'name{n}']} ({breed}, age {said[f'age{n}']})"
