"""Small memories of every format, each made by what was there when it was the newest.

`python -m support.old_memory` (in `tests`) makes the one of the present format anew. One that was released never changes.
"""

import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from codecairn import Workspace

FOLDER = Path(__file__).parents[1] / "fixtures" / "stores"
SETTINGS: dict[str, object] = {"memory.project": "harbour"}
EVENTS = 260
"""Enough for segments of several levels."""

FIRST = "The first lamp burned with a green flame"
DECISION = "We decided to keep the log in Redis because it expires its lines itself."
RULE = "Deployments go out on Fridays"
ANCHORED = "The tide reader's retry counts up"
CODE = "def retry(times):\n    return times + 1\n"


def format_of(database: bytes) -> int:
    """The format that a database says it has, in SQLite's header."""
    return int.from_bytes(database[60:64], "big")


def unpack(archive: Path, path: Path) -> None:
    """A memory of another time at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.decompress(archive.read_bytes()))


def fill(root: Path) -> Path:
    """Remember what every one of them holds; the database."""
    (root / "net.py").write_text(CODE, encoding="utf-8")
    with Workspace.open(root, settings=SETTINGS) as workspace:
        workspace.index()
        memory = workspace.memory
        memory.add(RULE, type="rule")
        memory.add(ANCHORED, type="note", symbols=["net.py::retry"])
        for number in range(EVENTS):
            text = f"The keeper lit lamp{number % 20} at dusk" if number else FIRST
            memory.record("keeper", text, role="user", hook="UserPromptSubmit")
        memory.record("other", DECISION, role="user", hook="UserPromptSubmit")
        return memory.path


def main() -> None:
    """Write the memory of the present format."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["CODECAIRN_HOME"] = str(Path(temporary) / "home")
        root = Path(temporary) / "harbour"
        root.mkdir()
        path = fill(root)
        script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')"
        subprocess.run([sys.executable, "-c", script, str(path)], check=True)
        database = path.read_bytes()
    target = FOLDER / f"memory-{format_of(database)}.db.xz"
    target.write_bytes(lzma.compress(database, preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{target.name}: {target.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
