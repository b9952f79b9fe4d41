"""Context for agents under a token budget: answers from memory and code, and packs for a question or an edit."""

PROFILES = ("onboarding", "daily", "bugs", "implementation")
"""What a question may be about, for an answer from memory and code."""
