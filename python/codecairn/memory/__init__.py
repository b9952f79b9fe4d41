"""Policy around the memory of the Rust core: events, facts, recall, injection."""
