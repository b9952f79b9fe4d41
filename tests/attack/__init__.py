"""What a hostile repository tries."""
