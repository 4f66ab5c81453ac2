"""What all tests of command-line agents share: an environment without endpoints, and one of a scripted model."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.clients.model_server import ModelServer
from tests.clients.scripts import scripts_for

from .programs import BOOKING, REAL


@pytest.fixture
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this machine has for its own agents is none of these."""
    for name in list(os.environ):
        if name.startswith(("ERRANDS_", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)


@pytest.fixture
def served(no_endpoint: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model server that plays the scripts of the double booking, and is the exam's endpoint."""
    with ModelServer(scripts_for(BOOKING, "kr").values()) as server:
        monkeypatch.setenv("ERRANDS_MODEL_BASE_URL", server.base_url)
        monkeypatch.setenv("ERRANDS_MODEL_API_KEY", REAL)
        yield server
