"""What users can do, each operation once: commands, tools, their schemas and docs are made from these functions."""
