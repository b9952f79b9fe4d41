"""Which workspaces the user trusts."""
