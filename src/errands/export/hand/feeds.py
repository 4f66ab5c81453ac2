"""Feeds as Atom (RFC 4287), as a page and as text, as they stand at a moment."""

from __future__ import annotations

from datetime import UTC
from xml.etree import ElementTree as Xml

from errands.core import clock
from errands.explain.page import template
from errands.world import App

from .scene import PLACE, Put, Row, Scene, slug

ATOM = "http://www.w3.org/2005/Atom"


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """Each feed in three forms; later, those that have changed, as they stand then, and the new item as text."""
    files: dict[str, bytes] = {}
    how: list[str] = []
    changed = {i["feed"] for i in scene.fresh("feeds_item", since)}
    changed |= {i["feed"] for i in scene.gone("feeds_item", since)}
    names = _folders(scene)
    for feed in scene.rows("feeds_channel"):
        if since is not None and feed["id"] not in changed:
            continue
        folder = f"feeds/{names[feed['id']]}"
        items = sorted(
            (i for i in scene.rows("feeds_item") if i["feed"] == feed["id"]), key=_newest, reverse=True
        )
        files[f"{folder}/feed.atom"] = _atom(scene, feed, items)
        files[f"{folder}/index.html"] = _page(scene, feed, items)
        files[f"{folder}/items.txt"] = "\n".join(_text(scene, i) for i in items).encode()
        if since is None:
            how.append(
                f"Publish the feed “{feed['name']}”: {PLACE}{folder} at an address that the product can read, or as a"
                " channel or an account of that name, by hand from items.txt. Where it is served as files, each later"
                " folder holds the whole feed as it then stands."
            )
        else:
            how += _news(scene, since, feed)
    return Put(files, tuple(how))


def _folders(scene: Scene) -> dict[str, str]:
    """A folder's name for each feed; two of like names are told apart by number."""
    out: dict[str, str] = {}
    for feed in scene.rows("feeds_channel"):
        name = slug(feed["name"], "feed")
        out[feed["id"]] = name if name not in out.values() else f"{name}-{len(out) + 1}"
    return out


def _news(scene: Scene, since: Scene, feed: Row) -> list[str]:
    before = {i["id"]: i for i in since.rows("feeds_item")}
    how = []
    for i in scene.fresh("feeds_item", since):
        if i["feed"] != feed["id"]:
            continue
        if i["recalled"]:
            how.append(
                f"Take back in “{feed['name']}”: {i['subject']}. Its subject stays, marked as recalled."
            )
        else:
            verb = "Change" if i["id"] in before else "Publish"
            how.append(f"{verb} in “{feed['name']}”: {i['subject']}. {i['body']}")
    return how


def _newest(i: Row) -> tuple[int, str]:
    return i["at"], i["id"]


def _atom(scene: Scene, feed: Row, items: list[Row]) -> bytes:
    root = Xml.Element("feed", xmlns=ATOM)
    _tag(root, "id", f"urn:feed:{feed['id']}")
    _tag(root, "title", feed["name"])
    if feed["about"]:
        _tag(root, "subtitle", feed["about"])
    _tag(root, "updated", _utc(items[0]["at"] if items else scene.at))
    author = Xml.SubElement(root, "author")
    _tag(author, "name", feed["name"])
    for i in items:
        entry = Xml.SubElement(root, "entry")
        _tag(entry, "id", f"urn:feed:{feed['id']}:{i['id']}")
        _tag(entry, "title", i["subject"])
        _tag(entry, "updated", _utc(i["at"]))
        Xml.SubElement(entry, "category", term="recalled" if i["recalled"] else i["kind"])
        content = _tag(entry, "content", "" if i["recalled"] else i["body"])
        content.set("type", "text")
    Xml.indent(root)
    data: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _tag(parent: Xml.Element, name: str, text: str) -> Xml.Element:
    made = Xml.SubElement(parent, name)
    made.text = text
    return made


def _utc(ms: int) -> str:
    return clock.from_ms(ms, "UTC").astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _page(scene: Scene, feed: Row, items: list[Row]) -> bytes:
    shown = [{**i, "at": scene.local(i["at"]), "body": "" if i["recalled"] else i["body"]} for i in items]
    html: str = template(__package__ or "", "feed.html").render(
        feed=feed, items=shown, language=scene.meta["language"]
    )
    return html.encode()


def _text(scene: Scene, i: Row) -> str:
    body = "(recalled)" if i["recalled"] else i["body"]
    return f"{scene.local(i['at'])}  {i['id']}  {i['kind']}\n{i['subject']}\n{body}\n"
