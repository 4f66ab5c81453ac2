"""Reschedule a meeting of three, one of them abroad."""
