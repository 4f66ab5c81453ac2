"""How people write that a cell holds nothing: the word for none, a dash, or an empty cell."""

from __future__ import annotations

from errands.grading.compare.folding import fold

NONE = "none"
_WORDS = {
    *("none", "(none)", "null", "nil", "nothing", "n/a", "na", "not applicable", "-", "--", "---", "/"),
    *("없음", "해당 없음", "なし", "無し", "該当なし", "無", "沒有", "ไม่มี", "لا يوجد", "لا شيء"),
}


def is_nothing(value: object) -> bool:
    """Whether a cell says that there is nothing (None, as JSON has it, counts)."""
    if not isinstance(value, str):
        return value is None
    text = fold(value).strip().casefold()
    return not text or text in _WORDS
