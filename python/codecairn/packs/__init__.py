"""Packs: what an agent needs to know before it works on code, under a token budget."""
