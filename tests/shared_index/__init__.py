"""Shared indexes: objects, publishing and pulling."""
