"""Prepare a briefing pack for tomorrow's meetings."""
