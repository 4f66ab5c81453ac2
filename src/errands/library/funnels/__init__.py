"""Errands on websites: funnels that end in an answer, a record, or just before what cannot be taken back."""
