"""One packed answer from memory and code, under a token budget."""

PROFILES = ("onboarding", "daily", "bugs", "implementation")
"""What a question may be about, for an answer from memory and code."""
