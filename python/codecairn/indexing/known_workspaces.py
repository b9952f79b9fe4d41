"""The workspaces that this user has indexed on this machine.

They are found from the user's data folder: a store there names its workspace, and stores inside workspaces are listed. Nothing in a
repository can add itself.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from codecairn.indexing.store_copies import owner_of
from codecairn.paths import user
from codecairn.paths.store import INDEX_FILE, global_name, stores_folder
from codecairn.trust import store_list


def known_roots() -> tuple[Path, ...]:
    """The roots that have an index and still exist, sorted."""
    roots = (root for root in {*_global_roots(), *_roots_with_stores()} if root.is_dir())
    return tuple(sorted(roots))


def _global_roots() -> Iterator[Path]:
    """The workspaces of stores in the data folder; a store whose name is not that of the recorded root has been copied."""
    folder = stores_folder(user.data_folder())
    try:
        stores = [Path(entry.path) for entry in os.scandir(folder)]
    except OSError:
        return
    for store in stores:
        root = owner_of(store)
        if root is not None and global_name(root) == store.name and (store / INDEX_FILE).is_file():
            yield root


def _roots_with_stores() -> Iterator[Path]:
    return (store.parent for store in store_list.remembered() if (store / INDEX_FILE).is_file())
