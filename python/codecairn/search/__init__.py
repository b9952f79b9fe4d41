"""Policy around searching: filters, remote rerankers, excerpts."""
