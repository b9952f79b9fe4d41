"""`python -m codecairn` equals the command `codecairn`."""

import sys

from codecairn.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
