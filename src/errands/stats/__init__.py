"""The numbers: rates with their intervals, comparisons, and the gate's arithmetic; pure functions of plain records.

Nothing here reads a file. What each number means and when none is given: docs/statistics.md.
"""
