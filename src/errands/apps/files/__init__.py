"""Files: the user's own workspace, where deliverables go, and the team's shared area, which others see."""

from errands.world import App

files = App(
    "files",
    __name__,
    scopes=("files.read", "files.write", "files.share"),
    incidental=frozenset({"files_blob"}),  # bytes say nothing without an entry; they stay when it goes
)

from . import changing, looking, signals  # noqa: E402, F401  (they declare the tools)
