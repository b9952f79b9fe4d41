"""Runs a script in an interpreter that coverage measures: `python -I measured.py SCRIPT [ARG]...`.

With `-S`, as hosts start codecairn, coverage is not loaded; and it saves what it has measured in `os._exit` alone, not in the function
of the same name that a process without the module `os` ends by.
"""

import os
import runpy
import sys

if os.name == "posix":
    import posix

    posix._exit = os._exit
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
