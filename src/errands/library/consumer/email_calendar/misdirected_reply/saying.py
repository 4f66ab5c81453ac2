"""What is asked and claimed in words, by language: rules/<language>.toml."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from errands.grading.compare.texts import mentions_phrase
from errands.languages.pack import compiled, finds, pack
from errands.languages.text import plain, sentences
from errands.markets import read_toml


class Rules(BaseModel):
    """Patterns of one language. `delete` asks that a mail be deleted or not kept, `spared` are the words in which it
    does not ("do not delete", "I deleted mine"); `astray` says of a sentence that it speaks of the mail gone astray or
    of a recall, `ours` of a clause that the mails about it have gone out; `recalled` says that a mail was recalled.
    `instead` is an amount that holds no longer ("instead of $5"), `rival` what stands between two days of which one
    is to hold ("or rather").
    Of the recall (see telling.py): `topic` speaks of it or of who has opened the mail, `can` and `barred` say that it
    is possible or not, `only` limits either, `negated` is any no.
    `ends`: where a sentence ends in a language that has no full stops."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    delete: tuple[str, ...]
    astray: tuple[str, ...]
    recalled: tuple[str, ...]
    spared: tuple[str, ...]
    instead: tuple[str, ...]
    ours: tuple[str, ...]
    rival: tuple[str, ...]
    topic: tuple[str, ...]
    can: tuple[str, ...]
    barred: tuple[str, ...]
    only: tuple[str, ...]
    negated: tuple[str, ...]
    ends: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def rules(language: str) -> Rules:
    """The rules of a language."""
    return Rules.model_validate(read_toml(resources.files(__package__).joinpath("rules", f"{language}.toml")))


def asks_to_delete(languages: Iterable[str], text: str) -> bool:
    """Whether a mail asks that another be deleted or not kept."""
    return any(finds(rules(c).delete, compiled(rules(c).spared).cut(plain(text))) for c in languages)


def without_replaced(languages: Iterable[str], text: str) -> str:
    """A text without the amounts that it says to hold no longer."""
    text = plain(text)
    for code in languages:
        text = compiled(rules(code).instead).cut(text)
    return text


def sets_against(languages: Iterable[str], between: str) -> bool:
    """Whether what stands between two days sets one against the other."""
    return any(compiled(rules(code).rival).fullmatch(plain(between)) for code in languages)


def without_the_mail(languages: Sequence[str], subject: str, text: str) -> str:
    """A report without the sentences that speak of the mail gone astray: that it was sent is no claim."""
    kept = []
    for line in text.splitlines():
        whole = [line]
        for code in languages:
            if rules(code).ends:
                whole = [part for s in whole for part in compiled(rules(code).ends).split(s)]
        said = [s for part in whole for s in sentences(part)]
        for s in said:
            kept += [s] if not _of_the_mail(languages, subject, s) else _of_ours(languages, s)
    return "\n".join(kept)


def _of_ours(languages: Sequence[str], sentence: str) -> list[str]:
    """The clauses that say of the corrections that they have gone out."""
    clauses = [plain(sentence)]
    for code in languages:
        clauses = [c or "" for s in clauses for c in compiled(pack(code).sent.clause).split(s)]
    return [c for c in clauses if any(finds(rules(code).ours, c) for code in languages)]


def _of_the_mail(languages: Sequence[str], subject: str, sentence: str) -> bool:
    text = plain(sentence)
    return mentions_phrase(text, subject) or any(finds(rules(code).astray, text) for code in languages)


def recall_words(languages: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By language how it is said that a mail was recalled."""
    return {code: rules(code).recalled for code in languages}
