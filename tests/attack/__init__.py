"""Attacks by what a user opens: none does harm."""
