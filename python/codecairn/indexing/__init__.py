"""Policy around indexing."""
