"""Three people in a chat, one slot, and somebody who takes it back. See Task.md."""
