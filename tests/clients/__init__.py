"""Real clients without a hosted model: scripts of recorded solutions, and a server that plays them."""
