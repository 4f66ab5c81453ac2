"""Agent frameworks as pulled clients, each a small program in an environment of its own."""
