"""A card as one offline HTML page, and as a picture; the same card is the same bytes."""

from __future__ import annotations

from dataclasses import replace
from xml.sax.saxutils import escape

from errands.explain.page import template

from .card import Card
from .lines import Line, baseline_lines, everyday_lines, facts, lines, world_lines

WIDTH, LEFT, TOP, STEP = 860, 220, 96, 64
_STYLE = """
 svg { --ink:#1b2230; --soft:#566072; --line:#dde2ea; --paper:#fff; --bar:#3544a8 }
 @media (prefers-color-scheme:dark) {
  svg { --ink:#e7eaf0; --soft:#a0aaba; --line:#2c3442; --paper:#151a22; --bar:#aeb8ff } }
 text { font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif; fill:var(--ink) }
 .soft { fill:var(--soft); font-size:12px } .big { font-size:22px; font-weight:600 }
 rect { fill:var(--paper); stroke:var(--line) } line { stroke:var(--line); stroke-width:4 }
 line.span { stroke:var(--bar) } circle { fill:var(--bar) }
"""


def page(c: Card) -> str:
    """The page as text; it loads nothing from anywhere."""
    html: str = template(__package__, "card.html").render(
        card=c,
        head=lines(c)[0],
        lines=lines(c)[1:],
        worlds=world_lines(c),
        everyday=everyday_lines(c),
        baselines=baseline_lines(c),
        facts=list(facts(c)),
        digest=c.digest,
    )
    return html


def picture(c: Card) -> str:
    """The card as SVG: headline, crossings, coverage and what stands beside it; shares as bars from 0 to 1."""
    told = lines(c)
    chosen = ("Crossed the line", "Coverage", "This very list", "Two that differ (flips)")
    rows = [told[0], *(x for x in told if x.name in chosen)]
    rows += [replace(x, name=f"{x.name} (baseline)") for x in baseline_lines(c)]
    height = TOP + STEP * len(rows) + 30
    about = f"{c.list.said} · {', '.join(c.isolation)}"
    seen = _attr(f"Card of {c.agent}: {told[0].said}")
    foot = f"errands card · series {c.series[:16]} · card {c.digest[:16]} · no rank, no order by score"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
            f' height="{height}" role="img" aria-label="{seen}">',
            f"<style>{_STYLE}</style>",
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="12"/>',
            _text(24, 42, _cut(c.agent, 56), "big"),
            _text(24, 66, _cut(about, 118), "soft"),
            *(part for n, row in enumerate(rows) for part in _bar(row, TOP + STEP * n)),
            _text(24, height - 14, foot, "soft"),
            "</svg>\n",
        ]
    )


def _bar(row: Line, y: int) -> list[str]:
    """A name, what it says and stands on, and where it is a share its interval on a track from 0 to 1."""
    behind = _cut(row.why or row.behind, 92)
    out = [
        _text(24, y + 16, row.name),
        _text(LEFT, y + 16, _cut(row.said, 78)),
        _text(LEFT, y + (46 if row.span else 34), behind, "soft"),
    ]
    if row.span is None:
        return out
    low, value, high = (LEFT + x * (WIDTH - LEFT - 24) for x in row.span)
    at = f'y1="{y + 27}" y2="{y + 27}"'
    return [
        *out,
        f'<line x1="{LEFT}" x2="{WIDTH - 24}" {at}/>',
        f'<line class="span" x1="{low:.1f}" x2="{high:.1f}" {at}/>',
        f'<circle cx="{value:.1f}" cy="{y + 27}" r="5"/>',
    ]


def _text(x: int, y: int, words: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}">{escape(words)}</text>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _attr(text: str) -> str:
    return escape(text, {'"': "&quot;"})
