"""What is committed: in which order, what a change of it shows, and what a proof gives away."""

from __future__ import annotations

import pytest

from errands.core.canon import digest, merkle_root
from errands.core.errors import UsageError
from errands.draw.batch import draw, withdraw
from errands.draw.check import uncommitted, unsound
from errands.draw.commitment import (
    Proof,
    Revealed,
    add,
    checked_salt,
    empty,
    library_root,
    list_leaf,
    list_root,
    out_of_order,
    prove,
    proven,
)
from errands.draw.rules import rules

from . import shape

SALT = bytes(range(32))


def committed(dates=("2026-10-01", "2026-10-02", "2026-10-02", "2026-10-04")):
    f, b = shape.frame(), shape.batch()
    c = add(empty(), "library", dates[0], library_root(f, SALT), len(f.entries))
    c = add(c, "rules", dates[1], b.rules.digest)
    c = add(c, "seed-source", dates[2], b.seed.source)
    return add(c, "list", dates[3], list_root(b, SALT), len(b.picks))


def test_what_agrees_has_nothing_against_it():
    c = committed()
    assert uncommitted(c, shape.batch(), shape.frame(), SALT) == []
    assert [s.what for s in c.steps] == ["library", "rules", "seed-source", "list"]


def test_a_withdrawal_leaves_the_commitment_as_it_is():
    more = withdraw(shape.batch(), shape.batch().picks[0].id, "broken", "2026-10-09")
    assert uncommitted(committed(), more, shape.frame(), SALT) == []


@pytest.mark.parametrize("what", ["rules", "seed-source", "list"])
def test_no_step_comes_before_its_turn(what):
    with pytest.raises(UsageError, match=r"cannot be committed now.*library"):
        add(empty(), what, "2026-10-01", "x")


def test_no_step_is_made_twice_and_none_after_the_last():
    c = committed()
    with pytest.raises(UsageError, match="cannot be committed now"):
        add(c, "list", "2026-10-05", "x")


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        (("2026-10-05", "2026-10-04", "2026-10-04", "2026-10-06"), "before library"),
        (("2026-10-01", "2026-10-02", "2026-10-02", "2026-10-01"), "before seed-source"),
        (("2026-13-01",) * 4, "no date"),
        (("1 October",) * 4, "no date"),
    ],
)
def test_dates_follow_one_another(dates, words):
    with pytest.raises(UsageError, match=words):
        committed(dates)


@pytest.mark.parametrize("n", range(4))
@pytest.mark.parametrize("how", ["value", "date", "gone"])
def test_a_step_changed_or_taken_out_later_breaks_the_chain(n, how):
    c = committed()
    steps = list(c.steps)
    if how == "gone":
        del steps[n]
    else:
        other = {"value": "0" * 64, "date": "2026-10-03"}
        steps[n] = steps[n].model_copy(update={how: other[how]})
    changed = c.model_copy(update={"steps": tuple(steps)})
    assert out_of_order(changed) or (n == 3 and changed.head != c.head), (
        "the last has its head, which was published"
    )


def test_each_part_is_told_apart():
    c, b, f = committed(), shape.batch(), shape.frame()
    less = f.model_copy(update={"entries": f.entries[1:]})
    found = {
        "library": uncommitted(c, b, less, SALT),
        "rules": uncommitted(c, b.model_copy(update={"rules": rules(3)}), f, SALT),
        "seed-source": uncommitted(
            c, b.model_copy(update={"seed": b.seed.model_copy(update={"source": "another"})}), f, SALT
        ),
        "list": uncommitted(c, b.model_copy(update={"picks": b.picks[:-1]}), f, SALT),
    }
    for what, wrong in found.items():
        assert [w.partition(":")[0] for w in wrong] == [what]


def test_another_salt_opens_nothing():
    wrong = uncommitted(committed(), shape.batch(), shape.frame(), bytes(32))
    assert [w.partition(":")[0] for w in wrong] == ["library", "list"]


def test_an_unsalted_guess_finds_no_name():
    b = shape.batch()
    root = list_root(b, SALT)
    assert merkle_root([digest(["", p.id]) for p in b.picks]) != root
    assert len({list_leaf(s, p.id) for p in b.picks for s in (SALT, bytes(32))}) == 2 * len(b.picks)


def test_every_task_of_the_list_is_proven_and_no_other():
    c, b = committed(), shape.batch()
    ids = [p.id for p in b.picks]
    for i in ids:
        assert proven(prove(b, SALT, i), c)
    out = next(e.id for e in shape.frame().entries if e.id not in ids)
    with pytest.raises(UsageError, match="not in the list"):
        prove(b, SALT, out)
    good = prove(b, SALT, ids[0])
    for change in ({"id": out}, {"nonce": "0" * 64}, {"path": good.path[1:]}):
        assert not proven(good.model_copy(update=change), c)


def test_a_proof_names_no_other_task_and_holds_no_salt():
    b = shape.batch()
    text = prove(b, SALT, b.picks[0].id).text.decode()
    assert SALT.hex() not in text and sum(p.id in text for p in b.picks) == 1
    assert Proof.model_validate_json(text).text.decode() == text


def test_what_is_revealed_is_checked_whole():
    b, f = shape.batch(), shape.frame()
    r = Revealed(kind="errands-revealed", format=1, commitment=committed(), salt=SALT.hex(), frame=f, batch=b)
    assert unsound(Revealed.model_validate_json(r.text)) == []
    other = draw(f, b.rules, b.seed.model_copy(update={"value": "20261005"}))
    wrong = unsound(r.model_copy(update={"batch": other}))
    assert wrong == ["list: it is not the one that was committed, or the salt is another"], (
        "a list drawn with another seed is sound in itself: only the commitment shows it"
    )


@pytest.mark.parametrize("text", ["", "abc", "z" * 64, "A" * 64])
def test_what_is_no_salt_is_refused(text):
    with pytest.raises(UsageError, match="no salt"):
        checked_salt(text, "salt")
