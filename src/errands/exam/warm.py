"""What every worker needs, imported once in the process from which workers are forked."""

from errands.tasks.registry import tasks

tasks()
