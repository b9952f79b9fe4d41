"""Promises of the hooks: what is heard, what is answered, and how fast."""
