"""Trees of a mirrored repository: one checkout that moves from commit to commit, and the text of its files."""

import os
import subprocess
from pathlib import Path

_MAX_BYTES = 1_000_000


class Checkout:
    """The files of one commit in a folder. Moving writes only the files that differ.

    The git directory is read only: the index file lies at the folder's side.
    """

    def __init__(self, git: Path, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._environment = {
            **os.environ,
            "GIT_DIR": str(git.resolve()),
            "GIT_WORK_TREE": str(folder.resolve()),
            "GIT_INDEX_FILE": str(folder.resolve()) + ".index",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
        }

    def move(self, revision: str) -> None:
        """Bring the folder to the files of a commit. Files that a mirror lacks are left out."""
        command = ["git", "-c", "core.autocrlf=false", "read-tree", "--reset", "-u", revision]
        subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if not any(self.folder.iterdir()):
            raise FileNotFoundError(f"{revision} could not be written to {self.folder}")


def texts(folder: Path) -> dict[str, str]:
    """The text of each file below a folder by its path, sorted; no links, no binary and no very large files."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            found[path.relative_to(folder).as_posix()] = content.decode("utf-8", "replace")
    return found


def git_output(git: Path, *arguments: str) -> str:
    """What a command of git prints, read as UTF-8."""
    done = subprocess.run(
        ["git", f"--git-dir={git}", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return done.stdout.decode("utf-8", "replace")
