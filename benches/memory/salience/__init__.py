"""Fits and measures the model of what is worth remembering (`native/crates/memory/src/salience`)."""
