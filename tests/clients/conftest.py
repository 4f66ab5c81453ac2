"""A scripted model server for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from errands.core.types import Seat
from errands.tasks import Key
from errands.tasks.registry import task as find_task
from errands.tasks.task import Instance

from .model_server import ModelServer
from .scripts import SPINE, script_of, spine


@pytest.fixture(scope="session")
def instance() -> Instance:
    return find_task(SPINE["double-booking"]).instance("kr", 0)


def _brief(s: Seat, k: Key) -> None:
    """One note, with a yes: a few calls in which each needs an id of the one before."""
    draft = s.call("mail_draft", to=k.people[:1], subject=k.title, body="It moves.")["draft"]
    for ident in s.call("user_request_approval", items=[draft])["approved"]:
        s.call("mail_send", draft=ident)
    s.reply("One note has gone out.")


@pytest.fixture(scope="session")
def running(instance: Instance) -> Iterator[ModelServer]:
    extra = [
        script_of(instance, "wrong:changed_after_yes", "double-booking-kr-changed"),
        script_of(instance, "oracle:asked_in_chat", "double-booking-kr-chat"),
        script_of(instance, "oracle", "double-booking-kr-parallel", parallel=True),
        script_of(instance, _brief, "double-booking-kr-brief"),
        script_of(instance, "oracle", "double-booking-kr-ends", parallel=True),
    ]
    extra[-1] = replace(extra[-1], end_turn=True)
    with ModelServer([*spine(), *extra]) as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.reset()
    return running
