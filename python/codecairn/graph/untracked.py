"""Files of the index that git does not track.

git would find them by `--exclude-standard`, which matches each file with all patterns of a repository's `.gitignore`, and one pattern
of forty `*a` takes it longer than anyone waits. The index has matched them already, in time that is linear.
"""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from codecairn.core.git import git

_SUBMODULE = b"160000"


def untracked(root: Path, indexed: Iterable[str]) -> list[str]:
    """The paths of `indexed` that git does not track, in order; without those of submodules and repositories inside.

    Raises:
        HistoryUnavailable: If git fails.
    """
    tracked: set[str] = set()
    others = {"."}
    for line in git(root, "ls-files", "--stage", "-z").split(b"\0"):
        told, _, name = line.partition(b"\t")
        path = name.decode("utf-8", "replace")
        (others if told.startswith(_SUBMODULE) else tracked).add(path)
    own: dict[PurePosixPath, bool] = {PurePosixPath(path): path == "." for path in others}

    def is_own(folder: PurePosixPath) -> bool:
        """Whether a folder belongs to this repository."""
        unknown: list[PurePosixPath] = []
        while folder not in own:
            unknown.append(folder)
            folder = folder.parent
        is_known = own[folder]
        for inner in reversed(unknown):
            is_known = own[inner] = is_known and not os.path.lexists(root / inner / ".git")
        return is_known

    return [path for path in indexed if path not in tracked and is_own(PurePosixPath(path).parent)]
