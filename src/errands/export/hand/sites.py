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
    how = [
        f"Serve the website {app.title} ({app.name}): {served(scene)}. It prints the address (with --host ADDRESS one"
        " that other devices reach); leave it open until the run is over.",
        f"Where the prompt says {app.name}, the product is told that address beside it.",
    ]
    if "files_entry" in scene.tables:
        how.append("At the end type in the file that the prompt asks for: files_write path=… text=…")
    how.append(
        "Then type: say, and the product's last answer. What happened on the pages is recorded; the attempt is graded"
        " by code, and its evidence is the run that is named there."
    )
    return Put(how=tuple(how))


def served(scene: Scene) -> str:
    """The command that serves the sites of this world."""
    m = scene.meta
    return (
        f"errands try {m['task']} --market {m['market']} --variant {m['variant']} --language {m['language']}"
    )
