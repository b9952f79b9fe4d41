"""Promises to agents, held with the programs that they use."""
