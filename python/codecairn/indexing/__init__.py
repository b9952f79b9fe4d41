"""Policy around bringing an index up to date."""
