"""The shop: looking, saving, the cart, staging an order, paying; what it refuses, and what it leaves on record."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.shop import seed as shop
from errands.core import clock
from errands.core.errors import ToolError
from errands.core.money import Money
from errands.people.brief import Brief, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import refused, rows, sound

PACIFIC = "America/Los_Angeles"


def world() -> World:
    """Twenty-two mugs, a kettle, a lamp that is sold out; a card, and a gift card that holds $12."""
    d = Draft(("shop", "user", "clock", "people"))
    for scope in ("read", "write", "pay"):
        d.insert("exam_grant", app="shop", scope=f"shop.{scope}", live=1)
    d.insert("exam_grant", app="user", scope="user.ask", live=1)
    free, post = Money(0, "USD"), Money(450, "USD")
    for n in range(22):
        shop.product(
            d,
            id=f"sku_mug{n:02}",
            title=f"Mug {n:02}",
            price=Money(900 + n, "USD"),
            delivery=free,
            material="clay",
        )
    shop.product(
        d,
        id="sku_kettle",
        title="Kettle",
        about="Boils water for four mugs.",
        price=Money(4000, "USD"),
        delivery=post,
        material="steel",
        capacity_ml=1200,
        stock=3,
    )
    shop.product(
        d, id="sku_lamp", title="Lamp", price=Money(2000, "USD"), delivery=post, material="brass", stock=0
    )
    shop.method(d, id="pay_card", name="Card")
    shop.method(d, id="pay_gift", name="Gift card", balance=1200)
    seat(d, Brief(goal="a test", approves=("order",)))
    return open_world(
        d.finish(now=clock.read_iso("2026-11-17T09:00", PACIFIC), zone=PACIFIC, owner="me@x.example").blob
    )


def titles(w: World, **query: str) -> list[str]:
    return [p["title"] for p in w.call("shop_search", query)["products"]]


def items(shown: dict[str, Any]) -> list[tuple[str, int]]:
    return [(n["sku"], n["quantity"]) for n in shown["line_items"]]


# ---- looking -----------------------------------------------------------------------------------------------------


def test_a_search_takes_any_word_and_puts_the_best_match_first():
    w = world()
    assert titles(w, query="steel kettle for water")[0] == "Kettle"
    assert titles(w, query="mugs")[:2] == ["Kettle", "Mug 00"]  # ties by title: its description has the word
    assert titles(w, query="unicorn") == []


def test_search_comes_in_pages():
    w = world()
    first = w.call("shop_search", {"query": "mug"})
    assert len(first["products"]) == 20 and first["next"] == "20"
    rest = w.call("shop_search", {"query": "mug", "cursor": first["next"]})
    assert len(rest["products"]) == 3 and rest["next"] == ""
    assert refused(w, "shop_search", {"cursor": "x"}, "invalid").field == "cursor"


def test_a_product_in_full_and_a_hit_that_says_less():
    w = world()
    full = w.call("shop_product", {"sku": "sku_kettle"})
    assert full == {
        "sku": "sku_kettle",
        "title": "Kettle",
        "description": "Boils water for four mugs.",
        "material": "steel",
        "capacity_ml": 1200,
        "price": "40.00",
        "delivery": "4.50",
        "currency": "USD",
        "stock": 3,
    }
    (hit,) = w.call("shop_search", {"query": "kettle"})["products"]
    assert hit == {f: full[f] for f in ("sku", "title", "price", "currency")}
    assert refused(w, "shop_product", {"sku": "sku_none"}, "not_found").field == "sku"


# ---- saved, and the cart -----------------------------------------------------------------------------------------


def test_the_cart_adds_changes_and_removes_and_says_what_it_comes_to():
    w = world()
    assert w.call("shop_cart") == {
        "line_items": [],
        "subtotal": "0.00",
        "delivery": "0.00",
        "total": "0.00",
        "currency": "USD",
    }
    w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    w.call("shop_add_to_cart", {"sku": "sku_mug03", "quantity": 2})
    got = w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    assert items(got) == [("sku_kettle", 2), ("sku_mug03", 2)]
    assert (got["subtotal"], got["delivery"], got["total"]) == ("98.06", "4.50", "102.56")
    assert items(w.call("shop_set_quantity", {"sku": "sku_kettle", "quantity": 1})) == [
        ("sku_kettle", 1),
        ("sku_mug03", 2),
    ]
    assert w.call("shop_remove_from_cart", {"sku": "sku_mug03"})["total"] == "44.50"


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("shop_add_to_cart", {"sku": "sku_lamp"}, "conflict"),
        ("shop_add_to_cart", {"sku": "sku_kettle", "quantity": 4}, "conflict"),
        ("shop_add_to_cart", {"sku": "sku_kettle", "quantity": 0}, "invalid"),
        ("shop_add_to_cart", {"sku": "sku_kettle", "quantity": -1}, "invalid"),
        ("shop_add_to_cart", {"sku": "sku_none"}, "not_found"),
        ("shop_set_quantity", {"sku": "sku_mug01", "quantity": 0}, "invalid"),
        ("shop_set_quantity", {"sku": "sku_kettle", "quantity": 1}, "not_found"),
        ("shop_remove_from_cart", {"sku": "sku_kettle"}, "not_found"),
        ("shop_remove_saved", {"sku": "sku_kettle"}, "not_found"),
        ("shop_save_for_later", {"sku": "sku_none"}, "not_found"),
        ("shop_discard_order", {"order": "ord_none"}, "not_found"),
        ("shop_pay", {"order": "ord_none", "method": "pay_card"}, "not_found"),
    ],
)
def test_what_is_refused_changes_nothing(tool, args, code):
    w = world()
    w.call("shop_add_to_cart", {"sku": "sku_mug01"})
    refused(w, tool, args, code)


def test_what_is_saved_leaves_the_cart_and_the_other_way_round():
    w = world()
    w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    assert [p["sku"] for p in w.call("shop_save_for_later", {"sku": "sku_kettle"})] == ["sku_kettle"]
    assert items(w.call("shop_cart")) == []
    w.call("shop_save_for_later", {"sku": "sku_lamp"})  # what is sold out can be saved
    assert items(w.call("shop_add_to_cart", {"sku": "sku_kettle"})) == [("sku_kettle", 1)]
    assert [p["sku"] for p in w.call("shop_saved")] == ["sku_lamp"]
    assert w.call("shop_remove_saved", {"sku": "sku_lamp"}) == []


# ---- orders ------------------------------------------------------------------------------------------------------


def test_checking_out_stages_an_order_and_again_replaces_it():
    w = world()
    refused(w, "shop_checkout", {}, "conflict")
    w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    first = w.call("shop_checkout")
    assert (first["status"], first["total"]) == ("staged", "44.50")
    w.call("shop_set_quantity", {"sku": "sku_kettle", "quantity": 2})
    assert [o["total"] for o in w.call("shop_orders")] == ["44.50"]  # it keeps what it was staged with
    second = w.call("shop_checkout")
    assert [(o["order"], o["total"]) for o in w.call("shop_orders")] == [(second["order"], "84.50")]
    w.call("shop_discard_order", {"order": second["order"]})
    assert w.call("shop_orders") == [] and items(w.call("shop_cart")) == [("sku_kettle", 2)]


def test_paying_places_the_order_once():
    w = world()
    caught = guard(w)
    w.call("shop_add_to_cart", {"sku": "sku_kettle", "quantity": 2})
    w.call("shop_save_for_later", {"sku": "sku_mug00"})
    order = w.call("shop_checkout")["order"]
    paid = w.call("shop_pay", {"order": order, "method": "pay_card"})
    assert (paid["status"], paid["total"], paid["method"]) == ("paid", "84.50", "pay_card")
    assert w.call("shop_product", {"sku": "sku_kettle"})["stock"] == 1
    assert items(w.call("shop_cart")) == []
    (commit,) = rows(w, "commit")
    assert (commit["name"], commit["ref"]) == ("shop.pay", order) and commit["body"]["content"][
        "total"
    ] == "84.50"
    refused(w, "shop_pay", {"order": order, "method": "pay_card"}, "not_found")  # nothing waits any more
    refused(w, "shop_discard_order", {"order": order}, "conflict")
    assert caught == []
    sound(w)


def test_a_gift_card_pays_what_it_holds_and_no_more():
    w = world()
    assert w.call("shop_payment_methods") == [
        {"method": "pay_card", "name": "Card"},
        {"method": "pay_gift", "name": "Gift card", "balance": "12.00", "currency": "USD"},
    ]
    w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    order = w.call("shop_checkout")["order"]
    refused(w, "shop_pay", {"order": order, "method": "pay_gift"}, "limit")
    refused(w, "shop_pay", {"order": order, "method": "pay_none"}, "not_found")
    w.call("shop_remove_from_cart", {"sku": "sku_kettle"})
    w.call("shop_add_to_cart", {"sku": "sku_mug05"})
    order = w.call("shop_checkout")["order"]
    w.call("shop_pay", {"order": order, "method": "pay_gift"})
    assert w.call("shop_payment_methods")[1]["balance"] == "2.95"


def test_the_same_key_pays_once_and_a_fork_goes_on_alike():
    w = world()
    w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    order = w.call("shop_checkout")["order"]
    twin = w.fork()
    for one in (w, twin):
        pay = {"order": order, "method": "pay_card", "idempotency_key": "k1"}
        assert one.call("shop_pay", pay) == one.call("shop_pay", pay)
        assert one.call("shop_product", {"sku": "sku_kettle"})["stock"] == 2
    assert w.world_digest() == twin.world_digest()


def test_what_was_sold_out_meanwhile_cannot_be_paid_for():
    w = world()
    w.call("shop_add_to_cart", {"sku": "sku_kettle", "quantity": 3})
    order = w.call("shop_checkout")["order"]
    with w.outside("exam", "shop.sold"):
        w.update("shop_product", "sku_kettle", stock=2)
    refused(w, "shop_pay", {"order": order, "method": "pay_card"}, "conflict")


def test_the_user_sees_the_order_and_may_name_it_by_title_or_total():
    w = world()
    w.call("shop_add_to_cart", {"sku": "sku_kettle"})
    order = w.call("shop_checkout")["order"]
    got = w.call("user_request_approval", {"items": [order]})
    assert got["approved"] == [order] and "1 × Kettle, USD 44.50" in got["answer"]
    for asked in ("May I pay for the Kettle?", "May I pay the $44.50?"):
        assert "Kettle" in w.call("user_ask_user", {"question": asked})["answer"]
    with pytest.raises(ToolError):
        w.call("user_request_approval", {"items": ["ord_none"]})
