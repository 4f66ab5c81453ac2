"""How a digest says that there is no note."""

from __future__ import annotations

import re

from errands.languages.text import fold

_NOTHING_NEW = re.compile(
    r"\b(?:nothing|no|none|not? any|without an?y?|zero)\b[^.!?\n]{0,40}\b(?:new|notes?|updates?|today|publish\w*"
    r"|post\w*|appear\w*|this morning)\b"
    r"|\b(?:new|notes?|published|posted|appeared)\b[^.!?\n]{0,20}: (?:none|nothing|no)\b"
    r"|\b(?:has|have|did|was|were)(?:n't| not)\b[^.!?\n]{0,30}\b(?:publish\w*|post\w*|appear\w*|notes?|new)\b"
)


def nothing_new(text: str) -> bool:
    """Whether a text says that nothing new has appeared."""
    return _NOTHING_NEW.search(fold(text)) is not None
