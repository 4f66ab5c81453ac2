"""A sitting seen from outside: so far the in-process seat."""

from .seat import Seat

__all__ = ["Seat"]
