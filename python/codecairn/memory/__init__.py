"""What was said, done and decided: policy around the memory of the Rust core."""
