"""Check incoming invitations from abroad for a wrong time zone, clock change or date."""
