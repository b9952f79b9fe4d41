"""Asking somebody over the network: the one way out, limits, budgets, keys, and failures in words."""
