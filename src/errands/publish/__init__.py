"""What is made public of runs: cards, comparisons, references. Nothing but the command line imports it."""
