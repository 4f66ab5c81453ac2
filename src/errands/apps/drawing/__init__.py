"""Drawing: a modest tool for agents that make no pictures of their own, and the way in for those that do.

A drawing is a sheet of a size and a background with shapes and words on it. Saved, it is a PNG among the user's files.
"""

from errands.world import App

drawing = App("drawing", __name__, scopes=("drawing.use",))

from . import sheets, saving  # noqa: E402, F401, I001  (they declare the tools, in the order in which one uses them)
