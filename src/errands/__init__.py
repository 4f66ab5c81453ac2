"""Errands: an open exam for personal agents, graded from the world's own records."""

__version__ = "0.1.0"
