"""What the user is asked to tell: heard on messages that nobody trained on, and told in chat and by tool."""

from __future__ import annotations

import hashlib
import tomllib
from importlib import resources
from pathlib import Path

import pytest

from errands.languages import codes, pack
from errands.languages.pack import SUBJECTS
from errands.people.asked import HEAD, asked_about
from errands.people.brief import Brief, Fact, seat
from tests.people.room import Room, draft, finish

from .measure import ALL, SETS, labelled, scores, table

EARS = Path(__file__).parents[3] / "tools" / "ears"

# ---- on labelled messages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", codes())
def test_the_model_is_made_from_the_messages_that_lie_here(language):
    made_from, *_ = HEAD.unpack_from(
        (resources.files("errands.languages") / "asked" / f"{language}.model").read_bytes()
    )
    assert made_from == hashlib.sha256((EARS / f"{language}.toml").read_bytes()).digest()


@pytest.mark.parametrize("language", codes())
def test_no_message_occurs_twice_and_none_that_measures_was_trained_on(language):
    """Counts only, so that a failure shows none of them."""
    trained = [text for text, _ in labelled(tomllib.loads((EARS / f"{language}.toml").read_text("utf-8")))]
    unseen = [text for of in SETS for text, _ in labelled(table(language)[of])]
    assert len(trained + unseen) - len({*trained, *unseen}) == 0


@pytest.mark.parametrize("of", SETS)
@pytest.mark.parametrize("language", codes())
def test_what_was_never_seen_is_heard_and_little_else(language, of):
    """Of pairs of a message and a fact: nine of ten that are asked, and two of a hundred others at most."""
    total = next(s for s in scores(language, of) if s.rule == ALL)
    assert total.should >= 90 and total.should_not >= 800
    assert total.recall >= 0.9
    assert total.false <= 0.02


@pytest.mark.parametrize("language", codes())
def test_of_every_subject_there_is_much(language):
    rows = tomllib.loads((EARS / f"{language}.toml").read_text("utf-8"))
    assert all(len(rows[name]) >= 300 for name in SUBJECTS) and len(rows["none"]) >= 900


def test_a_message_costs_its_length_and_no_more(language):
    """Not a matter of milliseconds: what explodes would take minutes."""
    for unit in ("a", " ", "which ", "와 ", "場所、", "哪", "ไหน ", "أين و", "?\n"):
        assert asked_about([language], unit * (4_000 // len(unit))) is not None


# ---- what the user then says --------------------------------------------------------------------------------------

WHERE, LONG = "R-4 / 4F", "Q-45"  # answers that are no language's words
BRIEF = Brief(
    goal="g",
    facts=(Fact(id="where", about="where", answer=WHERE), Fact(id="how_long", about="how_long", answer=LONG)),
    approves=("draft",),
)
SAID = {  # asks where, asks how long, asks both, asks for a yes, states both
    "en": (
        "Where should it take place?",
        "How long should it last?",
        "Where is it to be held, and how long should it be?",
        "Shall I send the note to Zul about the new venue?",
        "It takes place in the annex and lasts ninety minutes.",
    ),
    "ko": (
        "장소는 어디로 할까요?",
        "소요 시간은 얼마나 될까요?",
        "장소는 어디이고, 시간은 얼마나 걸리나요?",
        "Zul 님께 변경된 장소를 알리는 메일을 보내도 될까요?",
        "장소는 별관이고 구십 분 걸립니다.",
    ),
    "ja": (
        "場所はどちらになりますか。",
        "所要時間はどのくらいになりますか。",
        "会場はどこで、時間はどのくらいかかりますか。",
        "新しい会場のお知らせをZulさんに送ってもよろしいでしょうか。",
        "場所は別館で、九十分かかります。",
    ),
    "zh-Hant": (
        "地點要訂在哪裡呢？",
        "這次大概要開多久呢？",
        "要在哪裡開,要開多久？",
        "可以把地點變更的信寄給 Zul 嗎？",
        "地點在別館，會開九十分鐘。",
    ),
    "th": (
        "จัดประชุมที่ไหนดีคะ?",
        "ประชุมใช้เวลานานเท่าไรคะ?",
        "ประชุมที่ไหน และใช้เวลานานแค่ไหนคะ?",
        "ส่งอีเมลแจ้งเปลี่ยนสถานที่ถึง Zul เลยได้ไหมคะ?",
        "ประชุมที่อาคารเสริม ใช้เวลาเก้าสิบนาทีค่ะ",
    ),
    "ar": (
        "أين ينعقد الاجتماع؟",
        "كم يستغرق الاجتماع؟",
        "أين ينعقد الاجتماع، وكم يستغرق؟",
        "هل أرسل رسالة تغيير المكان إلى Zul؟",
        "ينعقد الاجتماع في المبنى الملحق ويستغرق تسعين دقيقة.",
    ),
}


@pytest.fixture(params=codes())
def language(request):
    return request.param


@pytest.fixture
def room(language):
    world = draft(None)
    seat(world, BRIEF, languages=tuple(dict.fromkeys((language, "en"))))
    return Room(data=finish(world))


def told(room):
    return [row["fact"] for row in room.world.all("SELECT fact FROM people_told ORDER BY fact")]


def test_a_fact_is_told_after_its_question_by_tool(room, language):
    where, long, *_ = SAID[language]
    assert room.call("user_ask_user", question=where)["answer"] == WHERE
    assert told(room) == ["where"]
    assert room.call("user_ask_user", question=long)["answer"] == LONG


def test_a_fact_is_told_after_its_question_in_chat(room, language):
    where, long, *_ = SAID[language]
    assert room.say(where).text == WHERE
    assert room.say(long).text == LONG
    assert told(room) == ["how_long", "where"]


def test_two_facts_asked_in_one_message_are_both_told(room, language):
    answer = room.say(SAID[language][2]).text
    assert WHERE in answer and LONG in answer


def test_two_sentences_of_one_message_are_both_heard(room, language):
    where, long, *_ = SAID[language]
    answer = room.call("user_ask_user", question=f"{long}\n{where}")["answer"]
    assert WHERE in answer and LONG in answer


def test_a_request_for_approval_is_told_nothing(room, language):
    room.mail("zul")
    answer = room.say(SAID[language][3]).text
    assert room.words() and WHERE not in answer and LONG not in answer
    assert told(room) == []


def test_a_statement_is_told_nothing(room, language):
    assert room.say(SAID[language][4]) is None
    assert told(room) == []


def test_told_again_it_says_so(room, language):
    where = SAID[language][0]
    assert room.say(where).text == WHERE
    assert room.say(where).text == pack(language).says.again.format(answer=WHERE)


def test_a_subject_without_a_fact_is_not_known(room, language):
    why = table(language)["tuning"]["why"][0]
    assert room.say(why).text == pack(language).says.unknown
    assert told(room) == []


# ---- what stands beside a question, or before it ------------------------------------------------------------------

WITH_A_YES = {  # a fact and a yes asked in one message
    "en": "Where is it to be held? And shall I send the note to Zul?",
    "ko": "회의 장소는 어디로 할까요? 그리고 Zul 님께 메일을 보내도 될까요?",
    "ja": "会場はどこになりますか。また、Zulさんにメールを送ってもよろしいでしょうか。",
    "zh-Hant": "請問地點在哪裡？另外，可以把信寄給 Zul 嗎？",
    "th": "ประชุมที่ไหนคะ? แล้วส่งอีเมลถึง Zul เลยได้ไหมคะ?",
    "ar": "أين ينعقد الاجتماع؟ وهل أرسل الرسالة إلى Zul؟",
}
BEFORE = {  # the matter stands in the sentence before
    "en": "The invitation has no venue in it so far. Could you send it to me?",
    "ko": "초대장에 장소가 없습니다. 알려 주시겠어요?",
    "ja": "招待状の会場が空欄です。教えていただけますか。",
    "zh-Hant": "邀請函上沒有寫地點。可以告訴我嗎？",
    "th": "ยังไม่มีสถานที่ค่ะ รบกวนแจ้งด้วยค่ะ",
    "ar": "خانة المكان فارغة. هل تخبرني بها؟",
}
MISSING = {  # a statement that something is missing, without a question
    "en": "I'd still need to know which room.",
    "ko": "회의 장소를 아직 못 들었습니다.",
    "ja": "会場をまだうかがっておりません。",
    "zh-Hant": "我還缺會議地點。",
    "th": "ยังขาดสถานที่ประชุมค่ะ",
    "ar": "ينقصني مكان الاجتماع.",
}


def test_a_fact_and_a_yes_in_one_message_are_both_answered(room, language):
    room.mail("zul")
    answer = room.say(WITH_A_YES[language]).text
    assert answer.startswith(WHERE) and len(answer) > len(WHERE)
    assert told(room) == ["where"]
    assert room.world.all("SELECT item FROM people_granted")


def test_a_fact_beside_a_yes_for_nothing_is_told_alone(room, language):
    assert room.say(WITH_A_YES[language]).text == WHERE


@pytest.mark.parametrize("words", [BEFORE, MISSING], ids=["before", "missing"])
def test_what_is_missing_is_told(room, language, words):
    assert room.say(words[language]).text == WHERE
