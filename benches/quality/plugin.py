"""codecairn as the public benchmark's harness sees it: `build(root)` and `search(query, k)`."""

import shutil
import tempfile
from pathlib import Path

from codecairn.config.layers import load
from codecairn.workspace.workspace import Workspace


class Index:
    """One indexed folder. Its store lies in a temporary folder: checkouts are never written."""

    def __init__(self, root: str, *, settings: dict[str, object] | None = None) -> None:
        self._store = Path(tempfile.mkdtemp(prefix="codecairn-quality-"))
        nowhere = self._store / "no-config.toml"
        config = load(None, arguments=settings or {}, environment={}, user_file=nowhere)
        self._workspace = Workspace(
            Path(root).resolve(), config.settings, store=self._store / "store"
        )
        self.chunks = self._workspace.index().chunks

    def search(self, query: str, k: int) -> list[tuple[str, int, int]]:
        """Path, first and last line of the best `k` places."""
        found = self._workspace.search(query, limit=k, refresh=False)
        return [(hit.path, hit.start_line, hit.end_line) for hit in found]

    def close(self) -> None:
        """Let go of the index and remove it."""
        self._workspace.close()
        shutil.rmtree(self._store, ignore_errors=True)


def build(root: str) -> Index:
    """Index this folder with default settings."""
    return Index(root)
