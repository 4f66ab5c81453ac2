"""The command line, explanations, records and the page, as a person meets them."""
