"""The credit bureau: it is asked by sites and lenders, and keeps every inquiry. Nobody reaches it but by signals."""

from __future__ import annotations

from typing import Any

from errands.world import App, World

bureau = App("bureau", __name__)


@bureau.on("credit.inquired")
def inquired(w: World, e: dict[str, Any]) -> None:
    """A soft inquiry is seen by the person alone; a hard one by every lender, for two years."""
    w.insert(
        "bureau_inquiry",
        id=w.new_id("inq"),
        kind=e["kind"],
        by_whom=e["site"],
        session=e["session"],
        at=w.now,
    )
