"""Comparing quotes: insurance, loans and utilities, on comparison sites."""
