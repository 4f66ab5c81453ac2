"""How final replies are judged, right ones and wrong ones: `python -m tests.grading.measure`."""

from __future__ import annotations

from .replying import VARIANTS, desk, replies


def misjudged_right(kind: str = "right") -> list[tuple[int, str, str, str]]:
    """(row, criterion, its reason, words) of right replies that fail."""
    out = []
    for n, row in enumerate(replies(kind), 1):
        for variant in VARIANTS[row["case"]]:
            found = desk(variant, row["case"]).judge(row["text"])
            out += [(n, c, f.reason, row["text"]) for c, f in found.items() if f.result != "met"]
    return out


def misjudged_wrong(kind: str = "wrong") -> list[tuple[int, str, str, str]]:
    """(row, criterion that should fail, reason, words) of wrong replies that pass or also fail elsewhere."""
    out = []
    for n, row in enumerate(replies(kind), 1):
        for variant in VARIANTS[row["case"]]:
            found = desk(variant, row["case"]).judge(row["text"])
            failed = [c for c, f in found.items() if f.result != "met"]
            if failed != [row["fails"]]:
                out.append(
                    (n, row["fails"], f"failed: {failed} {[found[c].reason for c in failed]}", row["text"])
                )
    return out


def main() -> None:
    """Print the figures, and the misjudged ones of the tuned part (never of the held-out one)."""
    for part in ("", "_held"):
        for kind, wrongly in (
            ("right", misjudged_right(f"right{part}")),
            ("wrong", misjudged_wrong(f"wrong{part}")),
        ):
            rows = {w[0] for w in wrongly}
            total = len(replies(kind + part))
            print(f"{kind + part:<10} {total - len(rows)}/{total} judged as labelled")
            for n, criterion, reason, text in () if part else wrongly:
                print(f"  {n} {criterion}: {reason}\n    {text.strip()[:200]!r}")


if __name__ == "__main__":
    main()
