"""Recover from a reply sent to the wrong recipient."""
