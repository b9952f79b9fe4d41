"""The script that hosts start: `python -I -S run.py AGENT EVENT`, an interpreter without site packages.

The package is entered without its `__init__`, which costs more time than the rest of a call. A script is compiled at each start,
a module once, so the shim is a module of its own: `call`.
"""

import gc
import sys

FOLDER = __file__.rpartition("hooks")[0].rstrip("/\\")


def enter() -> None:
    """Make `codecairn` importable."""
    if "codecairn" not in sys.modules:
        package = type(sys)("codecairn")
        package.__path__ = [FOLDER]
        sys.modules["codecairn"] = package


if __name__ == "__main__":
    gc.disable()  # it ends long before there is anything to collect
    enter()
    from codecairn.hooks.call import main

    main(sys.argv[1:])
