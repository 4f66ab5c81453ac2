"""Mail: threads, folders, labels, drafts and sending, attachments, automatic replies, recall."""

from errands.world import App

mail = App("mail", __name__, scopes=("mail.read", "mail.write", "mail.send"))
FOLDERS = ("inbox", "sent", "archive", "trash")

from . import absence, drafting, reading, recall, sorting  # noqa: E402, F401  (they declare the tools)
