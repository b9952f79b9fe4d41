"""What servers of codecairn share: where they listen, and their connections."""
