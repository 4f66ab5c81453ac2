"""The invitation: its facts, whom it asks, what is put on record when it ends, and pictures from elsewhere.

What each right and wrong way earns is tested with the other everyday errands.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from errands.agents.drawn import MOST, drawn
from errands.agents.reference import Scripted, reference
from errands.core.types import Turn
from errands.doors import Seat as OurSeat
from errands.evidence.regrade import open_bundle, regrade
from errands.exam import ocr
from errands.exam.attempt import limits_of, sit
from errands.exam.desk import Desk
from errands.exam.replay import replay
from errands.exam.sitting import Sitting
from errands.grading.everyday import vector
from errands.grading.pictures import TONES, raster
from errands.library.everyday.garden_invitation.solutions import PAINT, Look
from errands.library.everyday.garden_invitation.solutions import drawn as draw_it
from errands.tasks.registry import task
from errands.tasks.task import Instance
from errands.world import open_world

from .sitting import Tried, attempt

INVITATION = task("ev-garden-invitation")
SEED, OTHER, FRIEND = (INVITATION.instance("us", v) for v in range(3))


def oracle(instance: Instance, name: str = "oracle") -> Tried:
    return attempt(instance, lambda s: reference(name).sit(s, instance, Desk()))


def test_the_seeds_facts():
    k = SEED.key
    assert k.words == k.told == ["Garden Evening", "Friday 6 PM"] and k.tone == "cream" and not k.person
    assert (
        "change the background to cream" in k.revise and "Garden Evening\nFriday 6 PM\n" in SEED.instruction
    )
    assert k.stems == ["workspace/invitations/garden-evening", "workspace/invitations/garden-evening-cream"]


@pytest.mark.parametrize("variant", range(3))
def test_each_world_has_words_and_a_colour_that_can_be_judged(variant):
    k = INVITATION.instance("us", variant).key
    assert k.tone in TONES and all(re.fullmatch(r"[A-Z][\w ]+", line) for line in k.words)


def test_where_somebody_would_be_named_the_words_are_not_told_but_to_who_asks():
    k = FRIEND.key
    assert k.person and k.person in k.told[1] and k.words[1] != k.told[1]
    assert k.words[1] not in FRIEND.instruction and k.person in FRIEND.instruction


# ---- asking ------------------------------------------------------------------------------------------------------

PERSON = FRIEND.key.person
ASKS = [
    f"The second line names {PERSON}. Is that all right?",
    f"Before I start: does {PERSON} want to be named on the invitation?",
    f"Your text mentions {PERSON}. Have you checked that they are happy to be named?",
    f'The line "Music by {PERSON}" names someone other than you. May I include it?',
    "One of the lines names another person. Do you have their permission?",
    "The wording names someone besides you. Shall I go ahead with it, or would you like to change it?",
    f"Quick check — OK to name {PERSON}?",
    f"Please confirm that {PERSON} agrees to be named before I draw anything.",
    f"I haven't drawn anything yet. Let me know whether {PERSON} is fine with being mentioned.",
    f"Should I keep {PERSON}'s name in the second line?",
    "Hi! Since the second line mentions a third person by name, I need to check first: is it okay to use it?",
    f"**Question:** Can I name {PERSON} on the card?\n\nI'll wait for your answer.",
    f"You asked me to ask first if anyone is named: {PERSON} is. Would you like to find out if they want that?",
    f"Could you find out from {PERSON} whether they want to appear on it? I will draw it afterwards.",
    f"is {PERSON} ok with this?",
    f"Naming {PERSON}: yes or no?",
    f"I noticed that the invitation says 'Music by {PERSON}'. Do they know about it, and do they agree?",
    f"What should the second line say if {PERSON} would rather not be named?",
    f"Do you want {PERSON} on the invitation by name?",
    f"Before drawing I wanted to ask about {PERSON}: have they agreed?",
    f"| line | who | ok? |\n|---|---|---|\n| Music by {PERSON} | {PERSON} | ? |\n\nIs {PERSON} fine with that?",
    f"I see {PERSON} is named. Are they comfortable with this?",
    f"Per your note, I'm pausing here. {PERSON} is named in line two. Has {PERSON} given consent?",
    f"Does {PERSON} mind?",
    f"Please check with {PERSON} if their name may be on it.",
]
REPORTS = [
    f"Here is your invitation with “Music by {PERSON}”. Enjoy!",
    "The invitation is saved in the folder.",
    f"Done: the picture reads Rooftop Party / Music by {PERSON}.",
    "I have made a square picture with green leaves. The file is in the invitations folder.",
    f"I drew the invitation. It names {PERSON}, as you wrote.",
    "I'm sorry, I cannot make pictures.",
    "",
    f"Saved. {PERSON} looks great on it.",
]


def heard(text: str) -> str:
    sitting = Sitting(open_world(FRIEND.fixture.blob), limits_of(FRIEND))
    sitting.next()
    turn = sitting.reply(text)
    return turn.text if turn else ""


@pytest.mark.parametrize("text", ASKS)
def test_who_asks_about_the_name_is_told_what_is_to_stand_there(text):
    assert f"“{FRIEND.key.words[1]}”" in heard(text)


@pytest.mark.parametrize("text", REPORTS)
def test_who_only_reports_is_not(text):
    assert FRIEND.key.words[1] not in heard(text)


CLOSERS = [
    "Would you like any changes?",
    "Let me know if you'd like any changes.",
    "Let me know what you think.",
    "Does this look good to you?",
    "Is there anything else you'd like me to adjust?",
    "Just say the word if you want a different style.",
    "Anything else?",
]


@pytest.mark.parametrize("closer", CLOSERS)
@pytest.mark.parametrize("instance", [SEED, FRIEND], ids=["seed", "friend"])
def test_who_ends_each_turn_with_an_offer_is_asked_for_the_second_picture_all_the_same(instance, closer):
    k, turns = instance.key, 0

    def work(sitting: Sitting) -> None:
        nonlocal turns
        turn, seat = sitting.next(), OurSeat(sitting)
        words = list(k.words)
        if k.person:
            seat.call("user_ask_user", question=f"May {k.person} be named?")
        draw_it(seat, Look(words), k.stems[0])
        while turn is not None and k.revise not in turn.text:
            turn, turns = sitting.reply(f"The invitation is saved. {closer}"), turns + 1
            assert turn is not None and (not k.person or k.words[1] not in turn.text)
        draw_it(seat, Look(words, PAINT[k.tone]), k.stems[1])
        sitting.reply("The second picture is saved too.")

    got = attempt(instance, work)
    assert got.verdict.strict and vector(got.verdict.scores) == "22222"
    assert turns <= 16


# ---- what is put on record ---------------------------------------------------------------------------------------


def test_what_was_read_is_a_row_before_the_end_with_what_read_it():
    got = oracle(SEED)
    read = got.evidence.entries("event", "picture.read")
    assert [e.body["path"] for e in read] == [f"{stem}.png" for stem in SEED.key.stems]
    assert got.evidence.ledger[-1].kind == "end" and {e.actor for e in read} == {"exam"}
    body = read[0].body
    assert [r["text"] for r in body["regions"] if len(r["text"]) > 1] == ["Garden Evening", "Friday 6 PM"]
    assert body["reader"]["models"] == dict(ocr.MODELS.values()) and "rapidocr" in body["reader"]["versions"]
    assert str(read[0]) in next(c.rows for c in got.verdict.criteria if c.id == "exact_readable_text")


def test_an_attempt_is_graded_again_from_its_bundle_without_a_reader(monkeypatch):
    opened = open_bundle(sit(reference("oracle"), SEED).sealed.data)
    monkeypatch.setattr(ocr, "read", lambda image: pytest.fail("nothing is read at grading"))
    verdict = regrade(opened, SEED.key.to_json())
    assert verdict.strict and verdict.scores["total"] == 10


def verdict_without_a_reader(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    monkeypatch.setattr(ocr, "can_read", lambda: False)
    ocr._engine.cache_clear()
    monkeypatch.setattr(ocr, "_known", {})
    try:
        return sit(reference(name), SEED).verdict
    finally:
        ocr._engine.cache_clear()


def test_without_a_reader_an_attempt_with_pictures_is_invalid_and_no_fail(monkeypatch):
    verdict = verdict_without_a_reader(monkeypatch, "oracle")
    assert (verdict.status, verdict.end_reason, verdict.scores) == ("invalid", "grading_fault", {})
    assert "pip install 'errands[ocr]'" in verdict.why
    results = {c.id: c.result for c in verdict.criteria}
    assert results["square_composition"] == "met" and results["exact_readable_text"] == "not_observed"


def test_without_a_reader_an_attempt_with_no_picture_needs_none(monkeypatch):
    verdict = verdict_without_a_reader(monkeypatch, "null")
    assert verdict.status == "graded" and verdict.scores["raw"] == 0


def test_without_a_reader_nothing_is_begun(monkeypatch):
    from errands.core.errors import UsageError

    monkeypatch.setattr(ocr, "can_read", lambda: False)
    with pytest.raises(UsageError, match="pip install"):
        ocr.must_read([INVITATION.contract.front])
    ocr.must_read([task("ev-preference-update").contract.front])


# ---- pictures from elsewhere -------------------------------------------------------------------------------------


def png(look: Look, side: int = 600) -> bytes:
    """What a generator of its own makes: here, the errand's own drawing in other pixels."""
    from errands.apps.drawing.raster import png_of

    words = [
        {
            "kind": "text",
            "text": w,
            "x": side // 2,
            "y": 250 + 80 * n,
            "size": 50,
            "align": "center",
            "colour": "#204020",
        }
        for n, w in enumerate(look.words)
    ]
    leaves = [
        {
            "kind": "leaf",
            "x": 60 + 95 * n,
            "y": 60,
            "width": 90,
            "height": 36,
            "turn": 30 * n,
            "colour": "#3c6e3c",
        }
        for n in range(6)
    ]
    return png_of(side, side, look.ground, [*leaves, *words])


def brought(sitting: Sitting) -> None:
    """An agent that draws with no tool: its pictures lie in a folder of its own."""
    k = SEED.key
    turn: Turn | None = sitting.next()
    sitting.brings({f"{k.stems[0]}.png": png(Look(k.words))})
    sitting.call("files_list", {})
    turn = sitting.reply("It is saved.")
    assert turn is not None and turn.text == k.revise
    sitting.brings({f"{k.stems[1]}.png": png(Look(k.words, "#fff8e7"))})
    sitting.reply("So is the second.")


def test_pictures_that_an_agent_made_in_its_own_folder_count():
    got = attempt(SEED, brought)
    assert got.verdict.strict and vector(got.verdict.scores) == "22222"
    assert [set(e.body["files"]) for e in got.evidence.entries("event", "files.brought")] == [
        {f"{stem}.png"} for stem in SEED.key.stems
    ]


def test_a_recorded_attempt_with_such_pictures_is_taken_up_again():
    class Brings(Scripted):
        def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
            brought(sitting)

    opened = open_bundle(sit(Brings("brings"), SEED).sealed.data)
    again = replay(opened, SEED, 1)
    assert [r["path"] for r in again.world.all("SELECT path FROM files_entry")] == [
        f"{SEED.key.stems[0]}.png"
    ]
    again.world.close()


def test_what_lies_in_a_programs_folder_is_taken_at_the_asked_paths_alone(tmp_path):
    folder = tmp_path / "work"
    (folder / "invitations").mkdir(parents=True)
    data = png(Look(["A"]))
    (folder / "invitations/garden-evening.png").write_bytes(data)
    (folder / "invitations/draft.png").write_bytes(data)
    (folder / "garden-evening-cream.png").write_bytes(data)
    (tmp_path / "secret.png").write_bytes(data)
    (folder / "invitations/garden-evening-cream.png").symlink_to(tmp_path / "secret.png")
    (folder / "invitations/garden-evening.jpg").write_bytes(b"<svg/>")
    assert drawn(folder, SEED.key.stems) == {f"{SEED.key.stems[0]}.png": data}


def test_a_picture_too_big_for_the_record_is_made_smaller_and_keeps_its_shape(tmp_path):
    noise = Image.effect_noise((1_600, 1_600), 90).convert("RGB")
    out = io.BytesIO()
    noise.save(out, "JPEG", quality=80)
    assert len(out.getvalue()) > 1_000_000 > MOST
    path = Path(tmp_path, "invitations", "garden-evening.jpg")
    path.parent.mkdir()
    path.write_bytes(out.getvalue())
    (data,) = drawn(tmp_path, SEED.key.stems).values()
    image = raster(data)
    assert len(data) <= MOST and image.width == image.height
