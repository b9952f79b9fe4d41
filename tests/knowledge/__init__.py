"""Several roots searched as one, and who changed what is found."""
