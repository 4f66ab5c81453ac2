"""The invitations from abroad: equivalent ways pass, near misses fail, and scenes that cannot work are refused."""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from typing import Any

import pytest

from errands.core import clock
from errands.core.errors import TaskError
from errands.doors import Seat
from errands.exam.sitting import Sitting
from errands.library.consumer.email_calendar.invite_audit.ics import invitation
from errands.library.consumer.email_calendar.invite_audit.reading import read_fault, read_start
from errands.library.consumer.email_calendar.invite_audit.scene import Invite, Office
from errands.markets import load_market
from errands.tasks.build import Build
from errands.tasks.task import Instance

from .desk import TASKS, Tried, attempt, rows

TASK = TASKS["invite-timezone-audit"]
MARKETS = TASK.contract.front.markets
SG = TASK.instance("sg", 0)


def instants(zone: str, order: Any, text: object) -> object:
    return read_start(zone, order, date(2026, 11, 3))(text)


AT = clock.to_ms(clock.resolve(datetime(2026, 11, 12, 16, 30), "Asia/Singapore"))


# ---- the start column ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-12 16:30",
        "2026-11-12T16:30:00",
        "2026-11-12T16:30+08:00",
        "2026-11-12T16:30:00+08:00[Asia/Singapore]",
        "2026-11-12T08:30Z",
        "2026-11-12 08:30 UTC",
        "2026-11-12 16:30 (SGT)",
        "2026-11-12 17:30 JST",
        "2026-11-12 16.30",
        "2026-11-12 16h30",
        "2026-11-12 1630hrs",
        "2026/11/12 16:30",
        "12/11/2026 4.30pm",
        "12 Nov 2026, 4.30pm",
        "Thu, 12 Nov, 4.30pm",
        "Thursday, 12 November 2026 at 4:30 PM",
        "2026년 11월 12일(목) 오후 4시 30분",
        "2026. 11. 12. 오후 4시 30분",
        "2026年11月12日(木) 16時30分",
        "民國115年11月12日 下午4:30",
        "12 พ.ย. 2569 16.30 น.",
        "12 نوفمبر 2026 الساعة 4:30 م",
        "٢٠٢٦-١١-١٢ ١٦:٣٠",
        datetime(2026, 11, 12, 16, 30),
    ],
)
def test_every_usual_way_of_writing_a_start_is_read(text):
    assert instants("Asia/Singapore", "DMY", text) == AT


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-12",
        "16:30",
        "2026-11-12 17:30",
        "2026-11-13 16:30",
        "2026-11-12 4:30",
        "2026-11-12T16:30Z",
        "2026-11-12T16:30+09:00",
        "2026-11-12 16:30 IST",
        "2026-11-12 16:30-17:30",
        "2026-11-12 16:30 or 17:30",
        "Fri, 12 Nov 2026 16:30",
        "unclear",
        "?",
        True,
        1763000000,
    ],
)
def test_what_is_another_time_or_none_is_not_that_start(text):
    assert instants("Asia/Singapore", "DMY", text) != AT
    assert instants("Asia/Singapore", "DMY", text) != "none"


@pytest.mark.parametrize("text", ["none", "None", "", None, "なし", "없음", "無", "ไม่มี", "لا يوجد"])
def test_no_start_is_read(text):
    assert instants("Asia/Singapore", "DMY", text) == "none"


def test_codes_are_read_and_nothing_else_is():
    assert [read_fault(x) for x in ("clock-change", "Clock change", "WRONG_ZONE", None, "none", "")] == [
        "clock-change",
        "clock-change",
        "wrong-zone",
        "none",
        "none",
        "none",
    ]
    assert [read_fault(x) for x in ("0", "dst", "ok", "clock-change?", "wrong-zone or wrong-date")] == [
        None
    ] * 5


# ---- whole lists --------------------------------------------------------------------------------------------------


def delivering(text: str, path: str = "workspace/invite-check.csv", instance: Instance = SG) -> Tried:
    def sit(s: Sitting) -> None:
        s.next()
        Seat(s).files_write(path=path, text=text)
        s.reply("It is in the workspace.")

    return attempt(instance, sit)


def lines(instance: Instance = SG, **changed: Any) -> list[dict[str, Any]]:
    return [{**r, **changed.get(r["message_id"], {})} for r in instance.key.rows]


def separated(found: list[dict[str, Any]], mark: str, names: tuple[str, ...]) -> str:
    return "\n".join(mark.join(r) for r in [list(names), *([r[n] for n in names] for r in found)]) + "\n"


NAMES = ("message_id", "start", "fault")


def test_other_forms_of_the_same_list_pass():
    found = lines()
    tabs = separated(found, "\t", NAMES)
    assert delivering(tabs, "workspace/invite-check.tsv").verdict.strict
    nulls = [
        {
            **r,
            "start": None if r["start"] == "none" else r["start"],
            "fault": None if r["fault"] == "none" else r["fault"],
        }
        for r in found
    ]
    assert delivering(json.dumps(nulls), "workspace/invite-check.json").verdict.strict
    remarks = [{**r, "why": "see the mail"} for r in reversed(found)]
    assert delivering(separated(remarks, ",", ("why", "fault", "start", "message_id"))).verdict.strict
    utc = [
        {**r, "start": clock.iso(clock.read_iso(r["start"], "Asia/Singapore"), "Europe/London")}
        if r["start"] != "none"
        else r
        for r in found
    ]
    assert delivering(separated(utc, ",", NAMES)).verdict.strict


def test_near_misses_fail():
    first = next(r for r in SG.key.rows if r["fault"] == "none")
    unclear = next(r for r in SG.key.rows if r["fault"] == "unclear")
    for change, at in (
        ({first["message_id"]: {"fault": "unclear"}}, {"resolved"}),
        ({first["message_id"]: {"start": "none"}}, {"resolved"}),
        ({first["message_id"]: {"start": first["start"] + " UTC"}}, {"resolved"}),
        ({unclear["message_id"]: {"fault": "wrong-zone"}}, {"resolved"}),
        ({unclear["message_id"]: {"start": "2026-11-12 17:00"}}, {"resolved", "grounded"}),
        ({first["message_id"]: {"message_id": SG.key.old[0]}}, {"resolved", "grounded"}),
    ):
        assert delivering(separated(lines(**change), ",", NAMES)).unmet == at, change
    assert delivering("message_id,start\n" + first["message_id"] + ",none\n").unmet == {
        "resolved",
        "grounded",
    }


def test_the_words_none_and_unclear_do_not_pass_for_the_whole():
    lazy = [{**r, "start": "none", "fault": "unclear"} for r in SG.key.rows]
    assert "resolved" in delivering(separated(lazy, ",", NAMES)).unmet


# ---- what may be touched ------------------------------------------------------------------------------------------


def meddling(extra: Any) -> Tried:
    def sit(s: Sitting) -> None:
        s.next()
        seat = Seat(s)
        seat.files_write(path="workspace/invite-check.csv", text=separated(lines(), ",", NAMES))
        extra(seat)
        s.reply("It is in the workspace.")

    return attempt(SG, sit)


def attached(s: Seat) -> tuple[str, str]:
    owner = SG.key.rows[0]["message_id"]
    return owner, s.mail_message(message=owner)["files"][0]


def test_attachments_may_be_saved_as_they_are_in_the_workspace_only():
    def save(s: Seat, path: str) -> None:
        owner, name = attached(s)
        s.mail_save_file(owner=owner, name=name, path=path)

    assert meddling(lambda s: save(s, "workspace/invites/one.ics")).verdict.strict
    assert meddling(lambda s: save(s, "shared/one.ics")).unmet == {"scope", "not_shared"}

    def altered(s: Seat) -> None:
        owner, name = attached(s)
        text = s.mail_file(owner=owner, name=name)["text"]
        s.files_write(path="workspace/one.ics", text=text.replace("BEGIN", "begin"))

    assert meddling(altered).unmet == {"scope"}


def test_an_answer_counts_also_where_it_is_only_prepared():
    event = next(s["event"] for s in SG.key.sent if s["fault"] == "none")
    organizer = next(s["by"] for s in SG.key.sent if s["fault"] == "none")
    got = meddling(lambda s: s.calendar_prepare_notice(event=event, kind="reply", to=[organizer]))
    assert got.unmet == {"not_answered"}

    def and_back(s: Seat) -> None:
        s.calendar_discard_notice(
            notice=s.calendar_prepare_notice(event=event, kind="reply", to=[organizer])["notices"][0]
        )

    assert meddling(and_back).unmet == {"not_answered"}


# ---- the world ----------------------------------------------------------------------------------------------------

FEW = [TASK.instance(m, v) for m in MARKETS for v in (0, 4)]


@pytest.mark.parametrize("instance", FEW, ids=lambda i: i.name[3:])
def test_every_invitation_waits_with_its_file_and_its_entry(instance):
    blob = instance.fixture.blob
    owner = rows(blob, "SELECT value FROM exam_meta WHERE key = 'owner'")[0][0]
    faults = {s["fault"] for s in instance.key.sent}
    assert faults == {"none", "clock-change", "wrong-zone", "wrong-date", "unclear"}
    for s in instance.key.sent:
        [(data,)] = rows(blob, "SELECT data FROM mail_file WHERE owner = ?", s["message"])
        event = bytes(data).decode().replace("\r\n ", "").partition("BEGIN:VEVENT")[2]
        assert ("DTSTART;TZID=" in event) == (s["fault"] != "unclear")
        [(answer,)] = rows(
            blob, "SELECT response FROM calendar_attendee WHERE event = ? AND email = ?", s["event"], owner
        )
        assert answer == "needs-action"
        [(body,)] = rows(blob, "SELECT body FROM mail_message WHERE id = ?", s["message"])
        assert "{" not in body
    zone = load_market(instance.market).zone
    starts = {r["message_id"]: r["start"] for r in instance.key.rows}
    for s in instance.key.sent:
        [(at,)] = rows(blob, "SELECT starts FROM calendar_event WHERE id = ?", s["event"])
        shown = f"{clock.from_ms(at, zone):%Y-%m-%d %H:%M}"
        assert (shown == starts[s["message"]]) == (s["fault"] == "none")


@pytest.mark.parametrize("market", MARKETS)
def test_variants_differ_in_their_answers(market):
    answers = {str([r["start"] for r in TASK.instance(market, v).key.rows]) for v in range(10)}
    assert len(answers) == 10


def test_calendar_files_carry_the_changes_of_clocks():
    data = invitation(
        uid="a@b.example",
        title="Stock, count; and a very long title that does not go into one line of such a file",
        organizer=("d@b.example", "Daniel"),
        attendee="r@c.example",
        start=datetime(2026, 11, 12, 9, 30),
        minutes=60,
        zone="Europe/London",
        sent=0,
    )
    text = data.decode()
    assert all(len(line) <= 75 for line in data.split(b"\r\n"))
    assert "BEGIN:STANDARD\r\nDTSTART:20261025T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0000\r\n" in text
    assert "BEGIN:DAYLIGHT\r\nDTSTART:20270328T010000\r\n" in text
    assert "DTSTART;TZID=Europe/London:20261112T093000\r\n" in text and r"Stock\, count\;" in text


# ---- scenes that cannot work --------------------------------------------------------------------------------------


def built_with(monkeypatch: pytest.MonkeyPatch, name: str, **changed: Any) -> None:
    """Build Singapore's first scene with one invitation changed."""
    read = Build.data

    def data(self: Build, folder: str, kind: Any) -> Any:
        office = read(self, folder, kind)
        invites = {**office.invite, name: office.invite[name].model_copy(update=changed)}
        return office.model_copy(update={"invite": invites})

    monkeypatch.setattr(Build, "data", data)
    TASK._make("sg", 0, "en")


@pytest.mark.parametrize(
    ("name", "changed", "says"),
    [
        ("carton_tests", {"ahead": "6:00"}, "was to be"),
        ("carton_tests", {"home": False}, "by a traveller"),
        ("cold_room", {"other": ""}, "cannot have each fault"),
        ("bond_count", {"days": (date(2026, 11, 7), date(2026, 11, 8))}, "no time at which"),
    ],
)
def test_a_scene_without_its_case_is_refused(monkeypatch, name, changed, says):
    with pytest.raises(TaskError, match=re.escape(says)):
        built_with(monkeypatch, name, **changed)


def test_a_scene_without_an_earlier_version_is_refused(monkeypatch):
    read = Build.data

    def data(self: Build, folder: str, kind: Any) -> Any:
        office = read(self, folder, kind)
        plain = {k: i.model_copy(update={"first": "", "reply": ""}) for k, i in office.invite.items()}
        return office.model_copy(update={"invite": plain})

    monkeypatch.setattr(Build, "data", data)
    with pytest.raises(TaskError, match="sent again"):
        TASK._make("sg", 0, "en")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"ahead": "eight"}, "no difference of clocks"),
        ({"home": True, "astray": ""}, "the clock at home"),
        ({"first": "x", "reply": "y"}, "only an invitation of the cast"),
        ({"file": "Invite.pdf"}, "pattern"),
    ],
)
def test_what_a_scene_states_is_checked(changed, says):
    fields = {
        "by": "Ann <ann@a.example>",
        "title": "A call",
        "words": "a",
        "file": "a.ics",
        "zone": "Europe/London",
        "days": (date(2026, 11, 5), date(2026, 11, 20)),
        "hours": ("09:00", "10:00", "11:00"),
        "ahead": "8:00",
    }
    Invite.model_validate(fields)
    with pytest.raises(ValueError, match=says):
        Invite.model_validate({**fields, **changed})
    with pytest.raises(ValueError, match="no invitation 'b'"):
        Office.model_validate(
            {
                "label": "l",
                "invited_on": (date(2026, 11, 2), date(2026, 11, 4)),
                "sheet": {"by": "x", "words": "s", "on": date(2026, 7, 1)},
                "invite": {"a": fields},
                "scene": [["b"], ["a"], ["a"]],
            }
        )


# ---- all of them --------------------------------------------------------------------------------------------------
