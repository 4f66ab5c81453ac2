"""The ground floor: canonical JSON, Merkle roots, what may cross the door, wall clocks."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json

import pytest
import time_machine
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from errands.core.canon import (
    canonical,
    digest,
    merkle_holds,
    merkle_proof,
    merkle_root,
    row_hash,
    unblob,
)
from errands.core.clock import _names, from_ms, iso, read_iso, resolve, to_ms, zone
from errands.core.errors import ToolError
from errands.core.values import MAX_DEPTH, MAX_ITEMS, MAX_TEXT, MAX_TOTAL, plain, printable

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.text()),
    lambda x: st.one_of(st.lists(x, max_size=4), st.dictionaries(st.text(), x, max_size=4)), max_leaves=10,
)  # fmt: skip

# ---- canon ------------------------------


def test_canonical_examples():
    assert (
        canonical({"b": [1, True, None], "a": 'é\u2028\n"', "A": ""})
        == '{"A":"","a":"é\u2028\\n\\"","b":[1,true,null]}'
    )
    assert canonical(b"\x00\xff") == canonical(bytearray(b"\x00\xff")) == '{"$b64":"AP8="}'
    assert digest({}) == hashlib.sha256(b"{}").hexdigest()


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, {"a": [object()]}, 2**64, "\ud800"])
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        canonical(value)


@given(JSON)
def test_canonical_is_json_and_says_the_same_again(value):
    text = canonical(value)
    assert json.loads(text) == value and canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(), JSON, min_size=2))
def test_the_order_of_keys_does_not_show(value):
    assert digest(dict(reversed(value.items()))) == digest(value)


@given(st.binary())
def test_bytes_come_back(data):
    assert unblob(json.loads(canonical(data))) == data
    assert unblob({"$b64": "AA==", "more": 1}) == {"$b64": "AA==", "more": 1}


def test_a_row_is_told_from_its_likes():
    likes = [
        ("t", (1,)),
        ("t", ("1",)),
        ("t", (None,)),
        ("u", (1,)),
        ("t", (1, None)),
        ("t", (b"1",)),
        ("t", ()),
    ]
    assert len({row_hash(*x) for x in likes}) == len(likes)


# ---- Merkle roots ------------------------------


def h(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


LEAVES = [f"{i:064x}" for i in (3, 1, 2)]
DIGESTS = st.lists(st.binary(min_size=32, max_size=32).map(bytes.hex), max_size=12)


def test_merkle_roots_by_hand():
    one, two, three = (h(b"\x00" + bytes.fromhex(x)) for x in sorted(LEAVES))
    assert merkle_root([]) == h(b"").hex()
    assert merkle_root(LEAVES[1:2]) == one.hex()
    assert merkle_root(LEAVES[1:]) == h(b"\x01" + one + two).hex()
    assert merkle_root(LEAVES) == h(b"\x01" + h(b"\x01" + one + two) + three).hex()


@given(DIGESTS, st.randoms())
def test_a_root_does_not_know_the_order(leaves, r):
    mixed = r.sample(leaves, len(leaves))
    assert merkle_root(mixed) == merkle_root(leaves)


@given(DIGESTS, st.data())
def test_a_root_knows_every_leaf(leaves, data):
    assume(leaves)
    i = data.draw(st.integers(0, len(leaves) - 1))
    without = leaves[:i] + leaves[i + 1 :]
    other = hashlib.sha256(leaves[i].encode()).hexdigest()
    roots = [merkle_root(x) for x in (leaves, without, [*without, other], [*leaves, leaves[i]])]
    assert len(set(roots)) == 4


@given(st.sets(st.binary(min_size=32, max_size=32).map(bytes.hex), min_size=1, max_size=20), st.data())
def test_a_proof_leads_from_a_leaf_to_its_root_and_from_no_other(found, data):
    leaves = list(found)
    leaf, other = data.draw(st.sampled_from(leaves)), hashlib.sha256(b"other").hexdigest()
    path = merkle_proof(leaves, leaf)
    assert merkle_holds(merkle_root(leaves), leaf, path)
    assert not merkle_holds(merkle_root(leaves), other, path)
    assert not merkle_holds(merkle_root([*leaves, other]), leaf, path)


def test_a_proof_by_hand():
    one, two, three = (h(b"\x00" + bytes.fromhex(x)) for x in sorted(LEAVES))
    assert merkle_proof(LEAVES, LEAVES[1]) == [("right", two.hex()), ("right", three.hex())]
    assert merkle_proof(LEAVES, LEAVES[0]) == [("left", h(b"\x01" + one + two).hex())]
    with pytest.raises(ValueError):
        merkle_proof(LEAVES, "0" * 64)


# ---- the door ------------------------------


@given(JSON)
def test_plain_gives_an_equal_value_in_nfc_and_once_is_enough(value):
    try:
        out = plain(value)
    except ToolError as why:
        assert why.message in ("two keys are the same text", "text holds a NUL character")
        return
    assert plain(out) == out
    assert json.loads(canonical(out)) == out


def test_plain_copies():
    inner = {"a": [1]}
    out = plain(inner)
    inner["a"].append(2)
    assert out == {"a": [1]}


@pytest.mark.parametrize(
    ("value", "fits"),
    [("x" * MAX_TEXT, True), ("x" * (MAX_TEXT + 1), False), ([0] * MAX_ITEMS, True),
    ([0] * (MAX_ITEMS + 1), False),
     (2**63 - 1, True), (2**63, False), (-(2**63), True), (-(2**63) - 1, False), (1e308, True),
     (float("nan"), False),
     (["x" * (MAX_TEXT - 5)] * 2, True), (["x" * MAX_TEXT] * 2, False), ([["x"] * 4000] * 40, True),
     ([["xxx"] * 5000] * 21, False), ({"x" * (MAX_TEXT - 5): "x" * (MAX_TEXT - 5)}, True),
     ({"x" * MAX_TEXT: "x" * MAX_TEXT}, False)],
    ids=range(16),
)  # fmt: skip
def test_the_limits_are_exact(value, fits):
    assert MAX_TOTAL == 2 * MAX_TEXT
    if fits:
        assert plain(value) == value
    else:
        with pytest.raises(ToolError) as caught:
            plain(value)
        assert caught.value.expected and len(caught.value.field) <= 220


@pytest.mark.parametrize("depth", [1, MAX_DEPTH, MAX_DEPTH + 1, 100_000])
def test_depth(depth):
    value: object = 0
    for _ in range(depth):
        value = [value]
    if depth <= MAX_DEPTH:
        assert plain(value) == value
    else:
        with pytest.raises(ToolError, match="nested"):
            plain(value)


def test_the_field_is_named_by_its_path():
    for value, field in (
        ({"a": [{"b": 1j}]}, "a[0].b"),
        ({"a": {"b": {"c": 1j}}}, "a.b.c"),
        ([0, 1j], "[1]"),
        (1j, "arguments"),
    ):
        with pytest.raises(ToolError) as caught:
            plain(value)
        assert caught.value.field == field


def test_printable_is_bounded_valid_and_says_what_matters():
    assert printable({"a": [1, None, "é", 1.5, b"\x00"]}) == "{'a': [1, None, 'é', 1.5, b'\\x00']}"
    assert printable([object(), {1}, 10**5000]) == "[<object>, <set>, <int>]"
    assert len(printable("x" * 10**6)) == len(printable([["y"] * 10**6] * 10**6)) == 2_000
    assert printable("\ud800") == "'\\ud800'"
    printable("\U0001f600" * 5_000).encode()


# ---- clocks ------------------------------

ZONES = st.sampled_from(sorted(_names()))
MS = st.integers(-5_364_662_400_000, 7_258_118_400_000)  # 1800 to 2200
LOCAL = st.datetimes(datetime.datetime(1850, 1, 1), datetime.datetime(2200, 1, 1))


@pytest.mark.parametrize(
    "name",
    ["", "Nowhere", "../etc/passwd", "/etc/localtime", "Asia", "asia/tokyo", "Asia/Tokyo/", "Asia\\Tokyo"],
)
def test_only_names_on_the_packaged_list_are_zones(name):
    with pytest.raises(ValueError, match="unknown time zone"):
        zone(name)


def test_a_misspelt_zone_gets_a_hint():
    for name, hint in (
        ("Asia/Singapor", "Asia/Singapore"),
        ("Europe/Tokyo", "Asia/Tokyo"),
        ("new york", "America/New_York"),
    ):
        with pytest.raises(ValueError, match=hint):
            zone(name)


def test_zones_are_one_object_and_do_not_ask_the_host(monkeypatch, tmp_path):
    assert zone("Asia/Seoul") is zone("Asia/Seoul")
    monkeypatch.setenv("TZ", "America/New_York")
    monkeypatch.setenv("PYTHONTZPATH", str(tmp_path))
    with time_machine.travel(0):
        assert iso(1_793_667_000_000, "Asia/Dubai") == "2026-11-03T04:50+04:00"


@pytest.mark.parametrize(
    ("ms", "name", "text"),
    [(0, "UTC", "1970-01-01T00:00+00:00"), (1_000, "UTC", "1970-01-01T00:00:01+00:00"),
     (1, "Asia/Tokyo", "1970-01-01T09:00:00.001+09:00"), (-1, "UTC", "1969-12-31T23:59:59.999+00:00"),
     (1_793_667_000_000, "Asia/Kathmandu", "2026-11-03T06:35+05:45")],
)  # fmt: skip
def test_iso_writes_what_is_not_zero(ms, name, text):
    assert iso(ms, name) == text and read_iso(text, "America/Lima") == ms


@settings(max_examples=300)
@given(MS, ZONES, ZONES)
def test_reading_undoes_writing(ms, name, other):
    assert read_iso(iso(ms, name), other) == ms
    assert to_ms(from_ms(ms, name)) == ms


@pytest.mark.parametrize("text", [
    "", "tomorrow", "2026-11-05", "16:30", "2026-11-05T16", "2026-02-30T10:00", "2026-11-05T24:00",
    "2026-11-05T16:60",
    "2026-11-05T16:30+25:00", "2026-11-05T16:30+08", "2026-W45-4T16:30", "20261105T1630", "२०२६-11-05T16:30",
    "2026-11-05T16:30 Asia/Tokyo", "0001-01-01T00:00+14:00", "9999-12-31T23:59-01:00",
    "2026-11-05T16:30:00,5", "0000-01-01T00:00",
])  # fmt: skip
def test_what_is_no_date_time_is_refused(text):
    with pytest.raises(ValueError, match=r"date and time|does not exist|outside"):
        read_iso(text, "Asia/Tokyo")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(ValueError):
        assert isinstance(read_iso(text, "Asia/Bangkok"), int)


def test_forms_that_people_write():
    want = read_iso("2026-11-05T16:30+09:00", "UTC")
    for text in (
        "2026-11-05T16:30",
        "2026-11-05 16:30",
        " 2026-11-05t16:30:00 ",
        "2026-11-05T07:30Z",
        "2026-11-05T16:30:00.000",
    ):
        assert read_iso(text, "Asia/Tokyo") == want


GAPS = {  # wall time that does not exist -> what it becomes
    ("America/New_York", "2026-03-08T02:30"): "2026-03-08T03:30-04:00",
    ("Europe/London", "2026-03-29T01:00"): "2026-03-29T02:00+01:00",
    ("Australia/Adelaide", "2026-10-04T02:30"): "2026-10-04T03:30+10:30",
    ("Australia/Lord_Howe", "2026-10-04T02:15"): "2026-10-04T02:45+11:00",
    ("Pacific/Apia", "2011-12-30T12:00"): "2011-12-31T12:00+14:00",
}
FOLDS = {  # wall time that comes twice -> the first
    ("America/New_York", "2026-11-01T01:30"): "2026-11-01T01:30-04:00",
    ("Europe/London", "2026-10-25T01:59"): "2026-10-25T01:59+01:00",
    ("Australia/Adelaide", "2026-04-05T02:00"): "2026-04-05T02:00+10:30",
    ("Australia/Lord_Howe", "2026-04-05T01:45"): "2026-04-05T01:45+11:00",
}


@pytest.mark.parametrize(("place", "text"), [*GAPS, *FOLDS])
def test_gaps_move_forward_and_folds_take_the_first(place, text):
    want = {**GAPS, **FOLDS}[place, text]
    for fold in (0, 1):
        assert (
            resolve(datetime.datetime.fromisoformat(text).replace(fold=fold), place).isoformat(
                timespec="minutes"
            )
            == want
        )
    assert iso(read_iso(text, place), place) == want


@settings(max_examples=300)
@given(LOCAL, ZONES)
def test_resolve_keeps_what_exists_and_is_the_earliest(local, name):
    got = resolve(local, name)
    wall = got.replace(tzinfo=None, fold=0)
    both = [local.replace(tzinfo=zone(name), fold=f).astimezone(datetime.UTC) for f in (0, 1)]
    exists = [x for x in both if x.astimezone(zone(name)).replace(tzinfo=None, fold=0) == local]
    if exists:
        assert wall == local and got == min(exists)
    else:
        assert datetime.timedelta() < wall - local <= datetime.timedelta(days=1)
        assert wall - local == abs(both[0] - both[1])


def test_what_cannot_be_guessed_is_refused():
    aware, naive = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), datetime.datetime(2026, 1, 1)
    with pytest.raises(ValueError, match="already has a zone"):
        resolve(aware, "Asia/Tokyo")
    with pytest.raises(ValueError, match="has no zone"):
        to_ms(naive)
    for ms in (10**18, -(10**18), 2**63):
        with pytest.raises(ValueError, match="outside the years"):
            iso(ms, "Asia/Tokyo")
    for local in (datetime.datetime.max, datetime.datetime.min):
        with pytest.raises(ValueError, match="outside the years"):
            resolve(local, "Asia/Tokyo" if local.year == 1 else "Pacific/Honolulu")
    assert to_ms(datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=datetime.UTC)) == -1
