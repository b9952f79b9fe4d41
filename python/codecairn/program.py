"""The program `codecairn`. It prints its version at once, and loads the command line for everything else."""

import os
import sys

from codecairn.core.isolation import drop_working_directory
from codecairn.version import VERSION


def command() -> None:
    """Run the program and end the process."""
    drop_working_directory()
    if sys.argv[1:] == ["--version"] and _is_printed(f"codecairn {VERSION}\n"):
        return
    from codecairn.cli.main import command as run

    run()


def _is_printed(line: str) -> bool:
    try:
        return os.write(1, line.encode()) == len(line)
    except OSError:  # reported by the command line
        return False
