"""Teams on a real PostgreSQL server, with real login roles."""
