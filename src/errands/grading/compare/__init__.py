"""Typed comparators: an agent's words are read as one value of a type, or refused, and then compared exactly.

One module a type, each with `read_x(value, …) -> X | None` (None: not readable as exactly one X) and
`same_x(given, expected, …) -> bool`; `texts` finds typed facts in prose. Nothing here tests for substrings.
"""
