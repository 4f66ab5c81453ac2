"""A meeting is to be moved, two times are offered, one is free: a draft that proposes it. See Task.md."""
