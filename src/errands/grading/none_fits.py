"""How a text says that nothing of a kind fits (English)."""

from __future__ import annotations

import re

_KIND = r"(?:(?!(?:for|of|in|on|at|to|the)\b)[-\w.$,]+ ){0,6}?"  # "750 ml steel", and no "charge for the"


def none_fits(things: str, fits: str, labels: str) -> re.Pattern[str]:
    """What finds it in a text without mark-up.

    `things`, `fits` and `labels` are alternatives of a pattern: what is chosen from (`bottles?|options?`), what is said
    of one that would do (`fits?|under`), and what may stand before a colon with "none" behind it (`result|fits?`).
    """
    thing, fit = f"(?:{things})", f"(?:{fits})"
    return re.compile(
        rf"\bnone(?: \w+){{0,8}} {fit}\b"
        rf"|\bno {_KIND}{thing}\b[^.!?\n]{{0,60}}\b{fit}\b"
        rf"|\bno (?:suitable|matching|qualifying|fitting|eligible|such) {thing}\b|\bno match(?:es)?\b"
        rf"|\b(?:nothing|not (?:one|a single|any))\b[^.!?\n]{{0,60}}\b{fit}\b"
        rf"|\bthere(?:'s| (?:is|are|was|were)) (?:no|not (?:a|any)) {_KIND}{thing}\b"
        rf"|\bthere (?:is|are|was|were)n't (?:a|any) {_KIND}{thing}\b"
        rf"|\b(?:could|can|did|do)(?:n't| not) find (?:a|any|one|an)\b|\b(?:cannot|unable to) find (?:a|any|one)\b"
        r"|\b(?:found|find|finds) (?:no|none|nothing)\b"
        rf"|\b(?:all|every|each)\b[^.!?\n]{{0,50}}"
        r"\b(?:fails?|failed|ruled out|falls? short|misses|miss|unavailable)\b"
        rf"|\b{thing}\b[^.!?\n]{{0,30}}\b(?:does|do|did)(?:n't| not) exist\b"
        rf"|\b(?:{labels})(?: \w+)?: (?:none|no|nothing|0|zero)\b"
        r"|^\W*(?:none|nothing)\W*(?:$|qualif|fits?\b)",
        re.IGNORECASE | re.MULTILINE,
    )
