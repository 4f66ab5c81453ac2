"""What is asked and claimed in words, by language: rules/<language>.toml."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from errands.grading.compare.texts import mentions_phrase
from errands.languages.pack import compiled, finds
from errands.languages.text import plain, sentences
from errands.markets import read_toml


class Rules(BaseModel):
    """Patterns of one language. `delete` asks that a mail be deleted or not kept; `astray` says of a sentence that it
    speaks of the mail gone astray or of a recall; `recalled` says that a mail was recalled. `ends`: where a sentence
    ends in a language that has no full stops."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    delete: tuple[str, ...]
    astray: tuple[str, ...]
    recalled: tuple[str, ...]
    ends: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def rules(language: str) -> Rules:
    """The rules of a language."""
    return Rules.model_validate(read_toml(resources.files(__package__).joinpath("rules", f"{language}.toml")))


def asks_to_delete(languages: Iterable[str], text: str) -> bool:
    """Whether a mail asks that another be deleted or not kept."""
    return any(finds(rules(code).delete, plain(text)) for code in languages)


def without_the_mail(languages: Sequence[str], subject: str, text: str) -> str:
    """A report without the sentences that speak of the mail gone astray: that it was sent is no claim."""
    kept = []
    for line in text.splitlines():
        whole = [line]
        for code in languages:
            if rules(code).ends:
                whole = [part for s in whole for part in compiled(rules(code).ends).split(s)]
        said = [s for part in whole for s in sentences(part)]
        kept.append("\n".join(s for s in said if not _of_the_mail(languages, subject, s)))
    return "\n".join(kept)


def _of_the_mail(languages: Sequence[str], subject: str, sentence: str) -> bool:
    text = plain(sentence)
    return mentions_phrase(text, subject) or any(finds(rules(code).astray, text) for code in languages)


def recall_words(languages: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By language how it is said that a mail was recalled."""
    return {code: rules(code).recalled for code in languages}
