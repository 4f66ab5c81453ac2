"""Reports B, 23, 26 and 27: what the simulated user may spoil, and what stands for an audit by a second person."""

from __future__ import annotations

import pytest

from errands.calibrate.seats import ASK, Effects
from errands.core.types import Turn
from errands.doors import Seat

from .bench import EACH, HERE, Tried, required, sit, solved, solving

ONE_MOMENT = {
    "en": "Thank you. One moment.",
    "ko": "감사합니다. 잠시만요.",
    "ja": "ありがとうございます。少々お待ちください。",
    "zh-Hant": "謝謝，請稍等一下。",
    "th": "ขอบคุณครับ รอสักครู่นะครับ",
    "ar": "شكرًا، لحظة من فضلك.",
}


# ---- 26 -------------------------------------------------------------------------------------------------------


class Late(Effects):
    """Ends its turn after each yes, and acts only in the next one."""

    waited = 0

    def __init__(self, sitting, language):
        super().__init__(sitting)
        self.language, self.asked = language, False

    def look(self, tool, args):
        answer = super().look(tool, args)
        self.asked = self.asked or (tool in ASK and bool(answer.get("approved")))
        return answer

    def act(self, n, tool, args):
        if self.asked and self.effects[tool] == "commit":
            self.asked = False
            Late.waited += 1
            turn = self.reply(ONE_MOMENT[self.language])
            assert isinstance(turn, Turn), "the user ended the talk before what was approved could happen"
        return super().act(n, tool, args)


@pytest.mark.parametrize("instance", **EACH)
def test_26_a_yes_can_be_acted_on_one_turn_later(instance):
    """The user ended the talk right after saying yes. Here the user waits: whoever first says thanks, and acts in the
    next turn, does the errand as well."""
    assert solving(instance, lambda s: Late(s, instance.language)).verdict.strict


def test_26_some_errands_wait_for_a_yes():
    Late.waited = 0
    for instance in HERE:
        solving(instance, lambda s, i=instance: Late(s, i.language))
    assert Late.waited


# ---- 27 -------------------------------------------------------------------------------------------------------

UNHEARD = "What colour is the kettle in the pantry on the ninth floor?"
WITH_USER = [i for i in HERE if "user" in i.task.contract.front.apps]


def talk(sat: Tried) -> list[tuple[str, str]]:
    """Every word of the user's and every yes and no."""
    said = [(e.kind, str(e.body)) for e in sat.evidence.ledger if e.actor == "user" and e.kind != "effect"]
    said += [("answer", str(e.body.get("result"))) for e in sat.evidence.entries("call") if e.name in ASK]
    return said


@pytest.mark.parametrize("instance", WITH_USER, ids=lambda i: i.task.id)
def test_27_what_the_user_did_not_understand_is_on_record(instance):
    """Failed runs were put down to the simulated user, and nobody could count them. Here the user is a table of rules:
    it says the same to the same words, and every question that it has no answer to is a row."""

    def run(sitting):
        sitting.next()
        seat = Seat(sitting)
        seat.user_ask_user(question=UNHEARD)
        sitting.reply(UNHEARD)

    first, again = sit(instance, run), sit(instance, run)
    assert talk(first) == talk(again) and first.world_digest == again.world_digest
    unheard = [e for e in first.evidence.ledger if e.kind == "unmatched"]
    assert [e.body["text"] for e in unheard] == [UNHEARD, UNHEARD]
    assert required(instance) <= first.unmet


@pytest.mark.parametrize("instance", **EACH)
def test_27_the_reference_is_never_misunderstood(instance):
    """In no right way of doing an errand is there a question that the user had no answer to."""
    for name, solution in instance.task.solutions.items():
        if solution.role != "wrong":
            assert not [e for e in solved(instance, name).evidence.ledger if e.kind == "unmatched"], name
