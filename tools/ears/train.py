"""Make the models by which the simulated user hears what it is asked about (`errands.people.asked`).

    python tools/ears/train.py             # every language: <language>.toml here -> src/errands/languages/asked/
    python tools/ears/train.py ko ja

Needs `pip install scikit-learn`. The sentences are labelled in tables of the subjects' names; `none` asks nothing, and
`both` holds [sentence, subject, subject]. Their digest stands in the model, and a test compares the two. What is to be
measured must not be among them: tests/language/asked/unseen has sets that nobody trained on.
"""

from __future__ import annotations

import hashlib
import random
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from errands.languages.pack import SUBJECTS
from errands.languages.text import spoken
from errands.people.asked import BUCKETS, COLUMNS, HEAD, marks

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "src" / "errands" / "languages" / "asked"
# From where on a subject, or anything at all, counts as asked; chosen on the sets named [tuning].
MARGIN, ANYTHING = -0.15, -0.25
SCALE = 4.0  # keeps the numbers in the range in which the solver works well


def labelled(rows: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Messages and the subjects that they ask."""
    for name in SUBJECTS:
        yield from ((text, {name}) for text in rows.get(name, ()))
    yield from ((text, set()) for text in rows.get("none", ()))
    yield from ((text, set(names)) for text, *names in rows.get("both", ()))


def model(rows: list[tuple[str, set[str]]], digest: bytes) -> bytes:
    """The bytes of a model. Half the messages come a second time behind one that asks nothing: what is asked often
    stands behind a report."""
    draw = random.Random(0)
    idle = [text for text, names in rows if not names]
    rows = [
        *rows,
        *((f"{draw.choice(idle)}\n{text}", names) for text, names in draw.sample(rows, len(rows) // 2)),
    ]
    found = [sorted(marks(spoken(text))) for text, _ in rows]
    seen = np.ones(BUCKETS)
    for buckets in found:
        seen[buckets] += 1
    rare = np.maximum(np.log(len(found) / seen) + 1, 0.5)
    at = [(i, b) for i, buckets in enumerate(found) for b in buckets]
    values = [rare[b] / (SCALE * np.sqrt(len(found[i]))) for i, b in at]
    x = csr_matrix((values, tuple(zip(*at, strict=True))), (len(found), BUCKETS))
    weights, bounds = [], []
    for name in COLUMNS:
        asks = [name in names if name in SUBJECTS else bool(names) for _, names in rows]
        fit = LinearSVC(C=1.0, class_weight="balanced", random_state=0).fit(x, asks)
        w = fit.coef_[0] * rare / SCALE
        step = np.abs(w).max() / 127
        weights.append(np.rint(w / step).astype(np.int8))
        margin = MARGIN if name in SUBJECTS else ANYTHING
        bounds.append(round(256 * (margin - fit.intercept_[0]) / step))
    return HEAD.pack(digest, *bounds) + np.stack(weights, axis=1).tobytes()


def main() -> None:
    """Write the models of the languages named, or of all."""
    OUT.mkdir(exist_ok=True)
    for code in sys.argv[1:] or sorted(p.stem for p in HERE.glob("*.toml")):
        data = (HERE / f"{code}.toml").read_bytes()
        rows = list(labelled(tomllib.loads(data.decode())))
        (OUT / f"{code}.model").write_bytes(model(rows, hashlib.sha256(data).digest()))
        print(f"{code}: {len(rows)} messages")


if __name__ == "__main__":
    main()
