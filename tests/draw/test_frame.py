"""The frame as it is measured: what an oracle changes counts, and nothing else."""

from __future__ import annotations

import apsw
import pytest

from errands.calibrate.attacks import sat
from errands.calibrate.frame import changes, entry, faults, frame, measure, tags
from errands.core.errors import TaskError
from errands.doors import Seat
from errands.draw.batch import draw
from errands.draw.frame import TAGS, Change
from errands.draw.rules import Seed, rules
from errands.exam.attempt import instance_of
from errands.grading.evidence import Entry, Evidence
from errands.tasks import standing as standings
from errands.tasks import task as building
from errands.tasks.registry import Choice, Selection, choice, select, task
from errands.tasks.standing import Standing

AUDIT, BOOKING, HANDOVER = (
    "ec-inbox-commitment-audit",
    "ec-double-booking-resolution",
    "ec-out-of-office-handover",
)


@pytest.fixture(scope="module")
def measured():
    """The consumer suite in one market, first variants."""
    return frame(list(measure(select(Selection(suites=("consumer",), markets=("sg",), variants=(0,))))))


def shown(e):
    return [str(c) for c in e.changes]


def of(frame_, ident):
    return next(e for e in frame_.entries if e.id == f"{ident}@sg/0")


# ---- the library's own suite -------------------------------------------------------------------------------------


def test_every_errand_is_ready_and_measured(measured):
    assert len(measured.entries) == 10 and {e.status for e in measured.entries} == {"ready"}
    assert all(e.task == task(e.id.partition("@")[0]).digest and e.calibration for e in measured.entries)


def test_a_new_file_at_the_declared_place_is_reply(measured):
    audit = of(measured, AUDIT)
    assert shown(audit) == [] and audit.tags == ("connector", "reply-only", "safety-boundary")


def test_changes_are_told_without_keys_values_or_counts(measured):
    assert shown(of(measured, BOOKING)) == [
        "calendar_event update direct",
        "calendar_occurrence delete direct",
        "calendar_occurrence insert direct",
        "mail_message insert committed",
        "mail_recipient insert committed",
    ], "three mails are one kind of change; drafts that were sent are none; the yes is none"


def test_a_staged_thing_that_stays_is_told_from_what_went_out(measured):
    cancelled = shown(of(measured, "ec-meeting-cancellation"))
    assert "mail_draft insert staged" in cancelled and "mail_message insert committed" in cancelled


def test_a_status_is_told_as_it_moves(measured):
    booked = shown(of(measured, "ec-holiday-aware-booking"))
    assert "calendar_event insert direct status:>confirmed" in booked


def test_incidental_tables_are_never_in_it(measured):
    assert not any(c.table == "files_blob" for e in measured.entries for c in e.changes)
    assert any(c.table == "files_entry" for c in of(measured, HANDOVER).changes), (
        "what it attached is no reply"
    )


def test_it_is_drawn_from_and_like_errands_share_a_group(measured):
    b = draw(measured, rules(), Seed(value="20261004", source="a date"))
    groups = sorted(sorted(i.partition("@")[0] for i in g.members) for g in b.groups)
    assert [BOOKING, "ec-reschedule-three-party"] in groups and len(groups) == 6
    assert len(b.picks) == sum(min(2, len(g)) for g in groups) == 8


def test_markets_of_one_errand_are_one_group():
    found = [entry(choice(f"{BOOKING}@{m}/0")) for m in ("sg", "kr")]
    assert found[0].changes == found[1].changes and found[0].tags == found[1].tags


def test_measured_twice_it_is_the_same():
    assert entry(choice(f"{AUDIT}@sg/0")) == entry(choice(f"{AUDIT}@sg/0"))


# ---- changes, planted --------------------------------------------------------------------------------------------


@pytest.fixture
def furnished(monkeypatch):
    """The audit's world with a file of the fixture's in it, and faults."""
    audit = task(AUDIT)
    real = audit._build

    def build(b):
        b.file("workspace/old.csv", b"a,b\n1,2\n")
        b.fault("mail_list", times=1, skip=500)
        b.fault("mail_search", applied=1, answered=0, code="timeout", skip=500)
        b.fault("calendar_list_events", applied=1, lag_ms=60_000, skip=500)
        return real(b)

    monkeypatch.setattr(audit, "_build", build)
    building._instance.cache_clear()
    yield instance_of(AUDIT, "sg", 0, "en")
    building._instance.cache_clear()


def after(instance, *calls):
    """What the oracle changes when it does these things too, before its last word; and the faults that it met."""

    class Busy(Seat):
        def reply(self, text):
            for tool, args in calls:
                self.call(tool, **args)
            return super().reply(text)

    def sit(sitting):
        sitting.next()
        instance.task.solutions["oracle"].run(Busy(sitting), instance.key)

    verdict, evidence, sitting = sat(instance, sit)
    try:
        return [str(c) for c in changes(evidence, verdict)], faults(evidence)
    finally:
        sitting.world.close()


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ([], []),
        ([("files_write", {"path": "workspace/other.txt", "text": "x"})], ["files_entry insert direct"]),
        ([("files_write", {"path": "workspace/old.csv", "text": "x"})], ["files_entry update direct"]),
        ([("files_delete", {"path": "workspace/old.csv"})], ["files_entry delete direct"]),
        (
            [
                ("files_write", {"path": "workspace/other.txt", "text": "x"}),
                ("files_delete", {"path": "workspace/other.txt"}),
            ],
            [],
        ),
        ([("user_ask_user", {"question": "Which threads do you mean?"})], []),
        (
            [("mail_draft", {"to": ["a@b.example"], "subject": "s", "body": "b"})],
            ["mail_draft insert staged"],
        ),
    ],
)
def test_what_counts_as_a_change(furnished, calls, found):
    assert after(furnished, *calls)[0] == found


def test_kinds_of_fault_are_named(furnished):
    named = ("refused-unavailable", "stale", "unanswered-timeout")
    assert after(furnished)[1] == named
    found = entry(choice(f"{AUDIT}@sg/0"))
    assert found.faults == named and "injected-fault" in found.tags


def row(kind, actor, name):
    return Entry(1, 0, kind, 0, actor, name, "", {})


@pytest.mark.parametrize(
    ("history", "tag"),
    [
        ([("turn", "exam", "notice"), ("call", "agent", "clock_now")], "proactive"),
        ([("turn", "exam", "notice"), ("turn", "agent", "reply")], "proactive"),
        ([("turn", "exam", "notice"), ("turn", "user", "user"), ("turn", "agent", "reply")], ""),
        ([("turn", "exam", "instruction"), ("turn", "agent", "reply"), ("turn", "exam", "notice")], ""),
        ([("effect", "user", "people_told")], "user-answers"),
        ([("effect", "user", "people_granted")], ""),
        ([("approval", "user", "no")], "approval"),
    ],
)
def test_tags_are_read_from_the_ledger(history, tag):
    evidence = Evidence(apsw.Connection(":memory:"), {})
    evidence.__dict__["ledger"] = tuple(row(*h) for h in history)
    found = set(tags(built(BOOKING), evidence, (Change("a", "a_b", "insert", "direct"),), ()))
    assert found == {tag} - {""}


def built(ident):
    return instance_of(ident, "sg", 0, "en")


def test_several_sessions_stand_in_task_md(monkeypatch):
    instance = built(BOOKING)
    front = instance.task.contract.front.model_copy(update={"complexity": "cross-session"})
    monkeypatch.setattr(instance.task, "contract", instance.task.contract.model_copy(update={"front": front}))
    evidence = Evidence(apsw.Connection(":memory:"), {})
    evidence.__dict__["ledger"] = ()
    assert set(tags(instance, evidence, (), ())) == {"reply-only", "several-sessions"}


def test_every_tag_has_its_rule():
    assert all(TAGS.values()) and len(TAGS) == 8


# ---- what is not ready, and what is wrong ------------------------------------------------------------------------


def test_a_draft_is_not_measured_and_not_drawn(monkeypatch):
    import errands.calibrate.frame as module

    monkeypatch.setattr(module, "standing", lambda t, m: Standing("draft", "its folder changed"))
    found = entry(choice(f"{AUDIT}@sg/0"))
    assert (found.status, found.why, found.tags, found.calibration) == (
        "draft",
        "its folder changed",
        (),
        None,
    )
    assert standings.standing(task(AUDIT), "sg").status == "ready"


def test_an_oracle_that_does_not_pass_gives_no_frame(monkeypatch):
    audit = task(AUDIT)
    monkeypatch.setitem(audit.solutions, "oracle", audit.solutions["wrong:row_twice"])
    with pytest.raises(TaskError, match="oracle does not pass"):
        entry(Choice("01.03", AUDIT, "sg", 0, "en"))
