"""The program `codecairn`. It prints its version at once, and loads the command line for everything else."""

import gc
import os
import sys

from codecairn.core.isolation import drop_working_directory
from codecairn.version import VERSION

MAX_NEW_OBJECTS = 100_000
"""Objects that are made before the collector of garbage looks at them. It finds nothing in the modules of a command, which are
fewer; looking at each 700 of them took 5 of a search's 110 ms."""


def command() -> None:
    """Run the program and end the process."""
    gc.set_threshold(MAX_NEW_OBJECTS)
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
