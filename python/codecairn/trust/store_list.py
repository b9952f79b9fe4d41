"""Records the stores that were created inside workspaces, so that `uninstall --all --data` finds them.

The file is in the user's data folder and has one line per store: device, inode and path of its folder. Lines are only appended,
each by one write, so processes need no lock. A folder is a recorded store only while its device and inode match: a clone at the
same path is not.
"""

import os
from contextlib import suppress
from pathlib import Path

from codecairn.paths import user

FILE_NAME = "workspace-stores"

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not ours: a store takes about 80 bytes."""


def written_file() -> Path:
    """The file that holds the stores; it need not exist."""
    return user.data_folder() / FILE_NAME


def remember(store: Path) -> None:
    """Put down a store that was just made inside a workspace.

    Where the data folder can't be written, as for a sandboxed agent, it is not put down.
    """
    file = written_file()
    with suppress(OSError):
        canonical = store.resolve(strict=True)
        found = canonical.lstat()
        line = f"{found.st_dev} {found.st_ino} {canonical}\n"
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(file, flags, 0o600), "wb") as opened:
            opened.write(os.fsencode(line))


def remembered() -> tuple[Path, ...]:
    """The stores that are still the folders that they were made as, sorted."""
    try:
        with written_file().open("rb") as file:
            lines = os.fsdecode(file.read(MAX_BYTES)).splitlines()
    except OSError:
        return ()
    found = set()
    for line in lines:
        device, _, rest = line.partition(" ")
        inode, _, path = rest.partition(" ")
        with suppress(OSError, ValueError):
            state = Path(path).lstat()
            if (state.st_dev, state.st_ino) == (int(device), int(inode)):
                found.add(Path(path))
    return tuple(sorted(found))
