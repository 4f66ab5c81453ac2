"""A weekly slot that leaves out the public holidays here and the days on which the office is closed."""
