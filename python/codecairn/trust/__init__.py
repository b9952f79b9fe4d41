"""The workspaces that the user trusts."""
