"""Evidence: one canonical bundle an attempt, the folder of a run, and their verification."""
