"""One workspace, several of them, and the knowledge bases that are searched with them."""
