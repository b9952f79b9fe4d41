"""The memory that a team shares: facts as lines of committed files."""
