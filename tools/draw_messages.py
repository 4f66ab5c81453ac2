"""Draws messages of a market's world at random, for a reader: python tools/draw_messages.py kr --seed 1 [--count 20]

From the base life and from all errands in all variants, each message once, with who writes to whom and how they
are related. `--task ID` (repeatable): only what these errands add to the life.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import apsw

from errands.markets import load_market
from errands.tasks.life import threads
from errands.tasks.registry import tasks


def messages(code: str, only: list[str]) -> list[dict[str, Any]]:
    """Every different message of the market's worlds, in order of its text."""
    found: dict[str, dict[str, Any]] = {}
    known = {m.body for t in threads(code) for m in t.message} if only else set()
    for task in tasks():
        if code not in task.contract.front.markets or (only and task.id not in only):
            continue
        for variant in range(task.contract.front.variants):
            db = apsw.Connection(":memory:")
            db.deserialize("main", task.instance(code, variant).fixture.blob)
            sql = (
                "SELECT m.sender, group_concat(r.email, ', '), m.subject, m.body FROM mail_message m"
                " LEFT JOIN mail_recipient r ON r.message = m.id GROUP BY m.id"
            )
            for sender, to, subject, body in db.execute(sql):
                if body in known or body.strip() in known:
                    continue
                found[body] = {"from": sender, "to": to or "", "subject": subject, "body": body}
    return [found[b] for b in sorted(found)]


def main() -> None:
    """Print them."""
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    args.add_argument("code")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--count", type=int, default=20)
    args.add_argument("--task", action="append", default=[])
    given = args.parse_args()
    people = {p.email: p for p in load_market(given.code).people.values()}

    def who(email: str) -> str:
        p = people.get(email)
        return f"{p.name} ({p.title or '-'}, {p.org or '-'}; {p.relation})" if p else email

    for n, m in enumerate(random.Random(given.seed).sample(messages(given.code, given.task), given.count), 1):
        print(f"==== {n}\nFrom: {who(m['from'])}\nTo: {'; '.join(who(e) for e in m['to'].split(', '))}")
        print(f"Subject: {m['subject']}\n\n{m['body']}\n")


if __name__ == "__main__":
    main()
