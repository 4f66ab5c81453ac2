"""Grading: a read-only view of the evidence, typed comparators, criterion primitives, end reasons, protocols."""
