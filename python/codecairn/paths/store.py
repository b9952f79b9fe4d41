"""The names of stores, and checks of their folders."""

import os
from pathlib import Path

try:  # the module that `hashlib` takes it from, without those of OpenSSL
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from codecairn.errors import StoreReadOnly

INDEX_FILE = "index.db"
"""The database of a store; a store exists if this file does."""

OWNER_FILE = "workspace"
"""The file in a store of the data folder, or in a copy of a shared one, that holds the path of its workspace."""

GITIGNORE = """\
# Written by codecairn: nothing here belongs in git but shared memory.
*
!/memory/
!/memory/*.jsonl
!/memory/.gitattributes
"""


def stores_folder(data_folder: Path) -> Path:
    """The folder of the stores that lie in the user's data folder."""
    return data_folder / "stores"


def global_store(data_folder: Path, root: Path) -> Path:
    """The store in the user's data folder of the workspace at `root`; it need not exist."""
    return stores_folder(data_folder) / global_name(root)


def global_name(root: Path) -> str:
    """A name for this workspace that is readable and distinct: the folder's name and a hash of its path."""
    digest: str = blake2b(os.fsencode(root), digest_size=8).hexdigest()
    readable = "".join(char if char.isalnum() or char in "-_." else "_" for char in root.name)
    return f"{readable[:40] or 'root'}-{digest}"


def store_exists(store: Path) -> bool:
    """Whether there is a store in this folder.

    Raises:
        StoreReadOnly: If another user's folder hides the answer.
    """
    try:
        return (store / INDEX_FILE).exists()
    except OSError as err:
        raise StoreReadOnly(f"the store `{store}` can't be read: {err.strerror or err}") from err


def database_identity(store: Path) -> tuple[int, int] | None:
    """Device and file number of the store's database, which no other database has while this one is open.

    `None` if there is no database.
    """
    try:
        found = (store / INDEX_FILE).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_writable(folder: Path) -> bool:
    """Whether files can be made in this folder, or the folder itself where it does not exist yet."""
    existing = folder
    try:
        while not existing.exists():
            existing = existing.parent
    except OSError:
        return False
    return os.access(existing, os.W_OK | os.X_OK)
