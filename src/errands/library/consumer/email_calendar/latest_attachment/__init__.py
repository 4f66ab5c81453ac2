"""The current version of a document in a long thread."""
