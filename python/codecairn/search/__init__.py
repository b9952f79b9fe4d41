"""Policy around searching: what a query's filters mean, and what is shown of a hit."""
