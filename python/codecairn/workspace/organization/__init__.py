"""All repositories of a user, searched as one."""
