"""A car-insurance form whose session ends, and mixes up two answers. See Task.md."""
