"""`python -m codecairn` equals the command `codecairn`."""

from codecairn.core.isolation import drop_working_directory

if __name__ == "__main__":
    drop_working_directory()  # before anything else is imported
    from codecairn.cli.main import command

    command()
