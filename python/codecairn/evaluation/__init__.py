"""Measures search on the user's own questions: run, compare, sweep, budgets."""
