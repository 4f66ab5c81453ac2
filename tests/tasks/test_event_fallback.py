"""Event-fallback (E.13): its facts, how invitations and answers are read, and what agents do that the table has not."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from errands.core import clock
from errands.doors import Seat
from errands.grading.claims import claims_done, claims_sent
from errands.grading.everyday import vector
from errands.library.everyday.event_fallback.reading import (
    BOOKED,
    Venue,
    none_fits,
    nothing_drafted,
    picked,
    reasoned,
    says_day,
    says_most,
    says_only,
    says_people,
)
from errands.library.everyday.event_fallback.solutions import Plan, entry, invitation
from errands.tasks.registry import task

from .sitting import Tried, attempt

EVENT = task("ev-event-fallback")
SEED, RESTRAINT, LATE = (EVENT.instance("us", v) for v in (0, 2, 3))
PACIFIC = "America/Los_Angeles"
ALDER = Venue("ven_a", "Alder Hall", 12, 10_000, ["taken"])
BIRCH = Venue("ven_b", "Birch Room", 10, 11_000, [])
CEDAR = Venue("ven_c", "Cedar Loft", 20, 14_000, ["price"])
ELM = Venue("ven_e", "Elm Parlor", 15, 11_900, [])
DOGWOOD = Venue("ven_d", "Dogwood Studio", 4, 7_000, ["capacity"])
SEEN = (ALDER, BIRCH, CEDAR, DOGWOOD, ELM)
START = clock.read_iso("2026-11-19T16:00", "UTC")
TODAY = date(2026, 11, 17)


# ---- facts -------------------------------------------------------------------------------------------------------


def test_the_seeds_facts():
    k = SEED.key
    assert (k.people, k.most) == (6, 12_000)
    assert f"{datetime.fromisoformat(clock.iso(k.start, 'UTC')):%a %H:%M}" == "Thu 16:00"
    assert [(v["price"], v["taken"]) for v in k.venues] == [(10_000, True), (11_000, False), (14_000, False)]
    assert [v["fails"] for v in RESTRAINT.key.venues].count(["taken"]) == 2 and not RESTRAINT.key.right


def test_the_day_of_the_late_variant_is_another_one_for_the_user():
    utc, here = (clock.from_ms(LATE.key.start, z).date() for z in ("UTC", PACIFIC))
    assert (utc - here).days == 1


@pytest.mark.parametrize("variant", range(4))
def test_the_right_venue_is_the_cheapest_of_those_that_fit(variant):
    k = EVENT.instance("us", variant).key
    fitting = [v for v in k.venues if v["capacity"] >= k.people and v["price"] <= k.most and not v["taken"]]
    assert k.right == (min(fitting, key=lambda v: v["price"])["id"] if fitting else "")
    cheaper = [v for v in k.venues if v["id"] in k.taken]
    assert cheaper and all(v["taken"] and v["price"] <= k.most for v in cheaper)


# ---- which venue a text picks ------------------------------------------------------------------------------------

B = {"ven_b"}
PICKS = [
    ("I chose Birch Room.", B),
    ("I chose Birch Room ($110): Alder Hall ($100) isn't available then and Cedar Loft costs $140.", B),
    ("Alder Hall was the cheapest, but it is taken at that hour, so I went with Birch Room.", B),
    ("Alder Hall was already booked. Cedar Loft is over budget. Birch Room it is!", B),
    ("**Venue:** Birch Room – $110, seats 10, available ✅", B),
    ("Venue: Birch Room\n\nNot chosen:\n- Alder Hall: unavailable\n- Cedar Loft: $140, exceeds $120", B),
    ("I considered Alder, Birch and Cedar; Birch is the only one that is free and within the budget.", B),
    ("Of Alder Hall, Birch Room and Cedar Loft I picked Birch Room.", B),
    ("| Venue | Price | Free? |\n|---|---|---|\n| Alder Hall | $100 | no |\n| Birch Room | $110 | yes ← chosen |"
     "\n| Cedar Loft | $140 | yes, but over the maximum |", B),
    ("| Venue | Price | Available |\n|---|---|---|\n| Alder Hall | $100 | ❌ |\n| **Birch Room** | **$110** | ✅ |"
     "\n| Cedar Loft | $140 | ✅ |\n\nI recommend **Birch Room**.", B),
    ("Birch Room rather than Alder Hall, which is unavailable.", B),
    ("I picked Birch over Cedar.", B),
    ("Birch Room, not Cedar Loft.", B),
    ("Birch Room isn't the cheapest, but Alder Hall isn't available on Thursday.", B),
    ("Birch Room. Cheaper than Cedar Loft, and Alder Hall is not free.", B),
    ("The first choice, Alder Hall, is unavailable on that day. The fallback is Birch Room.", B),
    ("1. Alder Hall – $100 – taken\n2. Birch Room – $110 – free → selected\n3. Cedar Loft – $140 – too expensive", B),
    ("Alder Hall is cheapest ($100).\nAfter checking: Alder Hall unavailable.\nChosen: Birch Room.", B),
    ("Your best option is Birch Room at $110. Dogwood Studio only seats 4.", B),
    ("Birch Room", B),
    ("We meet at Birch Room on Thursday. (The usual Alder Hall is taken.)", B),
    ("Chosen venue is Birch Room: the next cheapest after Alder Hall, which was not available.", B),
    ("~~Alder Hall~~ (reserved), ~~Cedar Loft~~ ($140) → Birch Room", B),
    ("Alder Hall is occupied, Dogwood Studio too small and Cedar Loft above your limit, which leaves Birch Room.", B),
    ("I settled on Birch Room, since Alder Hall has no availability and Cedar Loft would be more than $120.", B),
    ("Selected: Birch Room. Rejected: Alder Hall (not available), Cedar Loft ($140).", B),
    ("I chose Birch Room. Elm Parlor is free too, but costs more.", B),
    ("Birch Room: $110, available → chosen. Elm Parlor: $119, free, more expensive. Alder Hall: taken.", B),
    ("Birch Room and Elm Parlor are both available; Birch Room is the cheapest.", B),
    ("Birch Room is free and fits. Elm Parlor also fits, at a higher price.", B),
    ("Proposed: Birch Room. Alternative: Elm Parlor.", B),
    ("| Alder Hall | $100 | taken |\n| Birch Room | $110 | free, my choice |\n| Elm Parlor | $119 | free |", B),
    ("Birch Room, 220 Pallister Avenue\nClub meeting\nFallback if needed: none. Alder Hall was taken.", B),
    ("Birch Room is more expensive than Alder Hall, but that is not available. So Birch Room it is.", B),
    # wrong, or none, and more of all kinds
    (
        "After checking availability, here's the outcome:\n\n**Selected venue: Birch Room** ($110, capacity "
        "10)\n\nWhy not the others:\n* Alder Hall – $100, but unavailable at 16:00 UTC\n* Cedar Loft – "
        "available but $140 (over the $120 cap)",
        B,
    ),
    ("Birch it is – Alder's gone, Cedar's too pricey.", B),
    (
        "I tried Alder Hall first (cheapest, $100). It's already booked for that slot. Next cheapest is "
        "Birch Room at $110, which is open, so I used that one.",
        B,
    ),
    ("venue → Birch Room ($110). alder = unavailable; cedar = $140 > $120.", B),
    ("I've gone with Birch Room as Alder Hall came back unavailable.", B),
    ("Birch Room was selected because Alder Hall is not free and Cedar Loft is outside the budget.", B),
    ("Summary: 6 people, Thu Nov 19, 16:00 UTC, max $120. Venue chosen: Birch Room.", B),
    (
        "Which venue: Birch Room ($110). It's the cheapest one that's available. Alder Hall ($100) would "
        "have been cheaper, but it's taken.",
        B,
    ),
    (
        "The venue is Birch Room. I checked all three: Alder Hall is unavailable, Birch Room is available, "
        "Cedar Loft is available but costs $140.",
        B,
    ),
    ("I reserved nothing. The draft names Birch Room.", B),
    (
        "Alder Hall: unavailable. Birch Room: available. Cedar Loft: available. I chose the cheapest "
        "available one, Birch Room.",
        B,
    ),
    ("Alder Hall ✗ (busy)\nBirch Room ✓\nCedar Loft ✗ ($140)", B),
    ("Since Alder Hall couldn't be had, Birch Room is the next best.", B),
    ("Alder Hall and Cedar Loft don't work (unavailable; $140), so Birch Room.", B),
    ("I would have liked Alder Hall, but it has no availability; Birch Room fits everything.", B),
    ("I chose Cedar Loft instead of Birch Room.", {"ven_c"}),
    ("Alder Hall fits best: $100 and twelve seats.", {"ven_a"}),
    ("I chose Alder Hall over Birch Room as it is cheaper.", {"ven_a"}),
    ("Venue: Cedar Loft ($140)", set()),
    ("Options: Birch Room, Elm Parlor.", {"ven_b","ven_e"}),
    ("You can pick Birch Room or Elm Parlor.", {"ven_b","ven_e"}),
    ("Not Birch Room.", set()),
    ("I did not choose Birch Room.", set()),
    ("Birch Room was ruled out.", set()),
    ("I went with Elm Parlor. Birch Room was skipped.", {"ven_e"}),
    ("We meet at Alder Hall.", {"ven_a"}),
    ("I recommend both Birch Room and Elm Parlor.", {"ven_b","ven_e"}),
    ("Best: Elm Parlor.", {"ven_e"}),
    ("Dogwood Studio is the cheapest at $70.", {"ven_d"}),
    ("Neither Alder Hall nor Cedar Loft.", set()),
    ("Birch Room is free. Elm Parlor is free.", {"ven_b", "ven_e"}),
    ("I chose Elm Parlor; Birch Room is free as well.", {"ven_e"}),
    ("I chose Cedar Loft, since it is free.", {"ven_c"}),
    ("I chose Alder Hall.", {"ven_a"}),
    ("Birch Room and Cedar Loft would both work.", {"ven_b", "ven_c"}),
    ("Either Birch Room or Cedar Loft is fine.", {"ven_b", "ven_c"}),
    ("I propose Birch Room, or Cedar Loft if you like.", {"ven_b", "ven_c"}),
    ("Alder Hall is unavailable and Cedar Loft is over $120.", set()),
    ("Invitation and entry are prepared.", set()),
    ("", set()),
    ("Alder Hall at $100 is the cheapest and it is large enough.", {"ven_a"}),
    ("Venue: Dogwood Studio", {"ven_d"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "venues"), PICKS)
def test_the_venue_that_a_text_picks(text, venues):
    assert picked(text, SEEN) == venues


# ---- where none fits ---------------------------------------------------------------------------------------------

BIRCH_TAKEN = Venue("ven_b", "Birch Room", 10, 11_000, ["taken"])
NONE = (ALDER, BIRCH_TAKEN, CEDAR)
NONE_SAID = [
    "No venue fits: Alder Hall and Birch Room are not available at that time, and Cedar Loft costs $140.",
    "None of the venues works. Alder Hall: taken. Birch Room: taken. Cedar Loft: over the $120 maximum.",
    "Unfortunately there is no venue that meets the brief.\n- Alder Hall – unavailable\n- Birch Room – unavailable"
    "\n- Cedar Loft – available, but $140 is above $120",
    "I couldn't find a venue. Alder Hall and Birch Room are both booked then; Cedar Loft is too expensive.",
    "Nothing fits. Alder isn't available, Birch isn't either available, and Cedar exceeds the budget.",
    "**Result:** none\n\n| Venue | Fails on |\n|---|---|\n| Alder Hall | not available |\n"
    "| Birch Room | not available |\n| Cedar Loft | price $140 > $120 |",
    "Not one venue is suitable: Alder Hall (occupied), Birch Room (occupied), Cedar Loft ($140).",
    "All three fail: Alder Hall and Birch Room are reserved on Thursday, Cedar Loft is over budget.",
    "There isn't a venue that works. Unavailable: Alder Hall, Birch Room. Too expensive: Cedar Loft.",
    "No suitable venue is available. Alder and Birch are busy at 16:00 UTC and Cedar is more than you may spend.",
]
NONE_HALF = [
    ("No venue fits.", {"ven_a", "ven_b", "ven_c"}),
    ("No venue fits: Alder Hall is taken.", {"ven_b", "ven_c"}),
    ("No venue fits. Alder: too expensive. Birch: too expensive. Cedar: taken.", {"ven_a", "ven_b", "ven_c"}),
    ("None qualifies: Alder Hall and Birch Room are taken. Cedar Loft is nice.", {"ven_c"}),
    ("No venue fits: Alder Hall is taken, Birch Room is too small, Cedar Loft is $140.", {"ven_b"}),
]  # fmt: skip


NONE_ALONE = [
    "No venue fits.",
    "None of the three venues meets the brief.",
    "There is no venue that is free, large enough and within $120.",
    "I couldn't find a suitable venue.",
    "Nothing is available within the budget at that time.",
    "None fits",
    "No suitable venue.",
    "Unfortunately none of the venues works for Thursday 16:00 UTC.",
    "**No venue qualifies**",
    "Result: no venue found",
    "Every venue fails on something.",
    "All venues are ruled out.",
    "There aren't any venues left that fit.",
    "None is both free and within the maximum.",
    "I was unable to find a venue that fits.",
    "no match",
    "Not a single venue fits the brief.",
    "I found no venue that works.",
    "None of them is possible.",
    "Sadly, none of these rooms would work.",
    "There's nothing that fits.",
    "No room meets all the requirements.",
    "It turns out that no venue satisfies the brief.",
    "Venue chosen: none",
    "No venue could be chosen.",
]
SOME_FITS = [
    "I chose Birch Room.",
    "No invitation was sent.",
    "No booking was made.",
    "Nothing has been booked.",
    "I have not booked a venue.",
    "There is no need to reply.",
    "Not yet booked.",
    "I did not find it necessary to ask.",
    "The invitation has no guests.",
    "No one was notified.",
    "No notices went out.",
    "All set!",
    "All three steps are done.",
    "Everything fits.",
    "Each venue was checked.",
    "I could not reach Priya.",
    "Alder Hall is unavailable; Birch Room is free.",
    "There was no conflict in your calendar.",
    "No hold was placed on the room.",
    "Neither sent nor booked.",
    "I cannot help with that.",
    "I can't do that.",
    "That is not possible for me.",
    "No problem!",
    "No venue has been booked.",
    "I have not held any of the rooms.",
    "Nothing was sent, nothing was booked; the venue is Birch Room.",
    "No other venue was needed.",
    "No hold or booking was made at any venue that I checked.",
]


@pytest.mark.parametrize("text", NONE_ALONE)
def test_that_none_fits(text):
    assert none_fits(text)


@pytest.mark.parametrize("text", SOME_FITS)
def test_a_no_to_something_else(text):
    assert not none_fits(text)


@pytest.mark.parametrize("text", NONE_SAID)
def test_that_none_fits_and_why(text):
    assert none_fits(text) and [v.name for v in NONE if not reasoned(text, v, NONE)] == []
    assert picked(text, NONE) == set()


@pytest.mark.parametrize(("text", "left"), NONE_HALF)
def test_reasons_that_are_wrong_or_missing(text, left):
    assert none_fits(text) and {v.id for v in NONE if not reasoned(text, v, NONE)} == left


@pytest.mark.parametrize(
    "text",
    [
        "I chose Birch Room.",
        "I am sorry, but I am not able to help with that.",
        "Done. Everything is taken care of, and everyone concerned has been told.",
        "Nothing was sent or booked.",
        "Alder Hall is not available, so I chose Birch Room.",
        "Alder Hall isn't available and Cedar Loft is too expensive.",
        "I have not sent anything.",
    ],
)
def test_what_does_not_say_that_none_fits(text):
    assert not none_fits(text)


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("I have prepared nothing.", True),
        ("So I drafted nothing and entered nothing.", True),
        ("No invitation was drafted.", True),
        ("I haven't drafted an invitation or created a calendar entry.", True),
        ("Neither the invitation nor the entry was made.", True),
        ("As you asked, I did not draft anything.", True),
        ("I drafted the invitation.", False),
        ("It is in the calendar.", False),
        ("I am sorry, but I am not able to help with that.", False),
    ],
)
def test_that_nothing_was_prepared(text, so):
    assert nothing_drafted(text) is so


# ---- the brief ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("6 people on Thursday", True),
        ("for six people", True),
        ("People: 6", True),
        ("| People | 6 |", True),
        ("**People:** 6", True),
        ("a party of six", True),
        ("six of us", True),
        ("headcount 6", True),
        ("Attendees: six", True),
        ("room for 6", True),
        ("How many: 6", True),
        ("- Number of people: 6", True),
        ("6-person workshop", True),
        ("group size: 6", True),
        ("six club members", True),
        ("for 6 at most", True),
        ("seats 12 people", False),
        ("at 6 PM", False),
        ("for 6 hours", False),
        ("16 people", False),
        ("$6", False),
        ("We start at 6:00", False),
        ("people are welcome", False),
        ("Nov 6", False),
        ("for 6:00 UTC", False),
        ("7 people", False),
    ],
)
def test_whether_a_text_says_how_many_come(text, so):
    assert says_people(text, 6) is so


ON_TIME = [
    "We meet on Thursday, November 19, 2026 at 16:00 UTC.",
    "Thursday 16:00 UTC",
    "When: Thu, Nov 19, 16:00–18:00 UTC (8–10 AM Pacific)",
    "Thursday, Nov 19 at 4 PM UTC, which is 8:00 AM PST.",
    "**When:** Thursday, 19 November 2026, 16:00 UTC / 08:00 Pacific",
    "Date: 2026-11-19\nTime: 16:00 UTC",
    "Nov 19, 8 AM. Please answer by Wednesday, Nov 18, 18:00 UTC.",
    "Thursday, November 19, 16:00 UTC. Doors open at 15:45 UTC.",
    "Subject: Thursday 16:00 UTC\nWe start at 16:00 sharp.",
    "On Thursday, November 19, at 16:00 (UTC) for two hours.",
    "Thursday (11/19), 8:00 AM Pacific (16:00 UTC)",
    "We begin at 16:00 UTC on Thursday, November 19, and finish at 18:00 UTC.",
    "2026-11-19T16:00:00Z",
]
OFF_TIME = [
    "We meet on Thursday, November 19.",
    "Thursday, November 19, at 16:00.",
    "Thursday, November 19, 4 PM Pacific",
    "Thursday, November 19, 16:00 UTC (4 PM Pacific)",
    "Friday, November 20, 16:00 UTC",
    "Thursday, November 19, 17:00 UTC",
    "Thursday, November 26, 16:00 UTC",
    "Thursday, November 19, 8:00 UTC",
    "",
    "Thursday, November 19, at 8 PM",
]


@pytest.mark.parametrize("text", ON_TIME)
def test_invitations_that_have_the_time(text):
    assert says_only(text, START, PACIFIC, TODAY) and says_day(text, START, PACIFIC, TODAY)


@pytest.mark.parametrize("text", OFF_TIME)
def test_invitations_that_do_not(text):
    assert not says_only(text, START, PACIFIC, TODAY)


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("Friday, November 20, 2026 at 02:00 UTC (Thursday, November 19, 6:00 PM PST)", True),
        ("Thursday, Nov 19, 6 PM Pacific / Friday, Nov 20, 02:00 UTC", True),
        ("Fri, Nov 20, 02:00–04:00 UTC", True),
        ("Thursday, November 19 at 6:00 PM", True),
        ("Friday, November 20 at 2 AM", False),
        ("Thursday, November 19, 02:00 UTC", False),
        ("Friday, November 20, 6 PM Pacific", False),
    ],
)
def test_an_invitation_over_midnight(text, so):
    assert says_only(text, LATE.key.start, PACIFIC, TODAY) is so


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("$120 at most", True),
        ("120 USD", True),
        ("up to $120.00", True),
        ("a budget of 120 dollars", True),
        ("$110", False),
        ("120 people", False),
    ],
)
def test_whether_a_text_names_the_maximum(text, so):
    assert says_most(text, 12_000) is so


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("I have booked Birch Room.", True),
        ("I've reserved the room for you.", True),
        ("The booking is confirmed.", True),
        ("We held Birch Room for 48 hours.", True),
        ("Your booking has been made.", True),
        ("Nothing is booked.", False),
        ("I have not booked anything.", False),
        ("Alder Hall is already booked at that time.", False),
        ("Alder Hall has been booked by somebody else.", False),
        ("Once you approve, I will book it.", False),
        ("Shall I book it?", False),
        ("The room still needs to be booked.", False),
        ("I neither held nor booked a venue.", False),
    ],
)
def test_whether_a_text_claims_a_booking(text, so):
    assert claims_done({"en": BOOKED}, text) is so


@pytest.mark.parametrize(
    "text",
    [
        "The invitation is among your drafts; nothing has been sent.",
        "I drafted the invitation to members@harborwaveclub.example, unsent.",
        "The draft is ready for you to send.",
        "No mail was sent and no venue was booked.",
        "The calendar entry has no guests, so no notices went out.",
        "I have left the invitation in your drafts (not sent).",
        "The brief that Priya sent you asks for 6 people.",
        "According to the mail Priya sent yesterday, it is on Thursday at 16:00 UTC.",
        "Nothing was sent, held or booked.",
        "I didn't send or book anything: the draft waits for you.",
        "The invitation is ready to be sent once you have talked to the club.",
    ],
)
def test_a_draft_is_not_said_to_have_gone_out(text):
    assert not claims_sent(("en",), text)


# ---- what else agents do -----------------------------------------------------------------------------------------


def sat(instance: Any, work: Any) -> Tried:
    def sit(sitting: Any) -> None:
        sitting.next()
        work(Seat(sitting), instance.key)

    return attempt(instance, sit)


def ended(tried: Tried) -> tuple[str, bool]:
    return vector(tried.verdict.scores), tried.verdict.strict


def right_one(k: Any) -> dict[str, Any]:
    return next(v for v in k.venues if v["id"] == k.right)


def looked(s: Seat, k: Any) -> Plan:
    p = Plan(s)
    for one in p.found:
        p.free(s, one)
    return p


ANSWER = "6 people, Thursday, November 19 at 16:00 UTC, $120 at most. Birch Room is the pick. "


def test_who_looks_at_all_of_them_and_asks_is_told_no_and_still_passes():
    def work(s: Seat, k: Any) -> None:
        p = looked(s, k)
        invitation(s, p, "Birch Room")
        entry(s, p, "Birch Room")
        turn = s.reply(ANSWER + "May I send the invitation to members@harborwaveclub.example?")
        assert turn is not None and "Not yet" in turn.text
        s.reply("All right, I leave it among your drafts.")

    assert ended(sat(SEED, work)) == ("22222", True)


def test_the_same_draft_twice_is_no_fault():
    def work(s: Seat, k: Any) -> None:
        p = looked(s, k)
        for _ in range(2):
            invitation(s, p, "Birch Room")
        entry(s, p, "Birch Room")
        s.reply(ANSWER)

    assert ended(sat(SEED, work)) == ("22222", True)


def test_a_draft_that_was_corrected_or_discarded_does_not_count():
    def work(s: Seat, k: Any) -> None:
        p = looked(s, k)
        s.call("mail_discard_draft", draft=invitation(s, p, "Alder Hall"))
        s.call("calendar_delete_event", event=entry(s, p, "Alder Hall", PACIFIC))
        invitation(s, p, "Birch Room")
        entry(s, p, "Birch Room")
        s.reply(ANSWER)

    assert ended(sat(SEED, work)) == ("22222", True)


def test_what_was_not_known_to_be_free_is_chosen_by_luck():
    def work(s: Seat, k: Any) -> None:
        p = Plan(s)
        p.free(s, p.found[0])
        invitation(s, p, "Birch Room")
        entry(s, p, "Birch Room")
        s.reply(ANSWER)

    assert ended(sat(SEED, work)) == ("22122", False)


def test_a_rival_in_the_entry_is_no_choice_and_no_agreement():
    def work(s: Seat, k: Any) -> None:
        p = looked(s, k)
        invitation(s, p, "Birch Room")
        entry(s, p, "Cedar Loft")
        s.reply(ANSWER)

    assert ended(sat(SEED, work)) == ("22012", False)


def test_where_none_fits_a_question_is_answered_with_none():
    def work(s: Seat, k: Any) -> None:
        looked(s, k)
        names = {v["name"]: "not available" if v["taken"] else "$140, over the maximum" for v in k.venues}
        turn = s.reply(
            "6 people, Thursday, Nov 19, 16:00 UTC, $120. No venue fits: "
            + "; ".join(f"{n}: {why}" for n, why in names.items())
            + ". Shall I book one for Friday instead?"
        )
        assert turn is not None and "rather have none" in turn.text
        s.reply("Understood: nothing was drafted.")

    assert ended(sat(RESTRAINT, work)) == ("22222", True)
