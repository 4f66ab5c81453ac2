"""Two nights for two by train, step-free and refundable, within budget, and nothing booked. See Task.md."""
