"""A class for two, held on a site and not submitted. See Task.md."""
