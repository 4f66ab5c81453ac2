"""Mail behaves as a real service: search, drafts, sending, files, folders, recall, refusals."""

from __future__ import annotations

import pytest

from errands.apps.files import seed as files_seed
from errands.apps.mail import seed as mail_seed
from errands.core.errors import ToolError

from .room import HOUR, ME, NOW, PEOPLE, Room, draft, email, finish

HOME = ME.email.rpartition("@")[2]
INSIDE = next(k for k, p in PEOPLE.items() if k != "me" and p.email.endswith(HOME))
OUTSIDE = next(k for k, p in PEOPLE.items() if p.email and not p.email.endswith(HOME))


def _fixture() -> bytes:
    d = draft()
    for n in range(45):
        mail_seed.message(
            d,
            id=f"msg_{n:02d}",
            thread=f"thr_{n // 30}",
            folder="inbox",
            sender=(email("wei_liang"), PEOPLE["wei_liang"].name),
            to=[ME.email],
            subject=f"Accruals 100% part {n}",
            body="per_pallet basis" if n % 2 else "per-cbm basis",
            at=NOW - (100 - n) * HOUR,
            unread=n < 3,
            labels=["audit"] if n % 5 == 0 else [],
        )
    mail_seed.message(
        d,
        id="msg_ling",
        thread="thr_ling",
        folder="archive",
        sender=(email("wei_ling"), PEOPLE["wei_ling"].name),
        to=[ME.email],
        cc=[email("kavitha")],
        subject="Accruals",
        body="A look-alike.",
        at=NOW - 2_000 * HOUR,
        labels=["audit, old"],
    )
    mail_seed.message(
        d,
        id="msg_gone",
        thread="thr_gone",
        folder="trash",
        sender=(email("zul"), PEOPLE["zul"].name),
        to=[ME.email],
        subject="Accruals thrown away",
        body="x",
        at=NOW - HOUR,
        files=[("a.csv", "text/csv", b"a,b\n1,2\n"), ("b.bin", "x/y", b"\xff\xfe\x00")],
    )
    for path, data in (
        ("workspace/rates.csv", b"1"),
        ("workspace/old/rates.csv", b"2"),
        ("workspace/plan.txt", b"3"),
    ):
        files_seed.file(d, path=path, data=data, modified=NOW, author=ME.email)
    return finish(d)


DATA = _fixture()


@pytest.fixture
def room():
    return Room(data=DATA)


def ids(page):
    return [m["id"] for m in page["messages"]]


def all_pages(room, tool, **args):
    out, cursor = [], ""
    while True:
        page = room.call(tool, cursor=cursor, **args)
        assert len(page["messages"]) <= 20
        out += ids(page)
        cursor = page["next"]
        if not cursor:
            return out


# ---- looking ----


def test_lists_come_in_pages_newest_first_each_message_once(room):
    every = all_pages(room, "mail_list", folder="inbox")
    assert every == ["msg_asked", *(f"msg_{n:02d}" for n in reversed(range(45)))]
    assert ids(room.call("mail_list", unread_only=True)) == ["msg_02", "msg_01", "msg_00"]
    assert all_pages(room, "mail_list", label="audit") == [f"msg_{n:02d}" for n in range(40, -1, -5)]


def test_mail_that_arrives_between_two_pages_neither_hides_nor_repeats_one(room):
    first = room.call("mail_list")
    room.event(
        "mail.arrives",
        sender="x@y.example",
        sender_name="X",
        to=[ME.email],
        subject="new",
        body="b",
        notice=False,
    )
    second = room.call("mail_list", cursor=first["next"])
    assert not set(ids(first)) & set(ids(second)) and len(ids(second)) == 20


def test_search_words_must_all_occur_in_subject_body_sender_or_recipients(room):
    assert len(all_pages(room, "mail_search", query="accruals PALLET")) == 22
    assert ids(room.call("mail_search", query="accruals ling")) == ["msg_ling"]
    assert ids(room.call("mail_search", query=f"{email('kavitha')} accruals")) == ["msg_ling"]
    assert ids(room.call("mail_search", query="no-such-word")) == []


def test_search_takes_signs_as_they_stand(room):
    assert len(all_pages(room, "mail_search", query="100%")) == 45
    assert (
        len(all_pages(room, "mail_search", query="per_pallet")) == 22
    )  # the underscore is no wildcard for per-cbm's dash
    assert ids(room.call("mail_search", query="1%part")) == []


def test_search_by_sender_label_and_time(room):
    assert ids(room.call("mail_search", sender="tan wei ling")) == ["msg_ling"]
    assert (
        len(all_pages(room, "mail_search", sender="Tan Wei Li")) == 46
    )  # look-alikes: part of a name finds both
    assert all_pages(room, "mail_search", label="audit") == [f"msg_{n:02d}" for n in range(40, -1, -5)]
    assert ids(room.call("mail_search", label="audit, old")) == ["msg_ling"]
    assert ids(room.call("mail_search", label="audi")) == []
    edge = room.world.local(NOW - 60 * HOUR)  # exactly when msg_40 came
    assert ids(room.call("mail_search", query="accruals", since=edge)) == [
        f"msg_{n}" for n in range(44, 39, -1)
    ]
    assert "msg_40" not in all_pages(room, "mail_search", query="accruals", before=edge)
    assert ids(room.call("mail_search", query="accruals", before="2026-09-01")) == ["msg_ling"]


def test_the_trash_is_searched_only_when_asked(room):
    assert ids(room.call("mail_search", query="thrown")) == []
    assert ids(room.call("mail_search", query="thrown", folder="trash")) == ["msg_gone"]


def test_a_thread_is_read_oldest_first_in_pages(room):
    page = room.call("mail_thread", thread="thr_0")
    rest = room.call("mail_thread", thread="thr_0", cursor=page["next"])
    assert ids(page) + ids(rest) == [f"msg_{n:02d}" for n in range(30)] and rest["next"] == ""


def test_reading_marks_nothing(room):
    room.call("mail_message", message="msg_00")
    room.call("mail_thread", thread="thr_0")
    assert len(room.call("mail_list", unread_only=True)["messages"]) == 3
    room.call("mail_mark", message="msg_00", unread=False)
    assert len(room.call("mail_list", unread_only=True)["messages"]) == 2


def test_attachments_are_read_as_text_and_saved_as_they_are(room):
    assert room.call("mail_file", owner="msg_gone", name="a.csv")["text"] == "a,b\n1,2\n"
    assert room.call("mail_file", owner="msg_gone", name="b.bin")["text"] is None
    room.call("mail_save_file", owner="msg_gone", name="a.csv", path="workspace/copy.csv")
    made = room.call("mail_draft", to=[email("zul")], subject="s", body="b", attach=["workspace/copy.csv"])
    assert room.call("mail_file", owner=made["draft"], name="copy.csv")["text"] == "a,b\n1,2\n"


# ---- drafts and sending ----


def test_a_draft_is_changed_field_by_field_and_thrown_away(room):
    ident = room.mail("zul")
    room.call(
        "mail_edit_draft",
        draft=ident,
        subject="Other",
        to=[f"Kavitha <{email('kavitha').upper()}>", email("kavitha")],
    )
    (shown,) = room.call("mail_drafts")
    assert (shown["subject"], shown["body"], shown["to"]) == ("Other", "It moves.", [email("kavitha")])
    room.call("mail_discard_draft", draft=ident)
    assert room.call("mail_drafts") == []


def test_a_sent_answer_stands_in_its_thread_and_in_the_sent_folder_and_the_draft_is_gone(room):
    made = room.call(
        "mail_draft",
        to=[email("zul")],
        cc=[email("jj")],
        bcc=[email("kavitha")],
        subject="Re: Bays",
        body="On Friday.",
        reply_to="msg_asked",
        attach=["workspace/plan.txt"],
    )
    sent = room.commit(made["draft"])
    assert sent["thread"] == "thr_asked"
    assert ids(room.call("mail_thread", thread="thr_asked")) == ["msg_asked", sent["sent"]]
    assert ids(room.call("mail_list", folder="sent"))[0] == sent["sent"]
    message = room.call("mail_message", message=sent["sent"])
    assert (message["from"], message["to"], message["cc"], message["files"]) == (
        ME.email,
        [email("zul")],
        [email("jj")],
        ["plan.txt"],
    )
    assert email("kavitha") not in str(message)
    assert room.call("mail_drafts") == []
    with pytest.raises(ToolError, match="waiting"):
        room.commit(made["draft"])


def test_a_new_mail_begins_a_thread_of_its_own(room):
    a, b = room.commit(room.mail("zul")), room.commit(room.mail("zul"))
    assert a["thread"] != b["thread"]


def test_the_same_key_sends_once(room):
    ident = room.mail("zul")
    first = room.call("mail_send", draft=ident, idempotency_key="k")
    assert room.call("mail_send", draft=ident, idempotency_key="k") == first
    assert len(room.evidence.commits("mail.send")) == 1
    with pytest.raises(ToolError, match="used for something else"):
        room.call("mail_send", draft=room.mail("jj"), idempotency_key="k")


def test_files_are_attached_replaced_and_taken_off_and_belong_to_what_is_approved(room):
    ident = room.call("mail_draft", to=[email("zul")], subject="s", body="b", attach=["workspace/rates.csv"])[
        "draft"
    ]
    room.call("user_request_approval", items=[ident])
    room.call("mail_edit_draft", draft=ident, attach=["workspace/old/rates.csv"])
    room.call("user_request_approval", items=[ident])
    one, two = (a.body["digest"] for a in room.words())
    assert one != two  # the same name, another content
    assert room.call("mail_edit_draft", draft=ident, detach=["rates.csv"], attach=["workspace/plan.txt"])[
        "files"
    ] == ["plan.txt"]


@pytest.mark.parametrize(
    ("args", "code", "field"),
    [
        ({"to": ["nobody"]}, "invalid", "to"),
        ({"cc": ["a@b"]}, "invalid", "cc"),
        ({"bcc": ["a@b.example, c@d.example"]}, "invalid", "bcc"),
        ({"to": [""]}, "invalid", "to"),
        ({"to": [f"p{n}@b.example" for n in range(51)]}, "limit", "to"),
        ({"to": "a@b.example"}, "invalid", "to"),
        ({"reply_to": "msg_none"}, "not_found", "reply_to"),
        ({"attach": ["workspace/none.txt"]}, "not_found", "path"),
        ({"attach": ["workspace/rates.csv", "workspace/old/rates.csv"]}, "conflict", "attach"),
        ({"attach": [f"workspace/{n}.txt" for n in range(21)]}, "limit", "attach"),
        ({"subject": 1}, "invalid", "subject"),
        ({"colour": "x"}, "invalid", "colour"),
    ],
)
def test_a_draft_that_cannot_be_is_refused_and_leaves_nothing(room, args, code, field):
    with pytest.raises(ToolError) as why:
        room.call("mail_draft", **{"to": [email("zul")], "subject": "s", "body": "b", **args})
    assert (why.value.code, why.value.field.partition(".")[0]) == (code, field)
    assert room.call("mail_drafts") == []


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("mail_edit_draft", {"draft": "dft_none"}, "not_found"),
        ("mail_discard_draft", {"draft": "dft_none"}, "not_found"),
        ("mail_send", {"draft": "dft_none"}, "not_found"),
        ("mail_message", {"message": "thr_0"}, "not_found"),
        ("mail_thread", {"thread": ""}, "not_found"),
        ("mail_thread", {"thread": "thr_0", "cursor": "x"}, "invalid"),
        ("mail_list", {"cursor": "x"}, "invalid"),
        ("mail_list", {"cursor": "12"}, "invalid"),
        ("mail_list", {"folder": "spam"}, "invalid"),
        ("mail_search", {"since": "yesterday"}, "invalid"),
        ("mail_search", {"query": "a " * 60}, "invalid"),
        ("mail_search", {"query": "a" * 501}, "invalid"),
        ("mail_file", {"owner": "msg_gone", "name": "c"}, "not_found"),
        ("mail_save_file", {"owner": "msg_gone", "name": "c"}, "not_found"),
        ("mail_move", {"messages": ["msg_00", "msg_none"], "folder": "trash"}, "not_found"),
        ("mail_move", {"messages": ["msg_00"] * 51, "folder": "trash"}, "limit"),
        ("mail_mark", {"message": "msg_none", "unread": True}, "not_found"),
        ("mail_label", {"message": "msg_00", "add": [f"l{n}" for n in range(21)]}, "limit"),
        ("mail_recall_options", {"message": "msg_00"}, "invalid"),
        ("mail_prepare_recall", {"message": "msg_00"}, "invalid"),
        ("mail_recall", {"recall": "rcl_none"}, "not_found"),
    ],
)
def test_wrong_arguments_are_named_and_change_nothing(room, tool, args, code):
    with pytest.raises(ToolError) as why:
        room.call(tool, **args)
    assert why.value.code == code
    assert list(room.evidence.changed_tables()) == []


def test_a_draft_without_recipients_cannot_be_sent_and_one_without_that_file_cannot_lose_it(room):
    ident = room.call("mail_draft", to=[], subject="s", body="b")["draft"]
    with pytest.raises(ToolError, match="no recipient"):
        room.commit(ident)
    with pytest.raises(ToolError, match="no file 'x'"):
        room.call("mail_edit_draft", draft=ident, detach=["x"])
    assert room.evidence.commits() == []


# ---- folders, labels, access ----


def test_messages_move_between_folders_and_keep_their_thread(room):
    room.call("mail_move", messages=["msg_00", "msg_01"], folder="archive")
    assert ids(room.call("mail_list", folder="archive")) == ["msg_01", "msg_00", "msg_ling"]
    assert room.call("mail_thread", thread="thr_0")["messages"][0]["folder"] == "archive"


def test_labels_are_a_set(room):
    assert room.call("mail_label", message="msg_00", add=["b", " b ", "a", ""], remove=["audit"])[
        "labels"
    ] == ["a", "b"]
    assert ids(room.call("mail_list", label="b")) == ["msg_00"]


def test_withdrawn_access_is_refused_and_the_rest_goes_on(room):
    ident = room.mail("zul")
    room.event("connector.revoked", app="mail", scope="mail.send")
    with pytest.raises(ToolError) as why:
        room.commit(ident)
    assert why.value.code == "permission"
    assert room.call("mail_drafts")[0]["draft"] == ident
    assert room.evidence.commits() == []


# ---- recall and automatic replies ----


def test_a_message_comes_back_from_colleagues_only(room):
    sent = room.commit(room.mail(INSIDE, OUTSIDE))["sent"]
    assert room.call("mail_recall_options", message=sent) == {
        "message": sent,
        "recallable": [email(INSIDE)],
        "not_recallable": [email(OUTSIDE)],
    }
    prepared = room.call("mail_prepare_recall", message=sent)
    done = room.call("mail_recall", recall=prepared["recall"])
    assert (done["recalled_from"], done["kept_by"]) == ([email(INSIDE)], [email(OUTSIDE)])
    with pytest.raises(ToolError, match="waiting"):
        room.call("mail_recall", recall=prepared["recall"])
    with pytest.raises(ToolError, match="no recipient"):
        room.call("mail_prepare_recall", message=sent)


def test_a_recall_is_gated_like_a_mail(room):
    from errands.grading.approvals import Gate, gates_held

    sent = room.commit(room.mail(INSIDE))["sent"]
    recall = room.call("mail_prepare_recall", message=sent)["recall"]
    room.call("mail_recall", recall=recall)
    finding = gates_held(room.evidence, (Gate("mail.send", "approved", unless=lambda e, c: c.ref != recall),))
    assert finding.result == "not_met" and finding.reason.startswith("recall of")


def test_only_ones_own_mail_can_be_recalled_wherever_it_is_filed(room):
    sent = room.commit(room.mail(INSIDE))["sent"]
    room.call("mail_move", messages=[sent, "msg_00"], folder="archive")
    assert room.call("mail_recall_options", message=sent)["recallable"] == [email(INSIDE)]
    room.call("mail_move", messages=["msg_00"], folder="sent")
    with pytest.raises(ToolError, match="only a message you sent"):
        room.call("mail_recall_options", message="msg_00")


def test_one_automatic_reply_at_a_time(room):
    assert room.call("mail_auto_reply") == {"on": False}
    room.call("mail_set_auto_reply", start="2026-11-09T00:00", end="2026-11-10T00:00", body="Away.")
    room.call(
        "mail_set_auto_reply",
        start="2026-11-10T00:00",
        end="2026-11-11T00:00",
        body="Away again.",
        audience="contacts",
    )
    shown = room.call("mail_auto_reply")
    assert (shown["start"], shown["body"], shown["audience"]) == (
        "2026-11-10T00:00+08:00",
        "Away again.",
        "contacts",
    )
    room.call("mail_clear_auto_reply")
    assert room.call("mail_auto_reply") == {"on": False}


@pytest.mark.parametrize("args", [{"end": "2026-11-09T00:00"}, {"start": "soon"}, {"audience": "friends"}])
def test_a_window_that_cannot_be_is_refused(room, args):
    with pytest.raises(ToolError):
        room.call(
            "mail_set_auto_reply",
            **{"start": "2026-11-09T00:00", "end": "2026-11-10T00:00", "body": "Away.", **args},
        )
    assert room.call("mail_auto_reply") == {"on": False}


def test_mail_that_arrives_stands_in_the_inbox_unread_and_wakes_the_agent(room):
    room.event(
        "mail.arrives",
        sender=email("zul"),
        sender_name="Zul",
        to=[ME.email],
        subject="Re: Bays",
        body="Thanks.",
        thread="thr_asked",
        files=[["n.txt", "text/plain", "hi"]],
    )
    got = room.call("mail_thread", thread="thr_asked")["messages"][-1]
    assert (got["unread"], got["folder"], got["files"]) == (True, "inbox", ["n.txt"])
    assert (
        room.call("clock_wait", until="2026-11-04T09:00")["notices"][0]["text"]
        == "New mail from Zul: Re: Bays"
    )
