"""Phrases in prose, by whole words: never a raw substring.

Words of scripts with spaces are what stands between them. Han, kana and Thai have none: a run is cut by the
longest match of the vocabulary given, and single characters elsewhere. Hangul words may carry a particle
(민수는). A longer entry of the vocabulary hides a shorter one inside it (เชียงใหม่ is no ใหม่).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from errands.grading.compare.folding import fold

_UNSPACED = (
    r"\u0e00-\u0e7f\u0e80-\u0eff\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff"
)
_RUN = re.compile(rf"(?P<run>[{_UNSPACED}]+)|(?P<word>(?:(?![{_UNSPACED}])[\w@'’])+)|(?P<mark>[^\s\w])")
_HANGUL = re.compile(r"[가-힣]+")
_PARTICLES = re.compile(
    r"(?:님|씨|들)?(?:은|는|이|가|을|를|에|의|도|만|와|과|로|으로|에서|에게|에게서|께|께서|까지|부터|처럼|보다|이나|나|이다|입니다|이에요|예요|"
    r"인데|이고|하고|에는|에도|으로는|로는|이라고|라고)?"
)


def mentions_phrase(text: str, phrase: str, vocabulary: Iterable[str] = ()) -> bool:
    """Whether the words of the phrase stand in the text, in order and next to each other; case does not
    count."""
    return phrase in _mentioned(text, (phrase, *vocabulary))


def single_choice(text: str, options: Sequence[str]) -> str | None:
    """The one option that the text mentions; None when it mentions none, or several (whatever it says of
    them)."""
    named = _mentioned(text, tuple(options)) & set(options)
    return named.pop() if len(named) == 1 else None


def _mentioned(text: str, vocabulary: tuple[str, ...]) -> set[str]:
    """The entries that the text mentions, the longest at each place."""
    plain = {entry: _plain(entry) for entry in vocabulary}
    unspaced = _dictionary(tuple(sorted(set(plain.values()))))
    entries = [(entry, list(_cut(words, unspaced))) for entry, words in plain.items()]
    entries = sorted(((e, cut) for e, cut in entries if cut), key=lambda pair: -sum(map(len, pair[1])))
    tokens, at, found = list(_cut(_plain(text), unspaced)), 0, set[str]()
    while at < len(tokens):
        here = [(e, len(cut)) for e, cut in entries if _stands(tokens, at, cut)]
        found.update(e for e, size in here if size == here[0][1] and plain[e] == plain[here[0][0]])
        at += here[0][1] if here else 1
    return found


def _stands(tokens: list[str], at: int, phrase: list[str]) -> bool:
    last = len(phrase) - 1
    if tokens[at : at + last] != phrase[:last] or at + last >= len(tokens):
        return False
    given, wanted = tokens[at + last], phrase[last]
    if given == wanted:
        return True
    rest = given.removeprefix(wanted)
    return rest != given and bool(_HANGUL.fullmatch(rest)) and bool(_PARTICLES.fullmatch(rest))


def _plain(text: str) -> str:
    return fold(text).casefold()


@lru_cache(maxsize=256)
def _dictionary(entries: tuple[str, ...]) -> re.Pattern[str]:
    """One alternation, longest first, of the unspaced runs in the vocabulary; any other character stands
    alone."""
    runs = {m["run"] for entry in entries for m in _RUN.finditer(entry) if m["run"]}
    return re.compile("|".join([*map(re.escape, sorted(runs, key=len, reverse=True)), "."]), re.DOTALL)


def _cut(text: str, unspaced: re.Pattern[str]) -> Iterator[str]:
    """Words; a punctuation mark is one too, so that a phrase does not reach across a full stop."""
    for m in _RUN.finditer(text):
        if m["run"]:
            yield from unspaced.findall(m["run"])
        else:
            yield m[0]
