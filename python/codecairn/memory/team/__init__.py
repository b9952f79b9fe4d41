"""What a team shares: facts as lines of files that travel with the commits."""
