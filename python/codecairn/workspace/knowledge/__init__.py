"""Searches several roots as one: a workspace with its knowledge bases, or several workspaces."""
