"""Scope: of the agent's net changes, over all apps, only those on the task's allow-list."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from errands.core.types import Finding
from errands.world import app

from .evidence import Change, Evidence
from .findings import missed, satisfied

Allow = Mapping[str, Callable[[Change], bool] | bool]


def within(e: Evidence, allow: Allow) -> Finding:
    """Every net change is of a table on the list and passes its test; the first that does not decides.

    `allow` maps a table to True or to a predicate of the change. Tables that their app declares incidental are
    passed over, unless the task names them.
    """
    seen, incidental = 0, {t for name in json.loads(e.meta["apps"]) for t in app(name).incidental}
    for table in e.changed_tables():
        if table in incidental and table not in allow:
            continue
        rule = allow.get(table, False)
        for change in e.net(table).values():
            seen += 1
            if not (rule if isinstance(rule, bool) else rule(change)):
                return missed(f"{_what(change)} {table} {change.key} was not asked for", change)
    return satisfied(f"{seen} changed records, all within what was asked" if seen else "nothing was changed")


def _what(c: Change) -> str:
    if c.before is None:
        return "new"
    if c.after is None:
        return "removed"
    return f"changed ({', '.join(sorted(c.fields))})"
