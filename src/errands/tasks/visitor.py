"""Somebody at a website, as solutions need one: reads the page, and uses its controls by what they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from errands.core.errors import TaskError
from errands.core.types import Seat

FIELDS = ("textbox", "combobox", "checkbox", "radio", "slider", "spinbutton")
_LINE = re.compile(
    r"^(?P<indent> *)- '?(?P<role>[\w/]+)(?: \"(?P<name>(?:[^\"\\]|\\.)*)\")?"
    r"(?P<marks>[^:]*?)'?(?::(?: (?P<text>.*))?)?$"
)
_REF = re.compile(r"\[ref=(\w+)\]")


@dataclass(frozen=True)
class Element:
    """A line of a snapshot: how deep it stands, its role, name, text and ref."""

    depth: int
    role: str
    name: str
    text: str
    ref: str


def elements(snapshot: str) -> Iterator[Element]:
    """What stands on a page, in order."""
    for line in snapshot.splitlines():
        m = _LINE.match(line)
        if m is not None:
            ref = _REF.search(m["marks"] or "")
            text = (m["text"] or "").strip().strip('"')
            name = (m["name"] or "").replace('\\"', '"')
            yield Element(len(m["indent"]) // 2, m["role"], name, text, ref[1] if ref else "")


class Visitor:
    """At a site of the attempt, by the browser's tools; `page` is what stands there now."""

    def __init__(self, seat: Seat, site: str):
        self.seat = seat
        self.page: list[Element] = []
        self.url = ""
        self._take("browser_navigate", url=site)

    def _take(self, tool: str, **args: object) -> None:
        answer = self.seat.call(tool, **args)
        self.page, self.url = list(elements(answer["snapshot"])), answer["url"]

    def find(self, name: str, *roles: str) -> Element:
        """The one element of this name and one of these roles; `TaskError` with what there is."""
        found = [x for x in self.page if x.name == name and x.ref and (not roles or x.role in roles)]
        if len(found) != 1:
            there = ", ".join(f"{x.role} {x.name!r}" for x in self.page if x.name and x.ref)
            raise TaskError(
                f"{len(found)} elements are called {name!r}", where=self.url, expected=there[:600]
            )
        return found[0]

    def sees(self, words: str) -> bool:
        """Whether these words stand on the page."""
        return any(words in x.name or words in x.text for x in self.page)

    def says(self, name: str) -> str:
        """The value that stands beside a term of this name (the first)."""
        for term, value in zip(self.page, self.page[1:], strict=False):
            if term.role == "term" and name in (term.text, term.name):
                return value.text or value.name
        raise TaskError(f"the page says nothing of {name!r}", where=self.url)

    # ---- what a person does ----------------------------------------------------------------------------------

    def click(self, name: str, *roles: str) -> None:
        """Click a button, or what else has this name."""
        self._take("browser_click", ref=self.find(name, *(roles or ("button", "link"))).ref)

    def fill(self, answers: Mapping[str, str]) -> None:
        """Fill in fields by their labels: a text, a list's option, yes or no for what is ticked."""
        fields = {self.find(label, *FIELDS).ref: value for label, value in answers.items()}
        self._take("browser_fill", fields=fields)

    def press(self, name: str, key: str, times: int) -> None:
        """Press a key on an element, so often."""
        if times:
            self._take("browser_press", ref=self.find(name).ref, key=key, times=times)

    def drag(self, name: str, from_x: float, to_x: float) -> None:
        """Drag on an element from one share of its width to another."""
        self._take("browser_drag", ref=self.find(name).ref, from_x=from_x, to_x=to_x)

    def go(self, path: str) -> None:
        """Open a page of the site by its address, as from the history."""
        self._take("browser_navigate", url=self.home + path)

    @property
    def home(self) -> str:
        """Where the site is."""
        return "/".join(self.url.split("/")[:3])

    def step(self, answers: Mapping[str, str], button: str = "Continue") -> None:
        """Fill in a step and go on."""
        if answers:
            self.fill(answers)
        self.click(button)


def minor(amount: str) -> int:
    """An amount as a page shows it, in minor units: `$1,204.50` is 120450."""
    return int("".join(c for c in amount if c.isdigit()))


def past_the_page(v: Visitor, method: str, path: str, body: bytes = b"") -> int:
    """A request to the site's server by another client, as an agent with a shell might make it; its HTTP status."""
    import http.client

    host = v.home.removeprefix("http://")
    connection = http.client.HTTPConnection("127.0.0.1", int(host.rpartition(":")[2]), timeout=10)
    try:
        headers = {"Host": host, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, body or None, headers)
        return connection.getresponse().status
    finally:
        connection.close()
