"""The programs that agents live in: where they are configured, and how codecairn is entered and taken out again."""
