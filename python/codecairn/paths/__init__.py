"""Where things lie: a workspace's root, its store, the user's own folders, and names inside a workspace."""
