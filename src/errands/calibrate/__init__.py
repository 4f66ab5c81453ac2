"""Calibration: for every task, what passes when it should not, and what fails when it should pass."""
