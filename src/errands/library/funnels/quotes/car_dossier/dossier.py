"""The papers of a driver: what the form asks for, and beside it what might be taken for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from errands.tasks import Build
from errands.tasks.papers import pdf

PLACES = {
    "San Francisco, CA": ("94110", "94122", "94131"),
    "Seattle, WA": ("98103", "98115", "98118"),
    "Chicago, IL": ("60614", "60647", "60625"),
}
WORDS: Mapping[str, Mapping[str, str]] = {  # what the site keeps, and how the papers put it
    "zip": {code: city for city, codes in PLACES.items() for code in codes},
    "status": {"single": "single", "married": "married", "widowed": "widowed"},
    "home": {"own": "owned", "rent": "rented"},
    "model": {
        "escape": "Ford Escape",
        "civic": "Honda Civic",
        "crv": "Honda CR-V",
        "cx30": "Mazda CX-30",
        "cx5": "Mazda CX-5",
        "cx50": "Mazda CX-50",
        "outback": "Subaru Outback",
        "rav4": "Toyota RAV4",
    },
    "owned": {"paid": "paid off", "loan": "financed", "lease": "leased"},
    "purpose": {"commute": "getting to work", "leisure": "leisure", "business": "business"},
    "deductible": {"250": "$250", "500": "$500", "1000": "$1,000"},
    "kind": {
        "fault": "accident, driver at fault",
        "free": "accident, driver not at fault",
        "glass": "glass, windshield replaced",
        "weather": "weather, hail",
        "theft": "theft of parts",
    },
}
DRIVERS = ("Lucia Fairbrook", "Samuel Ostrander", "Nadia Wexcombe", "Peter Halloran-Voss", "Corinne Tessler")
HOUSEMATES = ("Jonah Brightwater", "Ingrid Pallister", "Marcus Deverell", "Tessa Lindholm")
STREETS = ("Brindle Court", "Corvallen Street", "Ashgrove Terrace", "Maplewick Lane", "Pennant Hill Road")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")


@dataclass(frozen=True)
class Dossier:
    """`wanted`: what the form must hold, field by field. `slips`: by name, the fields that another reading of the
    papers changes. `other`: what the papers say besides."""

    wanted: Mapping[str, str]
    slips: Mapping[str, Mapping[str, str]]
    other: Mapping[str, str]
    claims: tuple[str, ...]  # of the driver, the latest first; the last of them is too old to count

    def paper(self, b: Build) -> bytes:
        """The PDF."""
        w, o = self.wanted, self.other
        born, starts = (b.writing.full_date(date.fromisoformat(w[day])) for day in ("born", "starts"))
        city = WORDS["zip"][w["zip"]]
        return pdf(
            [
                "DRIVER DOSSIER",
                f"Put together on {b.writing.full_date(b.today - timedelta(days=6))}.",
                "",
                "1. DRIVER",
                f"Name: {w['name']}        Date of birth: {born}",
                f"Marital status: {w['status']}",
                f"Learner's permit: {o['permit']}        Full license: {w['licensed']}",
                "",
                "2. ADDRESS",
                f"Home ({WORDS['home'][w['home']]}): {w['street']}, {city} {w['zip']}",
                f"Until {o['moved']}: {o['street']}, {city} {o['zip']}",
                "",
                "3. CAR TO BE INSURED",
                f"{w['year']} {WORDS['model'][w['model']]}, {WORDS['owned'][w['owned']]}",
                f"Odometer: {int(o['odometer']):,} miles        "
                f"Expected use: {int(w['miles']):,} miles a year, mostly {WORDS['purpose'][w['purpose']]}",
                f"Also at this address: {o['car_year']} {WORDS['model'][o['car']]} of {o['mate']}, "
                f"{int(o['car_miles']):,} miles a year,",
                "insured separately. It is not part of this request.",
                "",
                "4. RECORD",
                f"Claims of {w['name']}, all of them:",
                *(f"   {line}" for line in self.claims),
                f"Claims of {o['mate']} (another driver, own policy):",
                f"   {o['mate_claim']}",
                f"Moving violations of {w['name']} in the last three years: {w['tickets']}",
                "",
                "5. COVER WANTED",
                f"From {starts}",
                f"Deductible, collision and comprehensive: {WORDS['deductible'][w['deductible']]}",
                f"Roadside assistance: {w['roadside']}",
            ]
        )


def draw_dossier(b: Build) -> Dossier:
    """Draw a driver; in variant 0 with the facts of the seed: 2021 Mazda CX-5, ZIP 94110, 9,000 miles, a 2023 claim."""
    first, r = b.variant == 0, b.rng
    city = "San Francisco, CA" if first else r.choice(tuple(PLACES))
    codes = ["94110", *r.shuffled(PLACES[city][1:])] if first else r.shuffled(PLACES[city])
    streets = r.sample(STREETS, 2)
    model, car = ("cx5", "civic") if first else r.sample(tuple(WORDS["model"]), 2)
    year = 2021 if first else r.between(2018, 2023)
    years = [2023] if first else sorted(r.sample((2022, 2023, 2024, 2025), r.between(1, 2)), reverse=True)
    kinds = ["fault", *r.sample(("free", "glass", "weather", "theft"), 2)]
    kinds = kinds if first else r.shuffled(kinds)
    born = r.between(1975, 1996)
    licensed = born + r.between(18, 21)
    wanted = {
        "name": r.choice(DRIVERS),
        "born": date(born, r.between(1, 12), r.between(1, 28)).isoformat(),
        "status": r.choice(tuple(WORDS["status"])),
        "licensed": str(licensed),
        "street": f"{r.between(112, 2890)} {streets[0]}",
        "zip": codes[0],
        "home": r.choice(("own", "rent")),
        "year": str(year),
        "model": model,
        "owned": r.choice(tuple(WORDS["owned"])),
        "miles": "9000" if first else str(r.between(13, 30) * 500),
        "purpose": r.choice(tuple(WORDS["purpose"])),
        "claimed": "yes",
        "claims": str(len(years)),
        "claim_year": str(years[0]),
        "claim_kind": kinds[0],
        "tickets": str(r.between(0, 1)),
        "starts": date(2026, 12, r.between(1, 15)).isoformat(),
        "deductible": r.choice(tuple(WORDS["deductible"])),
        "roadside": r.choice(("yes", "no")),
    }
    old, theirs, their_kind = r.between(2016, 2019), r.between(2024, 2026), r.choice(("fault", "glass"))
    other = {
        "permit": str(licensed - 1),
        "moved": f"{r.choice(MONTHS)} 2024",
        "street": f"{r.between(112, 2890)} {streets[1]}",
        "zip": codes[1],
        "odometer": str((2026 - year) * int(wanted["miles"]) + r.between(-2_900, 2_900)),
        "car": car,
        "car_year": str(r.between(2012, 2016)),
        "car_miles": str(int(wanted["miles"]) - r.between(2, 6) * 500),
        "mate": r.choice(HOUSEMATES),
        "mate_claim": _claim(b, theirs, their_kind),
    }
    more = str(len(years) + 1)
    slips = {
        "odometer": {"miles": other["odometer"]},
        "previous_zip": {"zip": other["zip"]},
        "other_car": {"year": other["car_year"], "model": car, "miles": other["car_miles"]},
        "forgot_claim": {"claimed": "no"},
        "old_claim": {"claims": more},
        "others_claim": {"claims": more, "claim_year": str(max(theirs, years[0])), "claim_kind": their_kind},
    }
    kept = [_claim(b, y, kind) for y, kind in zip([*years, old], kinds, strict=False)]
    return Dossier(wanted, slips, other, tuple(kept))


def _claim(b: Build, year: int, kind: str) -> str:
    paid = b.rng.between(3, 9) * 100 if kind == "glass" else b.rng.between(14, 49) * 100
    return f"{b.rng.choice(MONTHS)} {year}: {WORDS['kind'][kind]}, ${paid:,} paid"
