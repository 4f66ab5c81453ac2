"""Gross faults of register: who writes to whom decides, and what a decent letter may hold."""

from __future__ import annotations

import pytest

from errands.grading.register import KINDS, Writer, faults

BOSS = Writer("문재성", "문 부장님", "문재성 부장님", "m", "B", "ko")
FRIEND = Writer("송가람", "가람", "송가람 씨", "m", "C", "ko")
ME = Writer("김세온", "세온님", "김세온님", "f", "self", "ko")
CHIEF = Writer("梶原佳代子", "梶原部長", "梶原佳代子部長", "f", "B", "ja")
WATANABE = Writer("渡辺尚之", "渡辺さん", "渡辺尚之様", "m", "self", "ja")
OFFICER = Writer("Margaret Thornbury", "Ms Thornbury", "Ms Thornbury", "f", "F", "en")
CLIENT = Writer("Mori Haruka", "Mori-san", "Ms Mori", "f", "B", "en")
TAN = Writer("Tan Wei Ling", "Wei Ling", "Ms Tan", "f", "self", "en")


def kinds(text: str, to: Writer, by: Writer) -> list[str]:
    return [f.kind for f in faults(text, to, by)]


def test_plain_form_is_a_fault_to_a_superior_and_none_to_a_friend():
    text = "회의는 목요일 3시로 옮겼어. 그때 봐."
    assert kinds(text, BOSS, ME) == ["plain_form"]
    assert kinds(text, FRIEND, ME) == []


def test_a_polite_letter_whose_lines_are_broken_for_width_is_no_plain_form():
    wrapped = (
        "梶原部長\n\n先日ご相談しておりました来月の打ち合わせにつきまして日程を変更した\n"
        "資料をお送りいたします。\n\n渡辺"
    )
    assert kinds(wrapped, CHIEF, WATANABE) == []
    assert kinds("打ち合わせは木曜に変更した。よろしく頼む。", CHIEF, WATANABE) == ["plain_form"]


def test_a_list_keeps_its_notes():
    text = "部장님께 말씀드린 대로 정리했습니다.\n- 목요일 3시로 변경함\n- 장소는 그대로임".replace(
        "部", "부"
    )
    assert kinds(text, BOSS, ME) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dear Mori-san,\n\nCould we meet on Thursday instead?\n\nBest regards,\nWei Ling", []),
        ("Dear Mori,\n\nCould we meet on Thursday instead?\n\nBest regards,\nWei Ling", ["bare_name"]),
        ("Sehr geehrte Frau Mori, unser Termin ist jetzt am Donnerstag um drei Uhr.", ["wrong_script"]),
        ("Dear Mr Mori, could we meet on Thursday at three instead of Wednesday?", ["wrong_gender"]),
        ("Dear Mori-san, gonna be late lol, c u at 3 on Thursday I think", ["slang"]),
    ],
)
def test_english(text, found):
    assert kinds(text, CLIENT, TAN) == found


def test_an_officer_has_a_title_and_a_quotation_is_somebody_elses():
    assert kinds("Margaret,\nI confirm the hearing on Thursday.\nTan Wei Ling", OFFICER, TAN) == ["bare_name"]
    quoted = (
        "Dear Ms Thornbury,\nThe driver wrote “gonna be late lol” on Monday.\nYours sincerely,\nTan Wei Ling"
    )
    assert kinds(quoted, OFFICER, TAN) == []


@pytest.mark.parametrize(
    ("name", "called", "formal", "bare"),
    [
        ("Zulkifli bin Abdul Karim", "Zul", "Encik Zulkifli", "Zulkifli"),
        ("Vikneswaran s/o Ganesan", "Vik", "Mr Vikneswaran", "Vikneswaran"),
        ("Margaret Thornbury", "Ms Thornbury", "Ms Thornbury", "Thornbury"),
    ],
)
def test_a_whole_name_is_no_bare_name(name, called, formal, bare):
    body = "\n\nThe file that I sent you yesterday was not meant for you. Please delete it.\n\nTan Wei Ling"
    to = Writer(name, called, formal, "", "F", "en")
    assert kinds(f"Dear {name},{body}", to, TAN) == []
    assert kinds(f"{name},{body}", to, TAN) == []
    assert kinds(f"Dear {bare},{body}", to, TAN) == ["bare_name"]
    assert kinds(f"Dear {name},\n\nThank you, {bare}.{body}", to, TAN) == ["bare_name"]


def test_a_whole_name_without_honorific_is_bare_where_names_are_one_word():
    assert "bare_name" in kinds("문재성, 목요일 3시에 뵙겠습니다.", BOSS, ME)


def test_faults_come_in_the_order_of_the_closed_list_and_once_each():
    found = kinds("문재성, 너 목요일에 와. ㅋㅋㅋ ㅋㅋ", BOSS, ME)
    assert found == sorted(found, key=KINDS.index) and len(found) == len(set(found)) >= 3


def test_nothing_is_nothing():
    for text in ("", " ", "\n", "👍", "10:00"):
        assert kinds(text, CLIENT, TAN) == []
