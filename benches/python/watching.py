"""How long a saved change takes to be found by another process while `codecairn watch` runs, and what that costs idle.

python -m benches.python.watching FOLDER [OUT.json]    (works on a copy; Linux only)
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benches.results import Figure, Results, default_folder, spread
from codecairn import Workspace

_ROUNDS = 9
_IDLE_S = 10


def main() -> None:
    results = Results("Watching")
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
            idle_s = _cpu_s(watch.pid) - before_s
            idle = f"idle, processor time in {_IDLE_S} s"
            threads = len([*Path(f"/proc/{watch.pid}/task").iterdir()])
            resident = resident_mb(watch.pid)
            found_s = [_saved_to_found_s(root, number) for number in range(_ROUNDS)]
            watch.terminate()
    figures = [
        Figure(measure=idle, value=idle_s, unit="s"),
        Figure(measure="threads", value=threads),
        Figure(measure="resident on an existing index", value=resident, unit="MB"),
        spread("change saved to found, median", found_s, "s"),
    ]
    results.add(figures, subject="watch")
    results.write(Path(sys.argv[2]) if sys.argv[2:] else default_folder() / "watching.json")


def _saved_to_found_s(root: Path, number: int) -> float:
    """Only the watch looks at files here."""
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


def resident_mb(process: int) -> float:
    """The resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    found = next(line for line in lines if line.startswith("VmRSS"))
    return int(found.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
