"""A renters-insurance quote for which a fact must be asked of the user. See Task.md."""
