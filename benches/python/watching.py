"""How long a saved change takes to be found by another process while `codecairn watch` runs, and what that costs idle.

python -m benches.python.watching FOLDER    (works on a copy; Linux only)
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from codecairn import Workspace

_ROUNDS = 9
_IDLE_S = 10


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "copy"
        shutil.copytree(sys.argv[1], root, ignore=shutil.ignore_patterns(".codecairn", ".git"))
        command = [sys.executable, "-m", "codecairn", "watch", "--jsonl", "--quiet"]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as watch:
            assert watch.stdout is not None
            watch.stdout.readline()
            time.sleep(1)
            before_s = _cpu_s(watch.pid)
            time.sleep(_IDLE_S)
            print(f"idle: {_cpu_s(watch.pid) - before_s:.2f} s of processor in {_IDLE_S} s")
            print(
                f"threads: {len([*Path(f'/proc/{watch.pid}/task').iterdir()])}, {memory_of(watch.pid)}"
            )
            found_s = sorted(_saved_to_found_s(root, number) for number in range(_ROUNDS))
            print(
                f"saved to found: median {statistics.median(found_s):.2f} s, {found_s[-1]:.2f} s at most"
            )
            watch.terminate()


def _saved_to_found_s(root: Path, number: int) -> float:
    """Nobody but the watch looks at files here."""
    with Workspace.open(root, read_only=True) as reader:
        name = f"late_addition_{number}"
        saved_s = time.monotonic()
        (root / f"late{number}.py").write_text(f"def {name}():\n    pass\n", encoding="utf-8")
        while not reader.define(name, refresh=False).hits:
            time.sleep(0.005)
        return time.monotonic() - saved_s


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process: int) -> str:
    """The resident memory of a process, in the system's words."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return " ".join(next(line for line in lines if line.startswith("VmRSS")).split())


if __name__ == "__main__":
    main()
