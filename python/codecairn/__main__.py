"""`python -m codecairn` equals the command `codecairn`."""

from codecairn.cli.main import command

if __name__ == "__main__":
    command()
