"""Locations: a workspace's root, its store, the user's folders, and paths within a workspace."""
