"""Resolve two events booked over the same slot."""
