"""Extracts what a project's own files say about it, before the first session."""
