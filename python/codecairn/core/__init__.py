"""The typed faces of the extension, what they take and return, and the processes and files next to them."""
