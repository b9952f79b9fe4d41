"""Embedding models outside the core: providers, known models, limits, costs. Nothing here opens a store."""
