"""The cheapest quote of one tier, on several pages of a car-insurance site. See Task.md."""
