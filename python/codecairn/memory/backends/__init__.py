"""Backends of the memory: a knowledge graph that gets its events, and a Redis that several machines share.

The local memory is the truth, and no hook waits for a backend. Nothing is sent unless the user's own settings name one.
"""
