"""The exam: the sitting with its one door, limits, drivers, and the pool that runs many attempts."""
