"""A preference over several sessions: remembered, changed, deleted. See Task.md."""
