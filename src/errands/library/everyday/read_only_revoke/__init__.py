"""An inbox that may only be read, and then not even that. See Task.md."""
