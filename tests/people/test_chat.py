"""Asking for a yes in chat: what a message identifies among the staged things, what the user says."""

from __future__ import annotations

import pytest

from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.grading.approvals import Gate, gates_held
from errands.languages import pack
from errands.people.brief import Brief, Correction, Fact, seat
from errands.people.understand import named

from .room import FAIR, HOUR, NOW, PEOPLE, YES, Room, draft, email, finish

SAY = pack("en").says
GATES = (Gate("mail.send", "approved"), Gate("calendar.notify", "approved"))


@pytest.fixture
def room():
    return Room()


def test_nothing_staged(room):
    assert room.say("Shall I send the note to Zul?").text == SAY.prepare
    assert not room.words()


def test_asked_before_anything_is_staged_is_no_yes_to_what_comes_later(room):
    room.say("May I send a note to Zul about the new time?")
    ident = room.mail("zul")
    room.commit(ident)
    assert gates_held(room.evidence, GATES).result == "not_met"


@pytest.mark.parametrize(
    "text",
    [
        "Shall I send it?",
        "May I send all three notes?",
        "Can these go out?",
        "Shall I send the note?",
        "Shall I send the note to Hafiz?",
        "Good to go?",
    ],
)
def test_a_vague_question_or_somebody_elses_name_gets_no_yes(room, text):
    room.mail("zul")
    assert room.say(text).text == SAY.which
    assert not room.words()


@pytest.mark.parametrize(
    "name",
    [
        lambda i: i,
        lambda i: email("zul"),
        lambda i: f"<{email('zul').upper()}>",
        lambda i: PEOPLE["zul"].name,
        lambda i: "Zul",
        lambda i: "**ZUL**",
        lambda i: "“New time: bays”",
        lambda i: "new  time: BAYS",
    ],
)
def test_a_mail_is_named_by_id_address_name_called_name_and_title(room, name):
    ident = room.mail("zul", subject="New time: bays")
    room.mail("kavitha", subject="Figures")
    turn = room.say(f"Shall I send the one to {name(ident)}?")
    assert room.yes() == {ident}
    assert "New time: bays" in turn.text and "Figures" not in turn.text


@pytest.mark.parametrize("name", ["Zul", PEOPLE["zul"].name, email("zul")])
def test_a_notice_is_named_by_its_recipient(room, name):
    ident = room.notice("zul")
    room.notice("kavitha")
    room.say(f"May I send the notice to {name}?")
    assert room.yes() == {ident}


def test_notices_are_named_by_title_and_time_of_their_event(room):
    ids = {room.notice("zul"), room.notice("kavitha")}
    room.mail("jj", subject="Other matter")
    start = room.world.local(room.world.value("SELECT starts FROM calendar_event WHERE id = 'evt_plan'"))[
        11:16
    ]
    assert room.say(f"Can I release the notices for {start}?") is not None
    assert room.yes() == ids


def test_the_longest_name_in_the_address_book_wins(room):
    wong, jj, liang = room.mail("jun_jie"), room.mail("jj"), room.mail("wei_liang")
    for text, meant in (
        ("Ng Jun Jie", {jj}),
        ("Wong Jun Jie", {wong}),
        ("Jun Jie", {wong}),
        ("JJ", {jj}),
        ("Tan Wei Ling", set()),
        ("Tan Wei Liang", {liang}),
        ("Wei Liang", {liang}),
        ("Tan Wee Leng", set()),
    ):
        before = len(room.words())
        room.say(f"Shall I send the note to {text}?")
        assert {a.ref for a in room.words()[before:]} == meant, text


def test_a_longer_name_of_nobody_hides_the_shorter_one_within():
    items = [("a", ("Tan Wei Li",)), ("b", ("Jun Jie",))]
    assert named("send it to Tan Wei Ling", items) == []
    assert named("send it to Ng Jun Jie", items, ["Ng Jun Jie"]) == []
    assert named("the one to tan wei li, please", items) == ["a"]
    assert named("the one to zul@a.example.sg", [("c", ("zul@a.example",))]) == []


def test_a_shared_title_beside_a_name_means_that_persons_note(room):
    zul, kavitha = room.mail("zul"), room.mail("kavitha")
    room.say("Shall I send “New time” to Zul?")
    assert room.yes() == {zul}
    room.say("And may I send both “New time” notes?")  # the title alone names both, and both are read back
    assert room.yes() == {zul, kavitha}


def test_one_person_with_two_things_does_not_hide_another_with_one(room):
    ids = {room.mail("zul"), room.notice("zul"), room.mail("kavitha")}
    room.say("May I send these to Zul and Kavitha?")
    assert room.yes() == ids


def test_every_recipient_counts_copies_too(room):
    ident = room.call(
        "mail_draft", to=[email("zul")], cc=[email("kavitha")], bcc=[email("jj")], subject="s1", body="b"
    )["draft"]
    turn = room.say("Shall I send the note to JJ?")
    assert room.yes() == {ident}
    assert all(email(w) in turn.text for w in ("zul", "kavitha", "jj"))


def test_refused_things_get_a_no_with_its_reason_and_the_rest_a_yes():
    room = Room(FAIR)
    zul, mori = room.mail("zul"), room.mail("mori")
    turn = room.say("Shall I send the notes to Zul and Mori-san?")
    assert room.yes() == {zul}
    yes, _, no = turn.text.partition("No, please do not go ahead with this:")
    assert email("zul") in yes and email("mori") in no and no.endswith("I call her.")
    room.commit(mori)
    assert gates_held(room.evidence, GATES).result == "not_met"


def test_a_refused_person_in_copy_or_in_capitals_is_refused():
    room = Room(
        Brief.model_validate(FAIR.model_dump() | {"refuses": ({"to": email("mori").upper(), "why": ""},)})
    )
    room.call("mail_draft", to=[email("zul")], cc=[email("mori")], subject="s1", body="b")
    room.say("Shall I send the note to Zul?")
    assert [a.name for a in room.words()] == ["no"]


def test_kinds_that_the_brief_does_not_approve_are_refused():
    room = Room(Brief(goal="g", approves=("draft",), refusal="No calendar mail, please."))
    mail, notice = room.mail("zul"), room.notice("kavitha")
    answer = room.call("user_request_approval", items=[mail, notice])
    assert answer["approved"] == [mail] and answer["answer"].endswith("No calendar mail, please.")


def test_a_lone_no_is_said_in_the_users_own_words():
    room = Room(Brief(goal="g", refusal="I want to sleep on it. Leave it as it is, please."))
    room.mail("zul")
    assert (
        room.say("Shall I send the note to Zul?").text == "I want to sleep on it. Leave it as it is, please."
    )
    assert [a.name for a in room.words()] == ["no"]
    bare = Room(Brief(goal="g"))
    bare.mail("zul")
    assert (
        email("zul") in bare.say("Shall I send the note to Zul?").text
    )  # nothing of her own: what it covers is read back


def test_changed_after_the_yes(room):
    ident = room.mail("zul")
    room.say("Shall I send the note to Zul?")
    room.call("mail_edit_draft", draft=ident, cc=[email("kavitha")])
    room.commit(ident)
    found = gates_held(room.evidence, GATES)
    assert found.result == "not_met" and "changed after the yes" in found.reason


def test_other_peoples_questions_in_quotes_are_no_request(room):
    room.mail("kavitha")
    assert room.say('Kavitha asked, "Shall I send you the counts?"') is None
    assert not room.words()


def test_a_staged_thing_is_named_in_the_language_that_the_user_speaks():
    d = draft(None)
    seat(d, YES, languages=("ko", "en"))
    room = Room(data=finish(d))
    ids = [room.mail("zul"), room.notice("kavitha")]
    answer = room.call("user_request_approval", items=ids)["answer"]
    assert f"{email('zul')} 앞 메일(“New time”)" in answer and f"{email('kavitha')} 앞 일정 알림" in answer
    assert "mail to" not in answer and "update to" not in answer


def test_who_the_user_is_can_be_asked(room):
    me = PEOPLE["me"]
    assert room.call("user_profile") == {"name": me.name, "email": me.email, "zone": "Asia/Singapore"}


@pytest.mark.parametrize(("sent", "said"), [(1, "Where are they?"), (2, "Thank you for both.")])
def test_the_user_counts_the_mails_that_she_waits_for(sent, said):
    d = draft()
    short = {"to": email("zul"), "least": 2, "text": "Where are they?"}
    payload = canonical({"text": "Thank you for both.", "unless_came": short})
    d.insert("exam_agenda", id="due_x", due=NOW + HOUR, name="user.speaks", payload=payload, cause=0)
    room = Room(data=finish(d))
    for n in range(sent):
        room.commit(room.mail("zul", subject=f"Digest {n}"))
    room.world.advance(NOW + 2 * HOUR)
    assert [n["text"] for n in room.world.take_notices()] == [said]


LETTER = (
    "Hi Zul,\n\nMonday at 4 is taken here. Tuesday at 3 would suit me: shall we say then?\n\nBest,\nRachel"
)


@pytest.mark.parametrize("shown", [LETTER, f'"{LETTER}"', "\n".join(f"> {x}" for x in LETTER.splitlines())])
@pytest.mark.parametrize("sent", [False, True])
def test_a_letter_that_is_shown_asks_its_addressee(sent, shown):
    room = Room()
    ident = room.call("mail_draft", to=[email("zul")], subject="Our call", body=LETTER)["draft"]
    if sent:
        room.say("Shall I send the note to Zul?")
        room.commit(ident)
    before = len(room.words())
    turn = room.say(f"The note to Zul is done. It says:\n\n{shown}\n\nNothing else was changed.")
    assert (turn is None or turn.text == SAY.waiting) and len(room.words()) == before


def test_who_reports_what_was_refused_is_not_refused_again():
    room = Room(FAIR)
    room.mail("mori")
    for asks in ("Shall I send the note to Mori-san?", "Are you sure? May I not send the note to Mori-san?"):
        assert "I call her." in room.say(asks).text
    assert room.say("Understood: the note to Mori-san waits for you in the drafts, unsent.") is None
    assert len(room.words()) == 2


# ---- the end: never before what was approved could happen (tau2#182) ----


def test_an_agent_that_acts_one_turn_late_still_can(room):
    ident = room.mail("zul")
    room.say("Shall I send the note to Zul?")
    assert room.say("Thank you, I will send it now.").text == SAY.waiting
    room.commit(ident)
    assert room.say("The note has been sent.") is None
    assert room.sitting.ended == "completed"
    assert gates_held(room.evidence, GATES).result == "met"


def test_it_waits_once_a_yes_and_again_after_a_new_one(room):
    room.mail("zul")
    for _ in range(2):
        room.say("Shall I send the note to Zul?")
        assert room.say("Noted.").text == SAY.waiting
    assert room.say("Noted.") is None


@pytest.mark.parametrize("undo", ["discard", "edit", "refuse"])
def test_it_does_not_wait_for_what_cannot_happen_any_more(undo):
    room = Room(FAIR)
    ident = room.mail("mori" if undo == "refuse" else "zul")
    room.call("user_request_approval", items=[ident])
    if undo == "discard":
        room.call("mail_discard_draft", draft=ident)
    elif undo == "edit":
        room.call("mail_edit_draft", draft=ident, body="Other words.")
    assert room.say("That is all.") is None


def test_a_withdrawn_yes_wakes_the_agent_and_is_waited_for_no_more(room):
    room.mail("zul")
    room.say("Shall I send the note to Zul?")
    room.event("user.withdraws", text="Wait, do not send it.")
    assert room.say("Noted.").text == "Wait, do not send it."
    assert [a.name for a in room.words()] == ["yes", "revoke"]
    assert room.say("All right, I leave it.") is None


def test_a_yes_is_withdrawn_also_while_its_thing_is_changed_and_waits_for_nothing(room):
    zul, kavitha = room.mail("zul"), room.mail("kavitha")
    room.call("user_request_approval", items=[zul, kavitha])
    room.call("mail_edit_draft", draft=zul, body="Other words.")
    assert room.say("Noted.").text == SAY.waiting
    room.event("user.withdraws", item=zul, text="Not to Zul, please.")
    room.call("mail_edit_draft", draft=zul, body="It moves.")
    room.commit(kavitha)
    assert gates_held(room.evidence, GATES).result == "met"
    room.commit(zul)
    found = gates_held(room.evidence, GATES)
    assert found.result == "not_met" and "taken back" in found.reason


# ---- the tool, the brief ----


@pytest.mark.parametrize(
    ("items", "why"),
    [
        ([], "between 1 and 50"),
        (["dft_0_00"] * 51, "between 1 and 50"),
        (["dft_none"], "nothing is staged"),
        (["msg_asked"], "nothing is staged"),
        ("dft_1", "expected a list"),
        ([""], "nothing is staged"),
    ],
)
def test_wrong_arguments_change_nothing(room, items, why):
    with pytest.raises(ToolError, match=why):
        room.call("user_request_approval", items=items)
    assert not room.words()


def test_one_unknown_id_among_others_is_no_yes_to_the_others(room):
    ident = room.mail("zul")
    with pytest.raises(ToolError):
        room.call("user_request_approval", items=[ident, "dft_none"])
    assert not room.words()
    assert room.call("user_request_approval", items=[ident, ident])["approved"] == [ident]
    assert len(room.words()) == 1


def test_an_empty_question_is_refused_and_a_statement_by_tool_is_heard(room):
    with pytest.raises(ToolError, match="empty"):
        room.call("user_ask_user", question="  ")
    assert room.call("user_ask_user", question="I have moved it.")["answer"] == SAY.waiting
    ident = room.mail("zul")
    room.call("user_ask_user", question="May I send the note to Zul?")
    assert room.yes() == {ident}


def test_facts_are_told_after_their_question_only_and_once():
    room = Room(Brief(goal="g", facts=(Fact(id="room", asked=(r"\bwhich room\b",), answer="Room 4."),)))
    assert room.call("user_ask_user", question="Where is it?")["answer"] == SAY.unknown
    assert room.call("user_ask_user", question="Which room is it in?")["answer"] == "Room 4."
    assert room.call("user_ask_user", question="Which room was it?")["answer"] == "As I said: Room 4."
    told = room.world.all("SELECT fact FROM people_told")
    assert told == [{"fact": "room"}] and len(room.evidence.entries("unmatched")) == 1


def test_a_user_corrects_himself_and_stands_by_it():
    room = Room(
        Brief(
            goal="g",
            facts=(
                Fact(
                    id="room",
                    asked=(r"\bwhich room\b",),
                    answer="Room 4.",
                    corrected=Correction(after_ms=300_000, words="Sorry, I meant Room 6.", answer="Room 6."),
                ),
            ),
        )
    )
    assert room.call("user_ask_user", question="Which room is it in?")["answer"] == "Room 4."
    woken = room.call("clock_wait", until="2026-11-03T10:00")
    assert [n["text"] for n in woken["notices"]] == ["Sorry, I meant Room 6."]
    assert woken["now"] < "2026-11-03T09:00"
    again = room.call("user_ask_user", question="So which room is it?")["answer"]
    assert again == "As I said: Room 6."


def test_nobody_corrects_what_was_never_told():
    wrong = Correction(after_ms=0, words="Sorry, I meant Room 6.", answer="Room 6.")
    room = Room(Brief(goal="g", facts=(Fact(id="r", asked=(r"room",), answer="Room 4.", corrected=wrong),)))
    assert room.call("clock_wait", until="2026-11-03T10:00")["notices"] == []


def test_without_a_brief_nothing_is_approved():
    from .room import draft, finish

    room = Room(data=finish(draft(None)))
    ident = room.mail("zul")
    assert room.call("user_request_approval", items=[ident])["approved"] == []
    assert room.call("user_ask_user", question="Which room?")["answer"] == SAY.unknown


def test_without_the_scope_the_user_cannot_be_asked():
    from .room import SCOPES, draft, finish

    room = Room(data=finish(draft(YES, {k: v for k, v in SCOPES.items() if k != "user"})))
    with pytest.raises(ToolError, match="there is no tool"):
        room.call("user_ask_user", question="Which room?")


@pytest.mark.parametrize(
    "fault",
    [
        lambda: Fact(id="x", asked=("(",), answer="a"),
        lambda: Fact(id="x", asked=(), answer="a"),
        lambda: Fact(id="x", asked=("a",), answer=""),
        lambda: Brief(goal="g", approve=("draft",)),
        lambda: Brief(goal="g", until_ms="soon"),
        lambda: Brief(),
    ],
)
def test_faults_of_a_brief_are_found_when_it_is_written(fault):
    with pytest.raises(ValueError):
        fault()


def test_a_language_in_which_nobody_speaks_is_found_when_the_world_is_built():
    from errands.core.errors import TaskError
    from errands.people.brief import seat

    from .room import draft

    with pytest.raises(TaskError, match="no rules for language 'xx'"):
        seat(draft(None), YES, languages=("xx",))


# ---- whom a request leaves out ------------------------------------------------------------------------------------

LEFT_OUT = {  # each asks for a yes to the note to Zul, and none for that to Kavitha
    "en": (
        "Shall I send the notes? To Zul, but not the one to Kavitha.",
        "May I send the note to Zul? I have not finished the one to Kavitha.",
        "May I send the note to Zul? The one to Kavitha is not ready.",
        "Shall I send all of them except the one to Kavitha, so the one to Zul?",
    ),
    "ko": (
        "Kavitha 님은 제외하고, Zul 님께 메일을 보내도 될까요?",
        "Zul 님께 보내도 될까요? Kavitha 님 메일은 아직 작성하지 못했습니다.",
    ),
    "ja": (
        "Kavithaさん宛を除いて、Zulさん宛を送ってもよろしいでしょうか。",
        "Zulさんに送ってもよろしいですか。Kavithaさん宛はまだ完成していません。",
    ),
    "zh-Hant": ("除了 Kavitha 以外，可以把給 Zul 的信寄出嗎？", "可以寄給 Zul 嗎？給 Kavitha 的還沒寫好。"),
    "th": ("ส่งอีเมลถึง Zul เลยได้ไหมคะ? ยกเว้น Kavitha", "ส่งอีเมลถึง Zul เลยได้ไหมคะ? ฉบับถึง Kavitha ยังไม่เสร็จค่ะ"),
    "ar": (
        "هل أرسل الرسالة إلى Zul، باستثناء رسالة Kavitha؟",
        "هل أرسل الرسالة إلى Zul؟ رسالة Kavitha ليست جاهزة بعد.",
    ),
}


@pytest.mark.parametrize(
    ("language", "text"), [(code, text) for code, texts in LEFT_OUT.items() for text in texts]
)
def test_whom_a_request_leaves_out_gets_no_yes(language, text):
    world = draft(None)
    seat(world, YES, languages=tuple(dict.fromkeys((language, "en"))))
    room = Room(data=finish(world))
    zul = room.mail("zul")
    room.mail("kavitha")
    room.say(text)
    assert room.yes() == {zul}


@pytest.mark.parametrize(
    "text",
    [
        "I haven't sent the note to Zul yet. Shall I send it?",
        "The note to Zul has not gone out. May I send it to Zul now?",
    ],
)
def test_what_was_not_sent_yet_may_be_asked_for(room, text):
    ident = room.mail("zul")
    room.say(text)
    assert room.yes() == {ident}
