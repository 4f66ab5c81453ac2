"""Contacts: finding people among look-alikes, paging, adding and changing, and which names belong to whom."""

from __future__ import annotations

import pytest

from errands.apps.contacts import seed
from errands.core.errors import ToolError

from .room import PEOPLE, Room, draft, email, finish


@pytest.fixture
def room():
    return Room()


def names(room, query):
    return [p["name"] for p in room.call("contacts_search", query=query)["people"]]


def test_everybody_comes_once_in_pages_by_name(room):
    first = room.call("contacts_search")
    rest = room.call("contacts_search", cursor=first["next"])
    got = [p["name"] for p in first["people"] + rest["people"]]
    assert (
        len(first["people"]) == 20 and got == sorted(p.name for p in PEOPLE.values()) and rest["next"] == ""
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("jun jie", ["Ng Jun Jie", "Wong Jun Jie"]),
        ("JJ", ["Ng Jun Jie"]),
        ("tan wei", ["Tan Wei Liang", "Tan Wei Ling"]),
        ("jie wong", ["Wong Jun Jie"]),
        ("nobody", []),
    ],
)
def test_look_alikes_are_found_together_and_told_apart_by_more_words(room, query, found):
    assert [n for n in names(room, query) if n != "x"] == found


def test_an_address_finds_its_person(room):
    assert names(room, email("zul").upper()) == [PEOPLE["zul"].name]


def test_a_person_is_shown_with_relations_and_aliases():
    d = draft()
    seed.person(
        d,
        id="per_x",
        name="Tan Mei",
        called="Mei",
        formal="Ms Tan",
        email="mei@x.example",
        aliases=["Meimei Tan"],
        related=[("assistant", "per_zul")],
    )
    room = Room(data=finish(d))
    shown = room.call("contacts_person", person="per_x")
    assert (shown["aliases"], shown["related"]) == (
        ["Meimei Tan"],
        [{"kind": "assistant", "other": "per_zul"}],
    )
    ident = room.call("mail_draft", to=["mei@x.example"], subject="s1", body="b")["draft"]
    room.say("Shall I send the note to Meimei Tan?")
    assert room.yes() == {ident}


def test_another_persons_alias_hides_a_shorter_name_within():
    d = draft()
    seed.person(
        d,
        id="per_x",
        name="Tan Mei",
        called="Mei",
        formal="Ms Tan",
        email="mei@x.example",
        aliases=["Zul Junior"],
    )
    room = Room(data=finish(d))
    room.mail("zul")
    room.say("Shall I send the note to Zul Junior?")
    assert not room.yes()


def test_a_new_person_can_be_found_and_named(room):
    made = room.call("contacts_create", name="Devi Raj", email=" Devi@New.example ")
    assert made["email"] == "devi@new.example" and names(room, "devi") == ["Devi Raj"]
    room.call("contacts_update", person=made["id"], called="Dee", email="DEE@new.example")
    ident = room.call("mail_draft", to=["dee@new.example"], subject="s1", body="b")["draft"]
    room.say("May I send the note to Dee?")
    assert room.yes() == {ident}


def test_changing_one_field_leaves_the_others(room):
    before = room.call("contacts_person", person="per_zul")
    assert room.call("contacts_update", person="per_zul", title="Head") == {**before, "title": "Head"}


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("contacts_create", {"name": "  "}, "invalid"),
        ("contacts_create", {"name": "X", "email": email("zul").upper()}, "conflict"),
        ("contacts_update", {"person": "per_none", "name": "X"}, "not_found"),
        ("contacts_update", {"person": "per_jj", "email": email("zul")}, "conflict"),
        ("contacts_update", {"person": "per_jj", "name": ""}, "invalid"),
        ("contacts_person", {"person": ""}, "not_found"),
        ("contacts_search", {"cursor": "x"}, "invalid"),
        ("contacts_search", {"query": ["a"]}, "invalid"),
    ],
)
def test_wrong_arguments_are_named_and_change_nothing(room, tool, args, code):
    with pytest.raises(ToolError) as why:
        room.call(tool, **args)
    assert why.value.code == code
    assert list(room.evidence.changed_tables()) == []


def test_without_the_grant_nothing_can_be_changed():
    from .room import SCOPES

    room = Room(data=finish(draft(scopes=SCOPES | {"contacts": ("read",)})))
    with pytest.raises(ToolError, match="there is no tool"):
        room.call("contacts_create", name="X")
    room.event("connector.revoked", app="contacts", scope="contacts.read")
    with pytest.raises(ToolError, match="withdrawn"):
        room.call("contacts_search")
