"""A square invitation with green leaves, and the same on another background. See Task.md."""
