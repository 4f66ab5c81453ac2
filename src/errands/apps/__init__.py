"""The apps of the world: one folder each, with its declaration and tools, `schema.sql` and `seed.py`."""
