"""The plural categories of whole numbers (CLDR), for the languages of our markets without a library."""

from __future__ import annotations

from typing import Any

CATEGORIES = ("zero", "one", "two", "few", "many", "other")

# The rules of the languages of our markets, as CLDR has them (a test compares them with babel): a plain installation
# needs no library for them.
_WITHOUT = frozenset({"ja", "ko", "th", "zh", "ms"})  # languages that tell no plurals apart


def plural_category(language: str, n: int) -> str:
    """The CLDR plural category of the whole number `n` in `language` (BCP 47): "one", "few", "other", ...

    Languages other than those of our markets load babel when first asked. ValueError for a language it does not know.
    """
    code, n = language.split("-")[0], abs(n)
    if code in _WITHOUT:
        return "other"
    if code == "en":
        return "one" if n == 1 else "other"
    if code == "ar":
        if n < 3:
            return ("zero", "one", "two")[n]
        return "few" if 3 <= n % 100 <= 10 else "many" if n % 100 >= 11 else "other"
    return str(_rules(language)(n))


def plural_categories(language: str) -> tuple[str, ...]:
    """The categories that whole numbers have in `language`, in CLDR order. ValueError as above."""
    code = language.split("-")[0]
    if code in _WITHOUT or code in ("en", "ar"):
        return {"en": ("one", "other"), "ar": CATEGORIES}.get(code, ("other",))
    rules = _rules(language)
    return tuple(name for name in CATEGORIES if name in rules.tags or name == "other")


def _rules(language: str) -> Any:
    try:  # late: only languages of other places need it
        from babel import Locale, UnknownLocaleError
    except ModuleNotFoundError:
        raise ValueError(f"plural rules of {language!r} need the package babel") from None
    try:
        return Locale.parse(language, sep="-").plural_form
    except (UnknownLocaleError, ValueError):
        raise ValueError(f"no plural rules for language {language!r}") from None
