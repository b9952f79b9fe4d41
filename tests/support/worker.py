"""A process that works on a store without end, until it is killed: `python -m support.worker ROOT SEED`."""

import random
import sys
from pathlib import Path

from codecairn import Workspace


def main() -> None:
    root, chance = Path(sys.argv[1]), random.Random(int(sys.argv[2]))
    with Workspace.open(root, writer="a worker") as workspace:
        sys.stdout.write("working\n")
        sys.stdout.flush()
        workspace.index()
        while True:
            match chance.randrange(12):
                case 0 | 1:
                    workspace.index(force=True)
                case 2 | 3:
                    workspace.search("check the token of a session")
                case 4 | 5:
                    workspace.gc()
                case 6:
                    workspace.doctor(repair=True)
                case 7:
                    workspace.index(paths=["a"])
                case _:
                    workspace.index()


if __name__ == "__main__":
    main()
