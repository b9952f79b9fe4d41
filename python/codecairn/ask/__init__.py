"""One packed answer from memory and code, under a token budget."""
