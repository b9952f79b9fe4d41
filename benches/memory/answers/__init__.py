"""Fits and measures the model that judges whether a memory answers a prompt (`native/crates/memory/src/answers`)."""
