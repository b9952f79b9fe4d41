"""The typed faces of the extension, the types that they take and return, and the processes and files of the same layer."""
