"""The gate: has an agent broken what it could do before? Judged task by task, never on a mean (docs/gate.md)."""
