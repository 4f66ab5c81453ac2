"""How an attempt may end, and what that means: one table from which everything derives."""

from __future__ import annotations

from dataclasses import dataclass

from errands.core.types import Status


@dataclass(frozen=True, slots=True)
class Ending:
    """Who caused it (`agent`, `operator`, `exam`), the status it leads to, and what it means."""

    by: str
    status: Status
    timely: bool
    means: str


# Whatever the agent causes is graded. What is ours is invalid: unscored, counted and shown.
ENDINGS: dict[str, Ending] = {
    "completed": Ending(
        "agent", "graded", True, "the agent said its last word and the user had nothing to add"
    ),
    "turn_limit": Ending("agent", "graded", True, "the agent used all its turns"),
    "call_limit": Ending("agent", "graded", True, "the agent used all its calls"),
    "token_limit": Ending("agent", "graded", True, "the agent's models used all its tokens"),
    "size_limit": Ending("agent", "graded", True, "the agent's calls filled the record"),
    "timeout": Ending("agent", "graded", False, "the agent was still at work when its wall time was over"),
    "agent_error": Ending("agent", "graded", True, "the agent raised an exception"),
    "agent_died": Ending("agent", "graded", True, "the process of the agent ended or was killed three times"),
    "bad_reply": Ending("agent", "graded", True, "the agent returned something that is not a text"),
    "no_access": Ending("operator", "blocked", True, "the agent could not be reached or was refused access"),
    "foreign_tool": Ending(
        "operator", "blocked", True, "the agent had a tool that is not the exam's and was not allowed"
    ),
    "world_fault": Ending("exam", "invalid", True, "the world broke: a bug of ours"),
    "server_fault": Ending("exam", "invalid", True, "a server of ours between agent and world broke"),
    "sandbox_fault": Ending("exam", "invalid", True, "the sandbox could not be made, or was not tight"),
    "grading_fault": Ending("exam", "invalid", True, "a criterion raised: a bug of ours"),
}
