"""Gross faults of register in a letter: the closed list, by language. Anything finer is a matter of taste.

A letter is judged by who writes to whom: towards friends and family (register C) only the wrong language and the
wrong gender are faults. What a letter quotes, and headings and lines of a list, are no sentences of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from errands.languages import Pack, pack
from errands.languages.pack import compiled
from errands.languages.text import letters, plain, script, sentences

KINDS = (
    "wrong_script",
    "plain_form",
    "slang",
    "bare_name",
    "self_honour",
    "rude_pronoun",
    "wrong_gender",
)
Register = Literal["F", "B", "S", "C"]


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes or is written to: the forms of the name, gender (`f`, `m` or nothing), register, language."""

    name: str
    called: str
    formal: str
    gender: str = ""
    register: str = "B"
    language: str = "en"

    @classmethod
    def of(cls, row: Mapping[str, Any], register: str, language: str) -> Writer:
        """From a row or table that has `name`, `called`, `formal` and perhaps `gender`."""
        return cls(row["name"], row["called"], row["formal"], row.get("gender") or "", register, language)


@dataclass(frozen=True, slots=True)
class Fault:
    """A gross fault: which of `KINDS`, and the words that show it."""

    kind: str
    words: str


_QUOTED = re.compile(
    r"“[^“”]*”|«[^«»]*»|\"[^\"\n]*\"|「[^「」]*」|『[^『』]*』|‘[^‘’]*’|(?<!\w)'[^'\n]{12,}'(?!\w)|^\s*>.*$",
    re.MULTILINE,
)
_NO_WORDS = re.compile(r"\S+@\S+|https?://\S+|\b[A-Z]{2,5}-?\d[\w-]*|\bCG-\d+", re.IGNORECASE)
_COMMON = 0.2  # of words; English prose has half
_SHARE, _FEW = 0.5, 8  # of letters in the language's scripts; below so many letters nothing is said about it


def faults(text: str, to: Writer, by: Writer) -> list[Fault]:
    """The gross faults of a letter from `by` to `to`, in the order of `KINDS`, at most one of a kind."""
    p = pack(to.language)
    own = plain(_QUOTED.sub(" ", text))
    found = [_wrong_script(p, own, to, by), *_gender(p, own, to, by)]
    if to.register in ("F", "B"):
        found += [_plain_form(p, own), _first(p.register_.slang, "slang", own), _bare_name(p, own, to)]
    if to.register != "C":
        found += [_self_honour(p, own, by), _first(p.register_.rude_pronoun, "rude_pronoun", own)]
    first: dict[str, Fault] = {}
    for fault in found:
        if fault is not None:
            first.setdefault(fault.kind, fault)
    return sorted(first.values(), key=lambda f: KINDS.index(f.kind))


def _first(patterns: tuple[str, ...], kind: str, text: str, **filled: str) -> Fault | None:
    found = compiled(patterns, **filled).search(text)
    return Fault(kind, text[found.start() : found.end()].strip()[:80]) if found else None


def _wrong_script(p: Pack, text: str, to: Writer, by: Writer) -> Fault | None:
    bare = _NO_WORDS.sub(" ", text)
    for name in (to.name, to.called, to.formal, by.name, by.called, by.formal):
        bare = bare.replace(plain(name), " ")
    if alien := [c for c in bare if c in p.foreign]:
        return Fault("wrong_script", "".join(dict.fromkeys(alien))[:20])
    count = letters(bare)
    total = sum(count.values())
    mine = sum(count.get(s, 0) for s in p.scripts)
    other = {s: n for s, n in count.items() if s not in p.scripts and s != "Latn"}
    # A Latin letter says less than a syllable or a character does: "Zoom 링크" is Korean.
    weighed = mine * (3 if "Latn" not in p.scripts else 1)
    if total >= _FEW and (weighed < _SHARE * (weighed + total - mine) or sum(other.values()) > mine):
        return Fault("wrong_script", " ".join(bare.split())[:80])
    if p.common:
        words = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", bare.casefold())
        if len(words) >= 5 and sum(w in p.common for w in words) < _COMMON * len(words):
            return Fault("wrong_script", " ".join(bare.split())[:80])
    if "Kana" in p.scripts and count.get("Han", 0) >= 12 and not count.get("Kana") and ":" not in bare:
        return Fault("wrong_script", " ".join(bare.split())[:80])
    return None


_ITEM = re.compile(r"\s*(?:[-*•·◦■□○●▶※#|]|\d{1,2}[.)]|[①-⑳])")
_ENDED = re.compile(r"[。.!?~…)」』:;]\s*$|[\u2600-\u27bf\U0001f300-\U0001faff]\s*$")
_SHORT = 18  # letters: who breaks a line inside a sentence does it far to the right


def _unwrapped(text: str) -> list[str]:
    """Lines, with those put together that were only broken for their width: long, without an end mark, text below."""
    out: list[str] = []
    wrapped = False
    for line in text.splitlines():
        if wrapped and line.strip() and not _ITEM.match(line):
            out[-1] += (" " if script(out[-1].rstrip()[-1]) == "Hang" else "") + line.strip()
        else:
            out.append(line)
        wrapped = len(line.strip()) > _SHORT and _ENDED.search(line) is None
    return out


# What may stand behind a finished sentence: end marks, laughter and tears (as NFKC leaves them), faces.
_TAIL = re.compile(r"[\s。.!?~…^;)(:\-\u1100-\u11ffㅋㅎㅠㅜ큐w笑\ufe0f\u2600-\u27bf\U0001f300-\U0001faff]+$")


def _plain_form(p: Pack, text: str) -> Fault | None:
    """A finished sentence in plain form; a polite ending wins, a line of a list or a heading is none."""
    if not p.register_.plain:
        return None
    for line in _unwrapped(text):
        if _ITEM.match(line):
            continue
        for s in sentences(line):
            bare = _TAIL.sub("", s)
            if compiled(p.register_.polite).search(bare):
                continue
            if found := compiled(p.register_.plain).search(bare):
                return Fault("plain_form", (s if len(s) < 80 else found[0]).strip())
    return None


def stems(p: Pack, who: Writer) -> tuple[str, ...]:
    """The forms of a name without honorific and title, longest first."""
    titles = compiled(p.register_.titles)
    forms = {plain(f) for f in (who.name, who.called, who.formal)}
    bare = {titles.cut(f).strip() for f in forms} | {plain(who.name)}
    return tuple(sorted((b for b in bare if b), key=lambda b: (-len(b), b)))


def _either(names: Iterable[str]) -> str:
    return "(?:" + ("|".join(map(re.escape, names)) or r"(?!)") + ")"


def _bare_name(p: Pack, text: str, to: Writer) -> Fault | None:
    patterns = p.register_.bare_name + (p.register_.bare_first_name if to.register == "F" else ())
    if not patterns:
        return None
    forms = _with_parts(stems(p, to))
    if all(_honoured(p, text, at, at + len(f)) for f in forms for at in _places(text, f)):
        return None  # nothing to look at more closely
    filled = {
        "WHO": _either(n for n in forms if to.register == "F" or n != plain(to.called)),
        "FAMILY": _either(_family(p, to)) if _family(p, to) else r"(?!)",
        "HON": _either_patterns(p.register_.honorifics),
    }
    return _first(patterns, "bare_name", _without_full_name(p, text, to), **filled)


def _without_full_name(p: Pack, text: str, who: Writer) -> str:
    """Where names have several words: without the whole name, which is as civil as one with a title ("Dear Zulkifli
    bin Abdul Karim," begins with what would be bare by itself)."""
    name = plain(who.name)
    if "Latn" not in p.scripts or " " not in name:
        return text
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\ufffc", text, flags=re.IGNORECASE)


def _with_family(names: tuple[str, ...]) -> tuple[str, ...]:
    """Also the one character that is the family's in a name of three: 林 of 林佳穎, 김 of 김세온."""
    three = [n for n in names if len(n) == 3 and all(script(c) in ("Han", "Hang") for c in n)]
    return (*names, *dict.fromkeys(n[0] for n in three))


def _places(text: str, form: str) -> list[int]:
    return [m.start() for m in re.finditer(re.escape(form), text)]


def _honoured(p: Pack, text: str, start: int, end: int) -> bool:
    """Whether an honorific stands right before or right behind a place."""
    rules = p.register_.honorifics
    before = compiled(tuple(rf"(?:^|\W)(?:{r})$" for r in rules)).search(
        text[max(0, start - 24) : start].rstrip()
    )
    return before is not None or compiled(rules).match(text[end : end + 16].lstrip(" ")) is not None


def _family(p: Pack, who: Writer) -> tuple[str, ...]:
    """The family's word of a name: what the formal form has beside its title and what somebody is called."""
    words = compiled(p.register_.titles).cut(plain(who.formal)).split()
    called = plain(who.called).split()
    rest = tuple(w for w in words if w not in called and w != who.formal)
    return rest if len(rest) == 1 else ()


def _with_parts(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names and their words: "Mori Haruka", "Mori", "Haruka"; and 正臣 of 鳥飼正臣, where 鳥飼 is a form too."""
    out = dict.fromkeys(names)
    for n in names:
        out |= dict.fromkeys(w.strip(",") for w in n.split() if len(w) > 1)
        family = next((f for f in names if f != n and n.startswith(f) and len(n) - len(f) >= 2), "")
        if family and script(n[0]) in ("Han", "Hang", "Kana"):
            out[n.removeprefix(family).strip()] = None
    return tuple(sorted(out, key=lambda b: (-len(b), b)))


def _either_patterns(patterns: tuple[str, ...]) -> str:
    return "(?:" + ("|".join(patterns) or r"(?!)") + ")"


def _self_honour(p: Pack, text: str, by: Writer) -> Fault | None:
    forms = _with_parts(_with_family(stems(p, by)))
    if not any(_honoured(p, text, at, at + len(f)) for f in forms for at in _places(text, f)):
        return None  # nothing to look at more closely
    filled = {"ME": _either(forms), "HON": _either_patterns(p.register_.honorifics)}
    return _first(p.register_.self_honour, "self_honour", text, **filled)


def _gender(p: Pack, text: str, to: Writer, by: Writer) -> list[Fault | None]:
    r = p.register_
    filled = {"WHO": _either(_with_parts(stems(p, to))), "HON": _either_patterns(r.honorifics)}
    towards = {"f": r.to_f, "m": r.to_m}.get(to.gender, ())
    of = {"f": r.by_f, "m": r.by_m}.get(by.gender, ())
    return [
        _first(towards, "wrong_gender", text, **filled) if towards else None,
        _first(of, "wrong_gender", text, **filled) if of else None,
    ]
