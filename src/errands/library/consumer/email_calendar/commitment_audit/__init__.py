"""Extract outstanding commitments from a mailbox thread set."""
