"""Websites of a world: how one is declared, what a request does, what a browser gets. See `site`."""

from .fields import Choice, Counter, Day, Field, Number, Postcode, Slider, Text, Tick
from .site import Bill, Booking, Button, Quote, Rows, Said, Site, Step

__all__ = [
    "Bill",
    "Booking",
    "Button",
    "Choice",
    "Counter",
    "Day",
    "Field",
    "Number",
    "Postcode",
    "Quote",
    "Rows",
    "Said",
    "Site",
    "Slider",
    "Step",
    "Text",
    "Tick",
]
