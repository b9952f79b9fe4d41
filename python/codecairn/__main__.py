"""`python -m codecairn` equals the command `codecairn`."""

from codecairn.program import command

if __name__ == "__main__":
    command()
