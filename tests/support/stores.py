"""Where the stores of a test's workspaces lie."""

import json
import subprocess
import sys
from pathlib import Path

from codecairn.paths import user
from codecairn.paths.store import global_store


def store_of(root: Path) -> Path:
    """The store in the data folder of the workspace at `root`; it need not exist."""
    return global_store(user.data_folder(), root.resolve())


def run_sql(root: Path, *statements: str) -> list[list[object]]:
    """Run statements on a closed index, and return the rows of the last; by another process, as two SQLite libraries
    must not share a database."""
    program = (
        "import json, sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "found = [connection.execute(each).fetchall() for each in sys.argv[2:]]\n"
        "print(json.dumps(found[-1]))\n"
    )
    database = str(store_of(root) / "index.db")
    command = [sys.executable, "-I", "-c", program, database, *statements]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows: list[list[object]] = json.loads(done.stdout)
    return rows
