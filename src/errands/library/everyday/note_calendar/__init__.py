"""A note says what to discuss, the calendar when and with whom: an agenda from the two. See Task.md."""
