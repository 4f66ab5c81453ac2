"""What a task is: the reader of Task.md, the builder of fixtures, solutions, variants, and the registry."""

from .build import Build, Key, Who, answers
from .task import Task

__all__ = ["Build", "Key", "Task", "Who", "answers"]
