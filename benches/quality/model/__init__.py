"""Train the built-in embedding model: from public repositories to the weights file that is compiled in."""
