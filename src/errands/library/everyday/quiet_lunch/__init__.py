"""A quiet vegetarian lunch within budget, and what it costs to choose it. See Task.md."""
