"""How builders fill group chats: threads, members with what they have in mind, what was said before."""

from __future__ import annotations

from collections.abc import Sequence

from errands.core.canon import canonical
from errands.world.fixture import Draft


def thread(d: Draft, *, id: str, name: str, about: str = "") -> str:
    """A group chat; returns its id."""
    d.insert("groups_thread", id=id, name=name, about=about)
    return id


def member(
    d: Draft,
    *,
    id: str,
    thread: str,
    name: str,
    zone: str,
    free: Sequence[int] = (),
    retracts: int | None = None,
    words: str = "",
) -> str:
    """A member; returns the id. `free`: starts (UTC ms) at which they could meet; `retracts`: the one of these that
    they take back in these `words`, soon after it was first proposed or when the event `groups.retract` comes."""
    d.insert("groups_member", id=id, thread=thread, name=name, zone=zone)
    d.insert("groups_mind", member=id, free=canonical(sorted(free)), retracts=retracts, words=words, state="")
    return id


def message(d: Draft, *, id: str, thread: str, member: str, text: str, at: int) -> str:
    """Something said before the start, at `at` (UTC ms); returns its id."""
    d.insert("groups_message", id=id, thread=thread, member=member, body=text, at=at)
    return id
