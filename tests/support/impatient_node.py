"""A search node whose requests wait less for their commit: `python -m support.impatient_node SECONDS node …`."""

import sys

from codecairn.cli.main import main as command
from codecairn.node.app import NodeApp

if __name__ == "__main__":
    defaults = NodeApp.__init__.__kwdefaults__
    assert defaults is not None
    defaults["wait_s"] = float(sys.argv[1])
    sys.exit(command(sys.argv[2:]))
