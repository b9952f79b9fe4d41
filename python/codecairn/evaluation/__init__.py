"""Judging search on questions of one's own: run, compare, sweep, and hold to budgets."""
