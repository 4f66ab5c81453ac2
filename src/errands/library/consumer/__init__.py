"""Errands, by suite, group and task."""
