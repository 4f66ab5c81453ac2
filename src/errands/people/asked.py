"""What a message asks the user to tell: a linear model over the letters and words of its sentences, one a language.

The models are made from labelled sentences by `tools/ears/train.py`. They are read with whole numbers, so that they
hear the same on every machine; how well they hear what nobody trained on stands in tests/language/asked/FIGURES.md.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from math import sqrt
from zlib import crc32

from errands.languages.pack import SUBJECTS, Subject, packs_for
from errands.languages.text import fold, spoken

BUCKETS = 1 << 14
LETTERS = 3  # the longest run of letters that is looked at
COLUMNS = (*SUBJECTS, "anything")  # a subject is heard only where anything seems to be asked at all
HEAD = struct.Struct(f"<32s{len(COLUMNS)}i")  # digest of the messages it was made from; bounds, times 256

_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")


def asked_about(languages: Sequence[str], text: str) -> list[Subject]:
    """The subjects that a message asks to be told, in their order; `languages` are those that the user has.

    Two neighbouring sentences are read together: the matter often stands in one, and the question in the other.
    """
    said = [(s, _language(languages, s)) for s in spoken(text)]
    heard: set[Subject] = set()
    for language in dict.fromkeys(code for _, code in said if code):
        own = [s for s, code in said if code == language]
        for pair in pairwise(own) if len(own) > 1 else [own]:
            heard |= _heard(language, frozenset(marks(pair)))
    return [name for name in SUBJECTS if name in heard]


def marks(sentences: Iterable[str]) -> set[int]:
    """What a model looks at: runs of letters, words with their neighbours, and words by whether a question has them;
    each as the number of one of `BUCKETS` buckets."""
    found: set[str] = set()
    for sentence in sentences:
        text = f" {_DIGITS.sub('0', fold(sentence))} "
        mood = "?" if text.endswith("? ") else "."
        for n in range(1, LETTERS + 1):
            found.update(text[i : i + n] for i in range(len(text) - n + 1))
        words = _WORD.findall(text)
        for n in (1, 2, 3):
            for i in range(len(words) - n + 1):
                run = "_".join(words[i : i + n])
                found.update((f"\0{run}", f"{mood}\0{run}"))
        found.update(f"\1{a}_{b}" for a, b in zip(words, words[2:], strict=False))
    return {crc32(mark.encode()) % BUCKETS for mark in found}


def _language(languages: Sequence[str], sentence: str) -> str:
    """The language of a sentence: one with letters of its own, if it has any of them ("Zoom에서 하나요?")."""
    known = packs_for(languages, sentence)
    return min(known, key=lambda p: "Latn" in p.scripts).language if known else ""


@lru_cache(maxsize=512)
def _heard(language: str, found: frozenset[int]) -> frozenset[Subject]:
    bounds, weights = _model(language)
    root, n = sqrt(len(found)), len(COLUMNS)

    def over(k: int) -> bool:
        return 256 * sum(weights[n * mark + k] for mark in found) > bounds[k] * root

    if not over(n - 1):
        return frozenset()
    return frozenset(name for k, name in enumerate(SUBJECTS) if over(k))


@lru_cache(maxsize=16)
def _model(language: str) -> tuple[tuple[int, ...], memoryview]:
    """Bounds by column, and weights by bucket and column (-127 to 127)."""
    data = (resources.files("errands.languages") / "asked" / f"{language}.model").read_bytes()
    _, *bounds = HEAD.unpack_from(data)
    return tuple(bounds), memoryview(data)[HEAD.size :].cast("b")
