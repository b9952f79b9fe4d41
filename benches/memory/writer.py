"""One process of the storm: records events, and says which were acknowledged and how long each took."""

import os
import sys
import time

from codecairn import Workspace


def main() -> None:
    """Arguments: the workspace, the process's name, the number of events."""
    root, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    memory = Workspace.open(root).memory
    print("ready", flush=True)
    told = sys.stdout.fileno()
    sys.stdin.readline()
    for number in range(count):
        key = f"{name}-{number}"
        body = (
            f"ran step {number} of {name}: the deployment of service {number % 7} needs port {8000 + number}, "
            "and the cache in front of it must be warmed before the first request arrives"
        )
        began = time.perf_counter()
        recorded = memory.record(name, body, key=key, role="assistant", hook="Stop")
        took = time.perf_counter() - began
        if not recorded.is_kept:
            raise SystemExit(f"{key} was not kept")
        os.write(told, f"{key} {took * 1000:.3f} {int(recorded.is_waiting)}\n".encode())
    # The others are still measured: the end of an interpreter takes as much of the processors as a hundred events.
    sys.stdin.readline()


if __name__ == "__main__":
    main()
