"""Small stores of every format that was released, each with the files it was made of.

`python -m support.old_store` (in `tests`) makes the one of the present format anew. One that was released never changes.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from codecairn import Workspace
from support.corpus import module_text
from support.repository import SMALL_PROJECT, Repository

FOLDER = Path(__file__).parents[1] / "fixtures" / "stores"

MODULES = 6


def files() -> dict[str, str]:
    """What the stores were made of; it never changes either."""
    modules = {f"a/module{seed}.py": module_text(seed, functions=5) for seed in range(MODULES)}
    return SMALL_PROJECT | modules


def unpack(archive: Path, folder: Path) -> Repository:
    """A workspace with a store of another time in it."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data") if sys.version_info >= (3, 12) else (
            packed.extractall(folder)
        )
    return Repository(folder)


def main() -> None:
    """Write the store of the present format: two generations, and texts that wait for a provider's vectors."""
    with tempfile.TemporaryDirectory() as temporary:
        repository = Repository(Path(temporary))
        repository.write_all(files())
        repository.write("gone.py", module_text(99, functions=3))
        with Workspace.open(repository.root, settings={"scope": "workspace"}) as workspace:
            workspace.index()
            (repository.root / "gone.py").unlink()
            workspace.index()
            version = workspace.status().format
        _empty_log(repository.root / ".codecairn" / "index.db")
        target = FOLDER / f"format-{version}.tar.xz"
        target.write_bytes(_packed(repository.root))
        sys.stdout.write(f"{target.name}: {target.stat().st_size:,} bytes\n")


def _empty_log(database: Path) -> None:
    script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')"
    subprocess.run([sys.executable, "-c", script, str(database)], check=True)


def _packed(root: Path) -> bytes:
    """The workspace as an archive that says nothing of the machine it was made on."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_file() and not name.endswith(
                ("write.lock", "write.owner", ".jsonl", "-shm")
            ):
                entry = tarfile.TarInfo(name)
                entry.size = path.stat().st_size
                entry.mtime = 1_000_000_000
                archive.addfile(entry, io.BytesIO(path.read_bytes()))
    return packed.getvalue()


if __name__ == "__main__":
    main()
