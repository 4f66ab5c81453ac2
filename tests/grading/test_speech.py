"""Reading what an agent told its user: sentences, list headings, claims and their scope."""

from __future__ import annotations

import pytest

from errands.grading.claims import claims, claims_sent
from errands.grading.speech import said_to_user
from errands.languages.text import sentences, under_headings

from ..people.room import Room

EN = ("en",)


def test_sentences_end_at_marks_and_lines_and_not_within_numbers():
    assert sentences("Moved to 2.30pm. All sent!\n- One\n\n- Two; Three") == [
        "Moved to 2.30pm.",
        "All sent!",
        "- One",
        "- Two",
        "Three",
    ]


def test_items_of_a_list_stand_under_their_heading():
    assert under_headings("New time is one of:\n- 10:00\n- 14:30\nDone.\n- x") == [
        "New time is one of:",
        "New time is one of: - 10:00",
        "New time is one of: - 14:30",
        "Done.",
        "- x",
    ]


def test_a_claim_of_a_part_is_one_of_all_only_by_its_words():
    assert [c.scope for c in claims(EN, "The note to Zul was sent, and all notes were sent.")] == [
        "some",
        "all",
    ]
    assert claims_sent(EN, "The note to Zul was sent. The one to Mori was not.") == "some"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "Were the notes sent?",
        "Were the notes sent? No.",
        "| Notes | |",
        "[ ] Notes sent",
        "Notes sent ❌",
    ],
)
def test_nothing_is_claimed(text):
    assert claims(EN, text) == []


@pytest.mark.parametrize(
    ("language", "text", "scopes"),
    [
        ("en", "Notes sent: Mori, Tan. Not sent: Ooi.", ["some"]),
        ("en", "Notes sent:\n- Mori\n- Tan\nNotes not sent:\n- Ooi", ["some"]),
        ("en", "**Sent notes:** mori@kitakata.example\n**Unsent:** Ooi", ["some"]),
        ("en", "All notes sent: Mori, Tan, Ooi", ["all"]),
        ("en", "Notes sent: yes", ["all"]),
        ("en", "Notes sent: all", ["all"]),
        ("en", "Notes sent: 3", ["all"]),
        ("en", "Notes sent:", ["all"]),
        ("ja", "送信済み：\n・森様\n・田中様\n未送信：\n・大井様", ["some"]),
        ("ja", "メール：送信済み", ["all"]),
        ("zh-Hant", "已寄出的信：王先生、林小姐。未寄出：陳先生。", ["some"]),
        ("ar", "تم إرسال الرسائل: محمد", ["some"]),
    ],
)
def test_a_label_with_a_list_speaks_of_those_on_it(language, text, scopes):
    assert [c.scope for c in claims((language,), text)] == scopes


def test_a_list_under_a_label_belongs_to_its_claim():
    (claim,) = claims(EN, "Notes sent:\n- Mori\n- Tan\n- Ooi: not sent")
    assert claim.words == "Notes sent: Mori Tan"


def test_a_question_answered_with_yes_is_a_claim():
    assert claims_sent(EN, "Were the notes sent? Yes.") == "all"


def test_what_was_said_by_tool_counts_and_what_was_refused_does_not():
    room = Room()
    ident = room.mail("zul")
    room.call("user_ask_user", question="Which room?")
    room.call("user_request_approval", items=[ident], message="May this go?")
    with pytest.raises(Exception, match="nothing is staged"):
        room.call("user_request_approval", items=["dft_none"], message="And that?")
    room.say("All done.")
    assert [s.text for s in said_to_user(room.evidence)] == ["Which room?", "May this go?", "All done."]
