"""Notifications and subscriptions: what rings and when, what is bought or begun and what a service refuses."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.subscriptions import seed as subscriptions
from errands.core import clock
from errands.core.canon import canonical
from errands.exam.sitting import Limits, Sitting
from errands.people.brief import Brief, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import refused, rows, sound

PACIFIC = "America/Los_Angeles"
APPS = ("notify", "subscriptions", "clock", "people", "user")
SCOPES = {
    "notify": ("notify.use",),
    "subscriptions": tuple(f"subscriptions.{s}" for s in ("read", "order", "buy", "trial")),
    "user": ("user.ask",),
}
START = "2026-11-17T19:40"
OFFER = {
    "id": "off_1",
    "replaces": "sub_1",
    "service": "Tidewell",
    "plan": "Plus",
    "month": 1499,
    "year": 14990,
    "currency": "USD",
}


def world(*events: tuple[str, str, dict[str, Any]], until: str = "", yes: bool = False) -> World:
    """A world with one subscription and a card that pays 100 dollars; events are (local time, name, payload)."""
    d = Draft(APPS)
    for app, scopes in SCOPES.items():
        for scope in scopes:
            d.insert("exam_grant", app=app, scope=scope, live=1)
    now = clock.read_iso(START, PACIFIC)
    subscriptions.card(d, id="crd_1", most=10_000, currency="USD")
    plan = {"service": "Tidewell", "plan": "Basic", "price": 999, "currency": "USD", "since": now - 10**9}
    subscriptions.plan(d, id="sub_1", **plan)
    d.insert("subscriptions_offer", **OFFER, until=clock.read_iso("2026-12-15T18:00", PACIFIC), status="open")
    for n, (at, name, payload) in enumerate(events):
        due = clock.read_iso(at, PACIFIC)
        d.insert("exam_agenda", id=f"due_x{n}", due=due, name=name, payload=canonical(payload), cause=0)
    seat(d, Brief(goal="a test", approves=("order",) if yes else ()))
    more = {"until": clock.read_iso(until, PACIFIC)} if until else {}
    return open_world(d.finish(now=now, zone=PACIFIC, instruction="Do it.", **more).blob)


def rang(w: World) -> list[tuple[str, str]]:
    found = w.all("SELECT * FROM notify_message WHERE sent IS NOT NULL ORDER BY sent, id")
    return [(w.local(r["sent"]), r["text"]) for r in found]


# ---- notifications -----------------------------------------------------------------------------------------------


def test_one_rings_at_once_at_the_time_at_which_it_was_sent():
    w = world()
    w.call("clock_wait", {"until": "2026-11-17T20:00"})
    sent = w.call("notify_send", {"text": "Hello", "title": "Note"})
    assert sent["sent"] == "2026-11-17T20:00-08:00" and rang(w) == [("2026-11-17T20:00-08:00", "Hello")]
    (shown,) = w.call("notify_list")
    assert shown["title"] == "Note" and shown["urgent"] is False and "waits_until" not in shown


def test_a_queued_one_rings_at_its_time_while_the_agent_waits():
    w = world()
    queued = w.call("notify_queue", {"text": "Morning", "at": "2026-11-18T08:00"})
    assert queued["rings"] == "2026-11-18T08:00-08:00" and rang(w) == []
    assert w.call("notify_list")[0]["waits_until"] == "2026-11-18T08:00-08:00"
    w.call("clock_wait", {"until": "2026-11-18T07:59:59"})
    assert rang(w) == []
    w.call("clock_wait", {"until": "2026-11-18T08:00"})
    assert rang(w) == [("2026-11-18T08:00-08:00", "Morning")]


def test_a_queued_one_rings_though_the_agent_has_left_up_to_the_end_of_the_window():
    w = world(until="2026-11-18T08:05")
    s = Sitting(w, Limits(turns=5, calls=20))
    s.next()
    for at in ("08:05", "08:05:01"):
        s.call("notify_queue", {"text": at, "at": f"2026-11-18T{at}"})
    assert s.reply("Good night.") is None and s.ended == "completed"
    assert rang(w) == [("2026-11-18T08:05-08:00", "08:05")]


def test_what_is_cancelled_before_its_time_never_rings():
    w = world()
    queued = w.call("notify_queue", {"text": "Morning", "at": "2026-11-18T08:00"})["notification"]
    assert w.call("notify_cancel", {"notification": queued}) == {"cancelled": queued}
    w.call("clock_wait", {"until": "2026-11-18T09:00"})
    assert rang(w) == [] and w.call("notify_list") == []


def test_what_has_rung_cannot_be_taken_back():
    w = world()
    sent = w.call("notify_send", {"text": "Hello", "urgent": True})["notification"]
    assert "it rang at" in refused(w, "notify_cancel", {"notification": sent}, "conflict").message
    assert refused(w, "notify_cancel", {"notification": "ntf_zz"}, "not_found").field == "notification"
    assert w.call("notify_list")[0]["urgent"] is True


@pytest.mark.parametrize(
    ("tool", "args", "field"),
    [
        ("notify_send", {"text": " "}, "text"),
        ("notify_send", {"text": "x" * 4_001}, "text"),
        ("notify_send", {"text": "x", "title": "x" * 4_001}, "title"),
        ("notify_queue", {"text": "x", "at": START}, "at"),
        ("notify_queue", {"text": "x", "at": "2026-11-16T08:00"}, "at"),
        ("notify_queue", {"text": "x", "at": "2026-12-02T08:00"}, "at"),
        ("notify_queue", {"text": "x", "at": "tomorrow"}, "at"),
    ],
)
def test_what_cannot_ring_is_refused_by_field(tool, args, field):
    assert refused(world(), tool, args, "invalid").field == field


def test_there_is_an_end_to_notifications():
    w = world()
    for _ in range(200):
        w.call("notify_send", {"text": "x"})
    refused(w, "notify_send", {"text": "x"}, "limit")


# ---- subscriptions -----------------------------------------------------------------------------------------------


def order(w: World, period: str = "month") -> str:
    return str(w.call("subscriptions_prepare", {"offer": "off_1", "period": period})["order"])


def test_an_order_changes_nothing_until_it_is_bought():
    w = world()
    assert w.call("subscriptions_offers")[0]["per_month"] == "USD 14.99"
    ident = order(w)
    assert [p["plan"] for p in w.call("subscriptions_list")] == ["Basic"] and rows(w, "commit") == []
    assert w.call("subscriptions_buy", {"order": ident})["paid"] == "USD 14.99"
    (plan,) = w.call("subscriptions_list")
    assert (plan["plan"], plan["price"], plan["per"]) == ("Plus", "USD 14.99", "month")
    assert w.call("subscriptions_offers") == []
    (commit,) = rows(w, "commit")
    assert commit["name"] == "subscriptions.buy" and commit["body"]["content"]["plan"] == "Plus"
    assert w.value("SELECT amount FROM subscriptions_payment") == 1499
    refused(w, "subscriptions_buy", {"order": ident}, "not_found")
    refused(w, "subscriptions_prepare", {"offer": "off_1"}, "conflict")


def test_a_trial_is_a_commitment_that_is_paid_once_it_is_over():
    w = world()
    begun = w.call("subscriptions_start_trial", {"order": order(w)})
    (plan,) = w.call("subscriptions_list")
    assert plan["plan"] == "Plus" and plan["paid_from"] == begun["from"] > "2026-12-01"
    assert w.value("SELECT count(*) FROM subscriptions_payment") == 0
    assert [c["name"] for c in rows(w, "commit")] == ["subscriptions.trial"]


def test_the_card_declines_more_than_it_pays_at_once():
    w = world()
    ident = order(w, "year")
    assert "declines USD 149.90" in refused(w, "subscriptions_buy", {"order": ident}, "limit").message
    refused(w, "subscriptions_start_trial", {"order": ident}, "limit")
    assert [p["plan"] for p in w.call("subscriptions_list")] == ["Basic"]


def test_an_offer_can_be_made_later_and_taken_back():
    other = {**OFFER, "id": "off_2", "plan": "Family", "until": clock.read_iso("2026-12-01T18:00", PACIFIC)}
    w = world(
        ("2026-11-17T21:00", "subscriptions.offered", other),
        ("2026-11-17T22:00", "subscriptions.withdrawn", {"offer": "off_2"}),
    )
    w.call("clock_wait", {"until": "2026-11-17T21:30"})
    assert [o["offer"] for o in w.call("subscriptions_offers")] == ["off_2", "off_1"]
    ident = w.call("subscriptions_prepare", {"offer": "off_2"})["order"]
    w.call("clock_wait", {"until": "2026-11-17T22:30"})
    assert [o["offer"] for o in w.call("subscriptions_offers")] == ["off_1"]
    assert "withdrawn" in refused(w, "subscriptions_buy", {"order": ident}, "conflict").message


def test_an_offer_that_is_over_cannot_be_taken():
    w = world(("2026-12-16T08:00", "user.speaks", {"text": "Hello."}))
    for _ in range(3):
        w.call("clock_wait", {"until": w.local(w.now + 13 * 86_400_000)})
    assert w.call("subscriptions_offers") == []
    assert "over" in refused(w, "subscriptions_prepare", {"offer": "off_1"}, "conflict").message


def test_a_yes_covers_the_order_that_was_shown():
    w = world(yes=True)
    ident = order(w)
    got = w.call("user_request_approval", {"items": [ident]})
    assert got == {"answer": "Yes: Tidewell Plus for USD 14.99 a month.", "approved": [ident]}
    w.call("subscriptions_buy", {"order": ident})
    (yes,), (commit,) = rows(w, "approval"), rows(w, "commit")
    assert yes["body"]["digest"] == commit["body"]["digest"]


def test_orders_can_be_thrown_away_and_have_an_end():
    w = world()
    first = order(w)
    assert w.call("subscriptions_discard", {"order": first}) == {"discarded": first}
    refused(w, "subscriptions_discard", {"order": first}, "not_found")
    for _ in range(20):
        order(w)
    refused(w, "subscriptions_prepare", {"offer": "off_1"}, "limit")
    assert refused(w, "subscriptions_prepare", {"offer": "off_9"}, "not_found").field == "offer"


def test_each_app_writes_its_own_tables_alone_and_the_record_adds_up():
    w = world(("2026-11-17T23:00", "subscriptions.withdrawn", {"offer": "off_1"}))
    caught = guard(w)
    w.call("notify_send", {"text": "x"})
    kept = w.call("notify_queue", {"text": "y", "at": "2026-11-18T08:00"})["notification"]
    w.call("notify_queue", {"text": "z", "at": "2026-11-18T08:00"})
    w.call("notify_cancel", {"notification": kept})
    w.call("subscriptions_discard", {"order": order(w)})
    w.call("subscriptions_start_trial", {"order": order(w)})
    w.run_out(w.now + 20 * 3_600_000)
    assert [text for _, text in rang(w)] == ["x", "z"]
    assert caught == []
    sound(w)


def test_the_file_can_be_taken_up_between_two_calls():
    w = world()
    w.call("notify_queue", {"text": "y", "at": "2026-11-18T08:00"})
    ident, twin = order(w), w.fork()
    for one in (w, twin):
        one.call("subscriptions_buy", {"order": ident})
        one.call("clock_wait", {"until": "2026-11-18T09:00"})
    assert w.world_digest() == twin.world_digest()
