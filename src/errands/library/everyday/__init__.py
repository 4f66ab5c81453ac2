"""The everyday suite: errands over hours and days, over sessions, with other people (the second seed)."""
