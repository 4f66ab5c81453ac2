"""What an agent reads of the tools: each says what it does and what each argument is."""

from __future__ import annotations

import pytest

from errands.world.app import app

APPS = ("mail", "calendar", "contacts", "files", "user", "clock", "feeds", "memory", "routines", "drawing")
SPECS = [t.spec for name in APPS for t in app(name).tools.values()]


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: s.name)
def test_a_tool_and_each_of_its_arguments_are_described(spec):
    """Some clients refuse a tool with an argument that is not."""
    assert spec.description.strip()
    for name, schema in spec.parameters.get("properties", {}).items():
        assert schema.get("description", "").strip(), name
    assert len(spec.name) <= 64 and spec.name.replace("_", "").isalnum(), "names that every model API takes"
