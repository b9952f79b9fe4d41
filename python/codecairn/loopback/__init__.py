"""Servers for programs of this machine: where they listen, and their connections."""
