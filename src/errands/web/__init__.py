"""Websites of a world: how one is declared, what a request does, what a browser gets. See `site`."""

from .fields import Choice, Counter, Day, Field, Number, Slider, Text, Tick
from .site import Button, Quote, Said, Site, Step

__all__ = [
    "Button",
    "Choice",
    "Counter",
    "Day",
    "Field",
    "Number",
    "Quote",
    "Said",
    "Site",
    "Slider",
    "Step",
    "Text",
    "Tick",
]
