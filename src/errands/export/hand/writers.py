"""Which module writes which app: a file format of its own where there is one, else readable sheets."""

from __future__ import annotations

from errands.web.site import Site
from errands.world import App

from . import calendar, contacts, feeds, files, mail, memory, own, sheets, sites
from .scene import Put, Scene, Writer

WRITERS: dict[str, Writer] = {
    "calendar": calendar.write,
    "contacts": contacts.write,
    "feeds": feeds.write,
    "files": files.write,
    "mail": mail.write,
    "memory": memory.write,
    "routines": own.routines,
    **dict.fromkeys(("clock", "people", "user"), own.played),
}
"""By app. One that is not here comes out as `sheets`, a website as `sites`."""


def written(app: App, scene: Scene, since: Scene | None = None) -> Put:
    """What an app holds, as files for an account; with an earlier scene, what has come or gone since then."""
    usual = sites.write if isinstance(app, Site) else sheets.write
    return WRITERS.get(app.name, usual)(app, scene, since)
