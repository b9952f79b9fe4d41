"""What a project's own files tell about it, before anybody has said a word."""
