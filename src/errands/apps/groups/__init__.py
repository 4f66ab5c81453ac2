"""Group chats: threads in which several people speak, and meetings that are planned there and then scheduled.

A planned meeting is staged and nobody sees it; scheduling it is the commit, and puts it to everybody. A message is
speech, as a reply to the user is, and nothing staged. Members speak by events of the fixture, and in answer to what is
posted (`members.py`); whoever is at the agent's end is told of each new message.
"""

from errands.world import App

groups = App("groups", __name__, scopes=("groups.read", "groups.post", "groups.schedule"))

from . import meetings, members, threads  # noqa: E402, F401  (they declare the tools)
