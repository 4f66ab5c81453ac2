"""A call to a test number, with the user's yes, and what was answered there. See Task.md."""
