"""Everything that an index can be seen to hold, to compare two of them."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codecairn import Workspace
from codecairn.core.types.hits import SearchResult
from support.corpus import module_text

QUERIES = (
    "check the token of a session",
    "merge ledger",
    "load_basket",
    "module number 7",
    "parcel",
)
NAMES = ("load_basket_3_0", "check_token_7_1")


def answers(root: Path, *, names: Sequence[str] = NAMES) -> list[Any]:
    """What the index of this folder answers, as it is: nothing is taken in before."""
    with Workspace.open(root, settings={"search.limit": 50}) as workspace:
        status = workspace.status()
        found: list[SearchResult] = [
            workspace.search(query, explain=True, refresh=False) for query in QUERIES
        ]
        found += [workspace.similar(module_text(3, functions=1), refresh=False)]
        found += [workspace.define(name, refresh=False) for name in names]
        return [status.files, status.chunks, status.symbols, [result.hits for result in found]]


def answers_of_full_index(root: Path, *, names: Sequence[str] = NAMES) -> list[Any]:
    """What an index answers that is made from nothing of the same files."""
    with tempfile.TemporaryDirectory(prefix="codecairn-full-") as folder:
        fresh = Path(folder) / "fresh"
        shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(".codecairn"), symlinks=True)
        with Workspace.open(fresh) as workspace:
            workspace.index()
        return answers(fresh, names=names)
