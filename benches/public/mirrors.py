"""Files of a set's repository at the revision that figures are of, from a clone or a bare mirror."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from codecairn.errors import UsageError


class Mirror:
    """One revision of a repository."""

    def __init__(self, folder: Path, revision: str, address: str) -> None:
        self._git = ["git", "-C", str(folder)]
        self._revision = revision
        if subprocess.run(
            [*self._git, "cat-file", "-e", f"{revision}^{{commit}}"],
            check=False,
            capture_output=True,
        ).returncode:
            raise UsageError(
                f"{folder} does not have commit {revision} of {address}",
                hint=f"clone it: `git clone {address} {folder}`",
            )

    def paths(self, under: str) -> Iterator[str]:
        """The files below a folder, sorted."""
        listed = self._run("ls-tree", "-r", "-z", "--name-only", self._revision, "--", under)
        yield from filter(None, listed.decode("utf-8").split("\0"))

    def text(self, path: str) -> str:
        """A file's text."""
        return self.content(path).decode("utf-8")

    def content(self, path: str) -> bytes:
        """A file's bytes."""
        return self._run("show", f"{self._revision}:{path}")

    def _run(self, *arguments: str) -> bytes:
        return subprocess.run([*self._git, *arguments], check=True, capture_output=True).stdout
