"""What a product has of its own, and what the tester is: nothing is put into an account for it."""

from __future__ import annotations

from errands.world import App

from .scene import Put, Scene


def routines(app: App, scene: Scene, since: Scene | None) -> Put:
    """The product's own scheduler stands for routines and watches."""
    how = "The product uses the scheduler and the notifications of its own. See that nothing is left of earlier runs."
    return Put() if since else Put(how=(how,))


def played(app: App, scene: Scene, since: Scene | None) -> Put:
    """Persons are played by the tester, and clocks hang on the wall."""
    return Put()
