"""A calendar feed that is watched for an hour, and one notification if the next event is cancelled. See Task.md."""
