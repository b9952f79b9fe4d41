"""Extracts facts and summaries from a session's events, by models or by rules; the core's own rules run while recording."""
