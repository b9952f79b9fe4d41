"""Language models: what they are asked and what they say; they are asked only if the user's own settings name them."""
