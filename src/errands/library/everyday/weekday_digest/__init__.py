"""A digest at nine on five weekdays, and none once it is cancelled. See Task.md."""
