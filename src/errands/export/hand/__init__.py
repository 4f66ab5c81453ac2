"""A fixture as files for a run by hand, and the record that a tester brings back from one."""
