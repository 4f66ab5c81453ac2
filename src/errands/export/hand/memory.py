"""A memory that is there at the start: lines that the product is told to remember before the run."""

from __future__ import annotations

from errands.world import App

from .scene import PLACE, Put, Scene


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """What is remembered, a line an entry."""
    entries = sorted(scene.fresh("memory_entry", since), key=lambda m: (m["saved"], m["id"]))
    how = [f"Let the product forget: “{m['text']}”." for m in scene.gone("memory_entry", since)]
    if since is None:
        how.append(
            "Begin with an empty memory: delete what the account has stored, and see that nothing is left."
        )
    if not entries:
        return Put(how=tuple(how))
    how.append(f"Let the product remember each line of {PLACE}memory/entries.txt, and see that it is stored.")
    return Put({"memory/entries.txt": "".join(f"{m['text']}\n" for m in entries).encode()}, tuple(how))
