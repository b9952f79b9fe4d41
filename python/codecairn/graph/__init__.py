"""Questions to the code graph: who uses what, what a change reaches, what the shape of the code tells."""
