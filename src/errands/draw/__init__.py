"""The draw: from a frame of tasks to a batch, by rules and a seed. It imports `core` alone: it sees no result."""
