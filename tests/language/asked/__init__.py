"""What the simulated user is asked about: labelled sentences, and how well the rules of each language hear them."""
