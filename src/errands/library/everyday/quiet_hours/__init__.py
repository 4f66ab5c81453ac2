"""Quiet hours: nothing rings at night, a digest in the morning, and no commitment without a yes. See Task.md."""
