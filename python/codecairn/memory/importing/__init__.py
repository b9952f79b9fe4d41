"""Imports other tools' memories from where they are stored, through the same privacy rules as all records."""
