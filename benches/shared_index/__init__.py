"""How a shared index compares with one that is made in place."""
