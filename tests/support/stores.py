"""Where the stores of a test's workspaces lie."""

from pathlib import Path

from codecairn.paths import user
from codecairn.paths.store import global_store


def store_of(root: Path) -> Path:
    """The store in the data folder of the workspace at `root`; it need not exist."""
    return global_store(user.data_folder(), root.resolve())
