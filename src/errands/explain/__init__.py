"""Why an attempt ended as it did: from its ledger and the nearest accepted solution, without any model."""
