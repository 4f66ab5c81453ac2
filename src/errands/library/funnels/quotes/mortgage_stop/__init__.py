"""Three mortgage offers compared, and a stop before the credit check. See Task.md."""
