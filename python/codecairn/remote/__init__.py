"""Requests to providers: the only transport, limits, budgets, keys and errors."""
