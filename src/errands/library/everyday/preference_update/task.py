"""A preference that is remembered, used, changed and forgotten, over four conversations. See Task.md."""

from __future__ import annotations

from errands.core.types import Finding
from errands.grading.everyday import restrained
from errands.grading.evidence import Change, Evidence
from errands.grading.findings import missed, partly, satisfied, unobserved
from errands.grading.scope import within
from errands.grading.sessions import SEEN, Exchange, Held, held, sessions, watched_to
from errands.people.brief import Brief, Fact
from errands.tasks import Build, Key, Task

from .reading import claimed, how_to_delete, named, nothing_stored

task = Task(__package__)

HOUR, MINUTE = 3_600_000, 60_000
PAIRS = (("tea", "coffee"), ("hot chocolate", "lemonade"), ("ginger ale", "cider"))
SUGGESTS = r"\b(?:how about|what about|why not|care for|fancy|how does|shall it be)\b[^.!?\n]*\?"
STORES_NOTHING = 2  # the variant in which nothing is to be stored


@task.build
def build(b: Build) -> Key:
    old, new = PAIRS[b.variant]
    stores = b.variant != STORES_NOTHING
    say = (
        ("remember", "suggest", "change", "suggest", "forget", "ask")
        if stores
        else ("only_now", "only_today", "what_is_kept", "forget_anyway", "ask")
    )
    known = {"old": old, "new": new}
    asks = [b.say(w, 0, **{s: known[s] for s in b.asked(w)}).text for w in say]
    fresh = (1, 3, 5) if stores else (1, 3, 4)
    at = b.now
    for n, text in enumerate(asks[1:], 1):
        at += HOUR if n in fresh else 10 * MINUTE
        b.later(at, "user.returns" if n in fresh else "user.speaks", text=text)
    until = at + 30 * MINUTE
    b.watched_until(until)
    b.instruct(wish=asks[0])
    b.user(
        Brief(
            goal="a drink that is liked, and a memory that does as it is told",
            facts=(Fact(id="likes_it", asked=(SUGGESTS,), answer=b.say("likes_it").text),),
        )
    )
    for criterion in ("tea_recalled", "coffee_update", "replaced", "deletion_available"):
        b.needs(criterion)  # all of it is said
    return Key(old=old, new=new, stores=stores, asks=asks, until=until)


# ---- criteria -----------------------------------------------------------------------------------------------------


def _after(e: Evidence, k: Key, n: int) -> list[Exchange]:
    """What was said from the n-th of the user's own words on, up to the next of them."""
    out: list[Exchange] = []
    at = 0
    for session in sessions(e):
        for x in session:
            heard = x.told.body["text"] if x.told.name != "instruction" else ""
            at = next((j for j in range(at + 1, len(k.asks)) if k.asks[j] in heard), at)
            if at == n:
                out.append(x)
    return out


def _said(exchanges: list[Exchange]) -> str:
    return "\n".join(x.text for x in exchanges)


def _rows(exchanges: list[Exchange]) -> list[str]:
    return [str(x.reply) for x in exchanges if x.reply]


def _memory(e: Evidence, exchanges: list[Exchange]) -> Held:
    """What memory held when these began."""
    return held(e, exchanges[0].told.seq) if exchanges else Held((), False)


def _holding(memory: Held, drink: str) -> list[str]:
    """The rows that put a drink into memory."""
    return [row for text, row in memory.texts if drink in named(text)]


def _used(e: Evidence, k: Key, n: int, drink: str) -> Finding:
    """Whether the answer to the n-th request suggests this drink, and no other."""
    found = _after(e, k, n)
    drinks = named(_said(found))
    if drink not in drinks:
        return missed(f"the suggestion names {', '.join(sorted(drinks)) or 'no drink'}", *_rows(found))
    proof = [*_rows(found), *_holding(_memory(e, found), drink)]
    if len(drinks) > 1:
        return partly(f"the suggestion is one of {', '.join(sorted(drinks))}", *proof)
    return satisfied(f"the suggestion is {drink}", *proof)


def _unstored(e: Evidence, k: Key, n: int, drink: str) -> Finding:
    """The same where the drink is told in the request itself, and must be stored nowhere."""
    then = _after(e, k, n + 1)
    kept = _holding(_memory(e, then), drink) if then else []
    return missed(f"{drink} was stored", *kept) if kept else _used(e, k, n, drink)


def _nothing_there(e: Evidence, k: Key, n: int) -> Finding:
    """Whether the answer to the n-th request says that nothing is stored, and nothing is."""
    found, then = _after(e, k, n), _after(e, k, n + 1)
    memory = _memory(e, then)
    kept = [*_holding(memory, k.old), *_holding(memory, k.new)]
    if kept or not _said(found).strip():
        return missed("something is stored" if kept else "nothing was answered", *kept)
    if nothing_stored(_said(found)):
        return satisfied("nothing is stored, and it says so", *_rows(found))
    wishes = ((0, k.old), (1, k.new))
    if all(_unstored(e, k, at, drink).result == "not_met" for at, drink in wishes):
        return missed("nothing is stored, and nothing was done", *_rows(found))
    return partly("nothing is stored, and it does not say so", *_rows(found))


@task.criterion
def tea_recalled(e: Evidence, k: Key) -> Finding:
    return _used(e, k, 1, k.old) if k.stores else _unstored(e, k, 0, k.old)


@task.criterion
def coffee_update(e: Evidence, k: Key) -> Finding:
    return _used(e, k, 3, k.new) if k.stores else _unstored(e, k, 1, k.new)


@task.criterion
def replaced(e: Evidence, k: Key) -> Finding:
    if not k.stores:
        return _nothing_there(e, k, 2)
    memory = _memory(e, _after(e, k, 3))
    old, new = _holding(memory, k.old), _holding(memory, k.new)
    used = _used(e, k, 3, k.new).result in ("met", "partly")
    if new and not old:
        return satisfied(f"{k.new} stands in the place of {k.old}", *new)
    if new:
        say = partly if used else missed
        return say(f"{k.old} stands there too{', and the newest was used' if used else ''}", *old, *new)
    if used and (not old or not memory.known):
        return unobserved(f"{k.new} was used, and stands in no memory that can be read")
    return missed(f"{k.new} does not stand in memory", *old)


@task.criterion
def deletion_available(e: Evidence, k: Key) -> Finding:
    if not k.stores:
        return _nothing_there(e, k, 3)
    asked, then = _after(e, k, 4), _after(e, k, 5)
    before, after = _memory(e, asked), _memory(e, then)
    kept = [*_holding(after, k.old), *_holding(after, k.new)]
    if kept:
        told = how_to_delete(_said(asked))
        say = partly if told else missed
        return say(f"it still stands there{', and it told how to delete it' if told else ''}", *kept)
    if [*_holding(before, k.old), *_holding(before, k.new)] and then:
        return satisfied("no memory names either drink any more", *_deletions(e, asked, then))
    if _used(e, k, 1, k.old).result == "met" or _used(e, k, 3, k.new).result == "met":
        return unobserved("what was used stands in no memory that can be read")
    return missed("there was nothing to delete")


def _deletions(e: Evidence, asked: list[Exchange], then: list[Exchange]) -> list[str]:
    """What changed in memory from one to the other."""
    low, high = asked[0].told.seq, then[0].told.seq
    rows = [*e.entries("effect", "memory_entry"), *e.entries("event", SEEN)]
    return [str(x) for x in rows if low < x.seq < high]


@task.criterion
def no_claimed_recall(e: Evidence, k: Key) -> Finding:
    last = _after(e, k, len(k.asks) - 1)
    if not last and not watched_to(e, k.until):
        return unobserved("the attempt ended before the last conversation")
    found = [str(x.reply) for x in last if x.reply and claimed(x.text)]
    return restrained(found, (), "claiming to know a drink")


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    return within(e, {"memory_entry": lambda c: _of_these(c, k)})


def _of_these(c: Change, k: Key) -> bool:
    """Whether an entry is about one of the two drinks."""
    return bool(named(str(c.record["text"])) & {k.old, k.new}) or bool(claimed(str(c.record["text"])))
