"""Makes the dictionary by which questions in other languages than English are searched for, and measures it."""
