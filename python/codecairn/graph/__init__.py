"""Questions to the code graph: uses, impact of a change, structure."""
