"""The text of a PDF by page, with bounds on pages, on what streams unpack to, and on drawing steps."""

from __future__ import annotations

import io
import logging
from typing import Any

from pypdf import PdfReader, apply_configuration
from pypdf.errors import LimitReachedError

from .reading import MAX_TEXT, Unreadable

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every flaw that it gets over

MAX_PAGES = 50
MAX_STEPS = 300_000  # drawing operators and their operands in all pages together
_FORM = 1_000  # steps that drawing a form counts for: its stream is unpacked and parsed again each time
_BOUNDS: dict[str, Any] = {
    "zlib_maximum_output_length": 4_000_000,
    "lzw_maximum_output_length": 4_000_000,
    "run_length_maximum_output_length": 4_000_000,
    "array_based_stream_maximum_output_length": 4_000_000,
    "stream_decoding_work_maximum_length": 16_000_000,
    "stream_parsing_work_maximum_count": 100_000,
    "xform_maximum_invocations_per_extraction": 50,
    "page_tree_maximum_entries": 2_000,
    "page_tree_maximum_page_entries": 20_000,
}


def pages(data: bytes) -> list[str]:
    """The text of each page. Raises `Unreadable` at a bound, and whatever pypdf raises on a broken file."""
    steps = 0

    def count(operator: Any, operands: Any, _cm: Any, _tm: Any) -> None:
        nonlocal steps
        steps += _FORM if operator == b"Do" else 1
        steps += sum(len(o) if isinstance(o, (list, dict)) else 1 for o in operands)
        if steps > MAX_STEPS:
            raise _too_much()

    try:
        with apply_configuration(**_BOUNDS):
            found = PdfReader(
                io.BytesIO(data), root_object_recovery_limit=1_000, xref_stream_maximum_entries=50_000
            ).pages
            if len(found) > MAX_PAGES:
                raise _too_much()
            out: list[str] = []
            for page in found:
                out.append(page.extract_text(visitor_operand_before=count))
                # Asked again, for pypdf swallows what is raised inside a form.
                if steps > MAX_STEPS or sum(map(len, out)) > MAX_TEXT:
                    raise _too_much()
    except LimitReachedError:
        raise _too_much() from None
    return out


def _too_much() -> Unreadable:
    return Unreadable("limit", f"this PDF holds too much: at most {MAX_PAGES} pages of text are read")
