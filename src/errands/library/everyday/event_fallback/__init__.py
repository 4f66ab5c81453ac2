"""A venue for an event whose first choice is taken: an invitation and an entry, nothing sent or booked. See Task.md."""
