"""Types of results: frozen data without a reference to the store that it came from."""
