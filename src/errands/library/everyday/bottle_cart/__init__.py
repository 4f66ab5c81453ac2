"""One bottle under a limit: an order is staged, its total shown, and nothing is paid. See Task.md."""
