"""Work sessions of invented projects, with what is worth remembering of them and what later prompts need.

`README.md` tells the format of the scripts and what is measured.
"""
