"""Models outside the core: providers, what is known of their models, limits, costs. Nothing here opens a store."""
