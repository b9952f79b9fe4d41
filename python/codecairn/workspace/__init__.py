"""One workspace, several of them, and their knowledge bases."""
