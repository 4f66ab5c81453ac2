"""Websites: what they answer is worked out, so no page is written; they are served, and what happens is recorded."""

from __future__ import annotations

from errands.web.site import Site
from errands.world import App

from .scene import Put, Scene


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """The line that serves it."""
    if since is not None:
        return Put()
    assert isinstance(app, Site)
    return Put(
        how=(
            f"Serve the website {app.title} ({app.name}): {served(scene)}. It prints the address; leave it open until"
            f" the run is over. Where the prompt says {app.name}, the product is told that address beside it.",
            "What happens on the pages is recorded. At the end type: say, and the product's last answer; the attempt is"
            " then graded by code, and what it did on the site is in its evidence.",
        )
    )


def served(scene: Scene) -> str:
    """The command that serves the sites of this world."""
    m = scene.meta
    return (
        f"errands try {m['task']} --market {m['market']} --variant {m['variant']} --language {m['language']}"
    )
