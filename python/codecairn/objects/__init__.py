"""Objects of shared indexes: where they lie, how they are sealed, signed and named.

A shared index is a set of immutable objects and one mutable pointer for each branch. Objects are encrypted under the
repository's key and named by the SHA-256 of what is stored, so the store that keeps them can neither read them nor change them unseen.
"""
