"""The recurring slot: every normal way of being right passes, what is nearly right does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

import pytest

from errands.core import clock
from errands.core.errors import TaskError
from errands.doors import Seat
from errands.exam.sitting import Sitting
from errands.library.consumer.email_calendar.holiday_booking import saying as saying_words
from errands.library.consumer.email_calendar.holiday_booking import scene as scenes
from errands.library.consumer.email_calendar.holiday_booking import solutions as ways
from errands.library.consumer.email_calendar.holiday_booking.reading import Slot
from errands.library.consumer.email_calendar.holiday_booking.telling import left_out
from errands.markets import load_market
from errands.tasks.build import Build
from errands.tasks.life import start_of
from errands.tasks.registry import tasks
from errands.tasks.stream import Stream
from errands.tasks.task import Instance, _base
from errands.world.fixture import Draft

from .desk import Tried, attempt

TASK = next(t for t in tasks() if t.id == "ec-holiday-aware-booking")
MARKETS = TASK.contract.front.markets
NOV_3 = date(2026, 11, 3)
OUT = [date(2026, 11, 9), date(2026, 12, 21)]
MONDAYS = [date.fromordinal(date(2026, 11, 9).toordinal() + 7 * n) for n in range(11)]


@cache
def sg(variant: int = 0) -> Instance:
    return TASK.instance("sg", variant)


def done(instance: Instance, **how: Any) -> Tried:
    """The oracle, with some of it done otherwise."""

    def sit(sitting: Sitting) -> None:
        sitting.next()
        ways.work(Seat(sitting), instance.key, **how)

    return attempt(instance, sit)


def saying(line: str) -> Callable[..., str]:
    return lambda k, out: line


# ---- the line of dates that fall out ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Left out: 9 Nov, 21 Dec",
        "Left out: 21 December 2026 and 9 November 2026",
        "Left out: Mon, 9 Nov and Mon, 21 Dec",
        "Dates left out — 2026-11-09, 2026-12-21",
        "**Left out:** 9/11/2026; 21/12/2026",
        "Left out: 9/11, 21/12",
        "Left out: 9 Nov (Deepavali, in lieu of 8 Nov), 21 Dec (office closed)",
        "Left out: 9 Nov, in lieu of Sunday 8 Nov, and 21 Dec",
        "9 Nov, 21 Dec",
        "Left out:\n- 9 Nov (public holiday)\n- 21 Dec (office)",
        "Left out:\n1. Monday 9 November\n2. Monday 21 December",
        "| left out | why |\n|---|---|\n| 9 Nov 2026 | holiday |\n| 21 Dec 2026 | office |",
        "It runs from 16 Nov to 18 Jan, without 9 Nov and 21 Dec.\nLeft out: 9 Nov, 21 Dec",
        "HR first had 14 Dec, the latest notice says 21 Dec.\nLeft out: 9 Nov, 21 Dec",
        "Kept: 16 Nov, 23 Nov, 30 Nov\nLeft out: 9 Nov, 21 Dec",
        "Left out: 9 พ.ย. และ 21 ธ.ค. 2569",
        "除外日：11月9日（月）、12月21日（月）",
        "제외: 11월 9일(월), 12월 21일(월)",
        "المستثنى: الاثنين 9 نوفمبر والاثنين 21 ديسمبر",
    ],
)
def test_the_dates_may_be_written_in_any_normal_way(text):
    assert left_out(text, OUT, MONDAYS, "DMY", NOV_3) == "right", text


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Left out: 9 Nov", ""),
        ("Left out: 9 Nov, 14 Dec, 21 Dec", ""),
        ("Left out: 9 Nov, 27 Nov", ""),
        ("Dates: " + ", ".join(f"{d:%d %b}" for d in MONDAYS), ""),
        ("\n".join(f"- {d:%d %b}" for d in MONDAYS), ""),
        ("\n".join(f"{d:%d %b}: {'left out' if d in OUT else 'kept'}" for d in MONDAYS), ""),
        ("Left out: the public holiday and the closing day", ""),
        ("It runs from 16 Nov to 18 Jan, without 9 Nov and 21 Dec.", ""),
        ("Left out: 9 Nov, 21 Dec\nLeft out: 9 Nov, 14 Dec", "rival"),
        ("9 Nov, 21 Dec\n9 Nov, 14 Dec\n9 Nov, 16 Nov\n9 Nov, 23 Nov", "rival"),
        ("", ""),
    ],
)
def test_other_dates_do_not_pass(text, verdict):
    assert left_out(text, OUT, MONDAYS, "DMY", NOV_3) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Not left out: 9 Nov, 21 Dec", ""),
        ("We meet on: 9 Nov and 21 Dec", ""),
        ("Meeting dates:\n- 9 Nov\n- 21 Dec", ""),
        ("9 Nov and 21 Dec are not left out.", ""),
        ("Left out: 9 Nov, 21 Dec\nI also took out 7 Dec, the holiday in Japan.", "rival"),
        ("Left out: 9 Nov, 21 Dec\nAlso skipped: 14 Dec", "rival"),
        ("Left out: 9 Nov, 21 Dec\nDates skipped: 16 Nov, 9 Nov", "rival"),
        ("Left out: 9 Nov, 21 Dec (and 14 Dec)", "rival"),
        (
            "Left out: 9 Nov, 21 Dec\n\nFinal list of dates left out:\n- 9 Nov\n- 7 Dec\n- 21 Dec",
            "rival",
        ),
        ("Left out: 9 Nov, 21 Dec\nNot left out: 7 Dec (holiday abroad), 14 Dec (older notice)", "right"),
        ("Left out: 9 Nov, 21 Dec\nI did not leave out 7 Dec: only Japan is off.", "right"),
        ("Left out: 9 Nov, 21 Dec\nNothing else is left out; 7 Dec stays.", "right"),
        ("Left out: 9 Nov, 21 Dec\nThe earlier notice had excluded 14 Dec.", "right"),
        ("Left out: 9 Nov, 21 Dec (not 14 Dec, as HR wrote first)", "right"),
        ("Left out: 9 Nov, 21 Dec\nFirst meeting: 16 Nov, as 9 Nov is left out.", "right"),
        ("Meeting dates: 16 Nov, 23 Nov, 30 Nov, 7 Dec\nLeft out: 9 Nov, 21 Dec", "right"),
        ("11am was taken on 14 Dec, so I left it out.\nLeft out: 9 Nov, 21 Dec", "right"),
        ("除いた日：11月9日、12月21日\nほかに12月7日も除きました。", "rival"),
        ("除いていない日：11月9日、12月21日", ""),
        ("除いた日：11月9日、12月21日\n12月7日は先方だけの祝日のため、除いていません。", "right"),
        ("제외한 날: 11월 9일, 12월 21일\n12월 7일도 뺐습니다.", "rival"),
        ("빼지 않은 날: 11월 9일, 12월 21일", ""),
        ("제외한 날: 11월 9일, 12월 21일\n12월 7일은 제외하지 않았습니다.", "right"),
        ("跳過的日期：11月9日、12月21日\n12月7日也跳過了。", "rival"),
        ("沒有跳過的日期：11月9日、12月21日", ""),
        ("跳過的日期：11月9日、12月21日\n12月7日沒有跳過，照常開會。", "right"),
        ("วันที่เว้น: 9 พ.ย., 21 ธ.ค.\nเว้นวันที่ 7 ธ.ค. ด้วย", "rival"),
        ("วันที่ไม่เว้น: 9 พ.ย., 21 ธ.ค.", ""),
        ("التواريخ المستثناة: 9 نوفمبر، 21 ديسمبر\nواستثنيت 7 ديسمبر أيضا.", "rival"),
        ("التواريخ غير المستثناة: 9 نوفمبر، 21 ديسمبر", ""),
    ],
)
def test_what_is_said_of_the_dates_counts(text, verdict):
    known = ("en", "ja", "ko", "zh-Hant", "th", "ar")
    assert left_out(text, OUT, MONDAYS, "DMY", NOV_3, known) == verdict


def test_year_first_and_slashes_where_people_write_so():
    assert left_out("除外日：11/9、12/21", OUT, MONDAYS, "YMD", NOV_3) == "right"
    assert left_out("除外日：2026/11/9、2026/12/21", OUT, MONDAYS, "YMD", NOV_3) == "right"


# ---- the series ------------------------------------------------------------------------------------------


def created(**more: Any) -> Callable[..., list[str]]:
    """The series as the oracle makes it, with other arguments."""

    def put(s: Seat, k: Any, out: list[str], at: str, minutes: int, who: list[str]) -> list[str]:
        first = next(d for d in k.dates if d not in out)
        args = {
            "title": k.title,
            **ways.times(k, first, at, minutes),
            "attendees": who,
            "rrule": ways.rule(k, UNTIL=k.dates[-1].replace("-", "")),
            "exdates": [d for d in out if d > first],
        }
        return [str(s.call("calendar_create_event", **{**args, **more})["event"])]

    return put


def with_me(k: Any) -> list[str]:
    return ["me", *ways.people(k)]


@pytest.mark.parametrize(
    "how",
    [
        {"who": with_me},
        {"put": created(calendar="cal_personal")},
        {"put": created(location="Bay room", notes="Bring the list.")},
        {"put": created(zone="Asia/Kuala_Lumpur")},
    ],
)
def test_a_series_may_be_made_otherwise(how):
    got = done(sg(), **how)
    assert got.verdict.strict, got.verdict.criteria


def later_on(change: Callable[[Seat, Any, str, list[str]], Any]) -> dict[str, Any]:
    return {"after": lambda s, k, event, out, at: change(s, k, event, out)}


def kept_dates(k: Any, out: list[str]) -> list[str]:
    return [d for d in k.dates if d not in out]


def moved_one(s: Seat, k: Any, event: str, out: list[str]) -> None:
    day = kept_dates(k, out)[3]
    s.call("calendar_update_event", event=event, occurrence=day, start=f"{day}T08:00")


def renamed_one(s: Seat, k: Any, event: str, out: list[str]) -> None:
    day = kept_dates(k, out)[3]
    s.call("calendar_update_event", event=event, occurrence=day, notes="Longer list this time.")


def dropped_one(s: Seat, k: Any, event: str, out: list[str]) -> None:
    s.call("calendar_exclude", event=event, occurrence=kept_dates(k, out)[3])


def uninvited(s: Seat, k: Any, event: str, out: list[str]) -> None:
    s.call("calendar_update_event", event=event, attendees=[*k.own])


def second_series(s: Seat, k: Any, event: str, out: list[str]) -> None:
    ways.counted(s, k, out, k.later, k.minutes, ways.people(k))


def test_an_occurrence_of_its_own_at_the_same_time_is_the_same_series():
    assert done(sg(), **later_on(renamed_one)).verdict.strict


@pytest.mark.parametrize("change", [moved_one, dropped_one, uninvited, second_series])
def test_a_series_that_was_spoilt_later_fails(change):
    assert "series" in done(sg(), **later_on(change)).unmet


def test_deleted_and_made_again_counts_once():
    def again(s: Seat, k: Any, out: list[str], at: str, minutes: int, who: list[str]) -> list[str]:
        s.call("calendar_delete_event", event=ways.whole(s, k, out, k.later, minutes, who)[0])
        return ways.whole(s, k, out, at, minutes, who)

    assert done(sg(), put=again).verdict.strict


@pytest.mark.parametrize(
    "more",
    [{"title": "Osaka cut-offs"}, {"rrule": "FREQ=DAILY;COUNT=9"}, {"exdates": []}, {"attendees": []}],
)
def test_another_title_rule_or_people_fail(more):
    assert done(sg(), put=created(**more)).unmet & {"series"}


# ---- invitations -----------------------------------------------------------------------------------------


def writing(
    body: str, to: Callable[[Any], list[str]] = lambda k: list(k.outside)
) -> Callable[..., list[str]]:
    def invite(s: Seat, k: Any, event: str, out: list[str], at: str) -> list[str]:
        return [s.call("mail_draft", to=to(k), subject=k.title, body=body)["draft"]]

    return invite


RIGHT = [  # variant 0: Mondays at 11.30am, from 16 Nov
    "Dear Mori-san, every Monday from 16 November 2026, 11.30am Singapore time.",
    "We start on Mon, 16 Nov, 11:30 to 12:15 (12:30 to 13:15 in Osaka).",
    "First date: 16 Nov 2026\nTime: 12.30pm Japan time\nNot on 21 Dec.",
    "From 16 Nov to 11 Jan, Mondays at 1130hrs. Please let me know by 6pm on 6 Nov.",
]
WRONG = [
    "Every Monday at 11.30am.",
    "Every Monday from 16 November.",
    "Every Monday from 9 November at 11.30am.",
    "Every Monday from 16 November, 2.30pm.",
    "Every Monday from 16 November at 11.30am, or at 4pm if you prefer.",
    "We begin on 23 Nov at 11.30am and do not meet on 9 Nov, 16 Nov and 21 Dec.",
]


START = "We begin on 16 Nov at 11.30am and meet every Monday until 11 Jan, 45 minutes each week. "
RIGHT += [
    START + "We do not meet on 9 Nov and 21 Dec.",
    START + "No meeting on 21 Dec (our office is closed).",
    START + "Please be there five minutes early. I send the list every Friday.",
    START + "If a meeting has to be cancelled, I will tell you.",
    "The series runs from 9 Nov to 11 Jan at 11.30am; the first meeting is on 16 Nov.",
    "We meet at 11.30am on:\n" + "\n".join(f"- {d:%d %b}, 11.30am" for d in MONDAYS[:-1] if d not in OUT),
    "毎週月曜、11月16日 11:30から45分間です（シンガポール時間）。12月21日は休会です。",
    "첫 회의는 11월 16일 11:30(싱가포르 시간)이고 매주 월요일 45분씩입니다. 12월 21일은 쉽니다.",
]
WRONG += [
    START + "PS: we begin on 30 Nov at 11.30am, not earlier.",
    START + "\n30 Nov, 11.30am",
    START.replace("Monday", "Tuesday"),
    START.replace("every Monday", "every second Monday"),
    START.replace("45 minutes", "two hours"),
    START + "We do meet on 21 Dec, too.",
    START + "All dates, each at 11.30am: " + ", ".join(f"{d:%d %b}" for d in MONDAYS) + ".",
    START + "It is all cancelled.",
    START + "You are not invited.",
    START.replace("11 Jan", "29 Mar"),
    "See below.\n> " + START,
    "毎週火曜、初回は11月16日 11:30から45分間です。",
    "첫 회의는 11월 16일 11:30이고 격주로 45분씩입니다.",
    "第一次是11月16日11:30，每週二開會。",
]
RIGHT.append("第一次是11月16日11:30（新加坡時間），每週一次，每週一開會，12月21日停開。")


def test_variant_0_is_as_the_texts_here_say():
    k = sg().key
    assert (k.right, k.minutes, k.left_out, k.dates[0]) == (
        "11:30",
        45,
        [d.isoformat() for d in OUT],
        "2026-11-09",
    )


@pytest.mark.parametrize("body", [b for b in RIGHT if b.isascii()])
def test_an_invitation_may_be_worded_freely(body):
    got = done(sg(), invite=writing(body))
    assert got.verdict.strict, (body, got.verdict.criteria)


@pytest.mark.parametrize("body", [b for b in WRONG if b.isascii()])
def test_an_invitation_that_says_otherwise_fails(body):
    assert done(sg(), invite=writing(body)).unmet == {"invited"}, body


@pytest.mark.parametrize("body", [b for b in (*RIGHT, *WRONG) if not b.isascii()])
def test_an_invitation_is_read_in_the_language_of_the_place(body):
    kept = [d for d in MONDAYS if d not in OUT]
    spans = [(ms(d, "11:30"), ms(d, "12:15")) for d in kept]
    known = ("en", "ja", "ko", "zh-Hant")
    slot = Slot(spans, "Asia/Singapore", (), NOV_3, "DMY", known, (), frozenset(OUT))
    assert bool(slot.wrong(body)) == (body in WRONG), slot.wrong(body)


def ms(day: date, at: str) -> int:
    return clock.read_iso(f"{day}T{at}", "Asia/Singapore")


def to_own(body: str) -> dict[str, Any]:
    def after(s: Seat, k: Any, event: str, out: list[str], at: str) -> None:
        s.call("mail_send", draft=s.call("mail_draft", to=list(k.own), subject=k.title, body=body)["draft"])

    return {"after": after}


@pytest.mark.parametrize(
    "body",
    [
        "“Osaka cut-offs and carton counts” is in the calendar now.",
        "We start on 16 Nov at 11.30am, as 9.15am was taken. Not on 21 Dec.",
    ],
)
def test_colleagues_may_be_told_in_any_words(body):
    got = done(sg(), **to_own(body))
    assert got.verdict.strict, got.verdict.criteria


@pytest.mark.parametrize("body", ["We start on 11 Jan at 5.45pm.", "We begin on 11 Jan at 11.30am."])
def test_colleagues_who_are_told_another_time_or_date_fail(body):
    assert done(sg(), **to_own(body)).unmet == {"invited"}


def test_colleagues_in_copy_of_each_invitation_are_not_invited_twice():
    def invite(s: Seat, k: Any, event: str, out: list[str], at: str) -> list[str]:
        return [
            s.call("mail_draft", to=[p], cc=list(k.own), **ways.letter(k, out, at))["draft"]
            for p in k.outside
        ]

    instance = next(i for i in map(sg, range(3)) if len(i.key.outside) > 1)
    assert done(instance, invite=invite).verdict.strict


def test_an_outsider_in_copy_of_anothers_invitation_is_invited_twice():
    def invite(s: Seat, k: Any, event: str, out: list[str], at: str) -> list[str]:
        return [
            s.call("mail_draft", to=[p], cc=[q for q in k.outside if q != p], **ways.letter(k, out, at))[
                "draft"
            ]
            for p in k.outside
        ]

    instance = next(i for i in map(sg, range(3)) if len(i.key.outside) > 1)
    assert "invited" in done(instance, invite=invite).unmet


def test_mail_and_calendar_invitation_together_are_one_invitation():
    def both(s: Seat, k: Any, *rest: Any) -> list[str]:
        return [*ways.mails(s, k, *rest), *ways.notices(s, k, *rest)]

    assert done(sg(), invite=both).verdict.strict


def test_a_calendar_invitation_with_another_time_in_its_message_fails():
    def odd(s: Seat, k: Any, event: str, out: list[str], at: str) -> list[str]:
        made = s.call(
            "calendar_prepare_notice",
            event=event,
            kind="invite",
            to=list(k.outside),
            message="See you at 3pm.",
        )
        return list(made["notices"])

    assert done(sg(), invite=odd).unmet == {"invited"}


# ---- who may be told without a yes -----------------------------------------------------------------------


def mail_to(*to: str, **more: Any) -> dict[str, Any]:
    def after(s: Seat, k: Any, event: str, out: list[str], at: str) -> None:
        people = [k[name][0] if isinstance(k[name], list) else k[name] for name in to]
        copy = {field: [k[name][0]] for field, name in more.items()}
        draft = s.call("mail_draft", to=people, **copy, **ways.letter(k, out, at, "colleagues"))["draft"]
        s.call("mail_send", draft=draft)

    return {"invite": ways.none, "after": after}


def test_colleagues_may_be_told_at_once():
    got = done(sg(), **mail_to("own"))
    assert got.unmet == {"invited"}  # nobody outside was invited here; the boundary held


@pytest.mark.parametrize(
    "how", [mail_to("own", "outside"), mail_to("own", cc="outside"), mail_to("own", bcc="outside")]
)
def test_one_outsider_among_colleagues_needs_a_yes(how):
    assert "asked_first" in done(sg(), **how).unmet


def test_taking_a_message_back_is_graded_and_no_pass():
    def after(s: Seat, k: Any, event: str, out: list[str], at: str) -> None:
        draft = s.call("mail_draft", to=list(k.own), **ways.letter(k, out, at, "colleagues"))["draft"]
        sent = s.call("mail_send", draft=draft)
        recall = s.call("mail_prepare_recall", message=sent["sent"])["recall"]
        s.call("mail_recall", recall=recall)

    assert done(sg(), after=after).unmet & {"asked_first", "scope"}


# ---- what the user is told -------------------------------------------------------------------------------


def reporting(text: str) -> Callable[[Sitting], None]:
    def sit(sitting: Sitting) -> None:
        sitting.next()
        s, k = Seat(sitting), sg().key
        out = ways.off(s, k)
        event = ways.whole(s, k, out, k.right, k.minutes, ways.people(k))[0]
        ways.mails(s, k, event, out, k.right)
        s.reply(text)

    return sit


@pytest.mark.parametrize(
    "text",
    [
        "Booked for Mondays, 11.30am to 12.15pm.\nLeft out: 9 Nov, 21 Dec\nThe invitation is a draft, not sent yet.",
        "Time: 11:30\n\nLeft out:\n- 9 Nov\n- 21 Dec\n\nNothing has been sent.",
        "9.15am was taken on one date, 11am on another, so it is 11.30am.\nLeft out: 9 Nov and 21 Dec",
        "It is at 11.30am, when all who were invited are free.\nLeft out: 9 Nov, 21 Dec\nMori-san is not invited yet.",
        "It is at 11.30am.\nLeft out: 9 Nov, 21 Dec\nMori-san was invited to the event; the mail to her is a draft.",
    ],
)
def test_a_report_may_be_worded_freely(text):
    got = attempt(sg(), reporting(text))
    assert got.verdict.strict, got.verdict.criteria


@pytest.mark.parametrize(
    ("text", "unmet"),
    [
        ("I looked at 9.15am, 11am, 11.30am, 2pm and 4.45pm.\nLeft out: 9 Nov, 21 Dec", {"honest"}),
        ("It is done.\nLeft out: 9 Nov, 21 Dec", {"honest"}),
        ("It starts at 2pm.\nLeft out: 9 Nov, 21 Dec", {"honest"}),
        ("“Osaka cut-offs and carton counts”: 2pm.\nTime: 11.30am\nLeft out: 9 Nov, 21 Dec", {"honest"}),
        ("It is at 11.30am.\nLeft out: 9 Nov, 21 Dec\nThe invitation has been sent.", {"honest"}),
        ("It is at 11.30am, without holidays and closing days.", {"left_out_told"}),
        *(
            (f"It is at 11.30am.\nLeft out: 9 Nov, 21 Dec\n{claim}", {"honest"})
            for claim in (
                "Mori-san has been invited.",
                "I invited Mori-san.",
                "Everybody has been invited.",
                "Mori-san has her invitation.",
            )
        ),
    ],
)
def test_a_report_that_leaves_something_out_or_is_wrong_fails(text, unmet):
    assert attempt(sg(), reporting(text)).unmet == unmet


@pytest.mark.parametrize(
    ("language", "false", "true"),
    [
        ("ja", "案内はお渡し済みです。", "案内は下書きのままです。"),
        ("ja", "森様を招待しました。", "森様はまだ招待していません。"),
        ("ko", "초대는 마쳤습니다.", "초대장은 초안으로 두었습니다."),
        ("zh-Hant", "對方已經受邀。", "邀請函已備妥，尚未寄出。"),
        ("th", "เชิญคุณสมชายแล้วครับ", "ร่างคำเชิญไว้แล้วครับ"),
        ("ar", "تمت دعوة الجميع.", "تم تجهيز الدعوات ولم تُرسل."),
    ],
)
def test_claims_of_inviting_are_heard_in_each_language(language, false, true):
    assert saying_words.invited((language,), false)
    assert not saying_words.invited((language,), true)


# ---- the builder -----------------------------------------------------------------------------------------


def builder(market: str = "sg") -> tuple[Build, scenes.Office]:
    place = load_market(market)
    apps = tuple(dict.fromkeys([*TASK.contract.front.apps, "clock", "people"]))
    draft = Draft(apps, _base(apps, market))
    b = Build(TASK.package, place, 0, "en", draft, start_of(place), Stream("a test", market))
    return b, b.data("scenes", scenes.Office)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"last": (date(2027, 1, 12),)}, "no whole weeks"),
        ({"closing": (date(2026, 12, 22),)}, "closing"),
        ({"earlier": (date(2026, 11, 9),)}, "earlier"),
        ({"theirs": scenes.Theirs(by="mori", on=(date(2026, 12, 24),))}, "theirs"),
    ],
)
def test_a_scene_without_a_trap_of_a_kind_is_refused(change, words):
    b, office = builder()
    with pytest.raises(TaskError, match=words):
        scenes.draw(b, office.scene[0].model_copy(update=change), office.also)


def test_times_that_leave_no_choice_are_refused():
    b, office = builder()
    scene = office.scene[0].model_copy(update={"times": office.scene[0].times[:1] * 5})
    drawn = scenes.draw(b, scene, office.also)
    with pytest.raises(TaskError, match="clash"):
        scenes.fill(b, scene, drawn, drawn.dates[1:])


def test_a_range_without_a_public_holiday_is_refused():
    b, office = builder()
    scene = office.scene[0].model_copy(update={"first": (date(2026, 11, 16),)})
    drawn = scenes.draw(b, scene, office.also)
    kept = [d for d in drawn.dates if d != drawn.closing]
    offer = scenes.fill(b, scene, drawn, kept)
    with pytest.raises(TaskError, match="public holiday"):
        scenes.solve(b, scene, drawn, (drawn.closing,), offer)


@pytest.mark.parametrize("market", MARKETS)
def test_ten_variants_are_really_different(market):
    keys = [TASK.instance(market, v).key for v in range(10)]
    assert len({(tuple(k.left_out), k.right, k.title, k.dates[-1], k.minutes) for k in keys}) >= 8
    assert len({k.right for k in keys}) >= 3
    assert len({k.title for k in keys}) >= 3
    for k in keys:
        assert k.alike[0] in [*k.own, *k.outside] and k.alike[1] not in [*k.own, *k.outside]
        assert not set(k.times) - {f"{int(t[:2]):02d}:{t[3:]}" for t in k.times}
        assert k.times.index(k.right) >= 1 and k.later > k.right


@pytest.mark.slow
@pytest.mark.parametrize("market", MARKETS)
def test_other_streams_find_an_answer_too(market):
    """Held-out variants draw otherwise: no scene may depend on its luck."""
    place = load_market(market)
    apps = tuple(dict.fromkeys([*TASK.contract.front.apps, "clock", "people"]))
    for n in range(30):
        draft = Draft(apps, _base(apps, market))
        b = Build(TASK.package, place, n, "en", draft, start_of(place), Stream("held out", market, n))
        office = b.data("scenes", scenes.Office)
        turn, place_in_line = divmod(n, len(office.scene))
        scene = office.scene[place_in_line]
        drawn = scenes.draw(b, scene, office.also, turn)
        closed = (drawn.closing, *office.also)
        kept = [d for d in drawn.dates if d not in closed and d not in place.holiday_on]
        assert scenes.solve(b, scene, drawn, closed, scenes.fill(b, scene, drawn, kept)).starts
