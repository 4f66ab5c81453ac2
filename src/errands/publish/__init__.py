"""What is made public of runs: cards, comparisons, references. Reads records, stats and the draw; nothing reads it but cli."""
