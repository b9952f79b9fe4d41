"""Things that a process does to a store, each in two parts: what is there before, and what it does then.

`python -m support.stories STORY ROOT` does the second part in a process of its own.
"""

import os
import pickle
import shutil
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codecairn import Workspace
from codecairn.core.engine import Engine, copy_store
from codecairn.core.options import EngineOptions
from codecairn.core.types.embedding import NOTHING_SPENT, Delivery
from codecairn.errors import CodecairnError, NotIndexed, UsageError
from support.corpus import module_text
from support.repository import Repository
from support.stores import store_of
from support.transfers import Parts, exported, imported, without_store


@dataclass(frozen=True)
class Story:
    """What is there before, and what the process does; `is_damaged` if the store is so from the beginning."""

    prepare: Callable[[Repository], None]
    act: Callable[[Path], None]
    is_damaged: bool = False


def _project(repository: Repository) -> None:
    for seed in range(6):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=4))
    repository.write("README.md", "# Parcels\n\nEach parcel has a token.\n")
    repository.commit()


def _indexed(repository: Repository) -> None:
    _project(repository)
    _index(repository.root)


def _edited(repository: Repository) -> None:
    _indexed(repository)
    repository.git("switch", "--quiet", "--create", "feature")
    for seed in range(3, 12):
        repository.write(f"a/module{seed}.py", module_text(seed + 20, functions=5))
    repository.git("mv", "a/module0.py", "moved.py")
    repository.git("rm", "--quiet", "a/module1.py")
    repository.commit()


def _touched(repository: Repository) -> None:
    _indexed(repository)
    for path in repository.root.glob("a/*.py"):
        os.utime(path)


def _large(repository: Repository) -> None:
    """So much that the log is emptied and the branch's view is kept."""
    for seed in range(70):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=250, statements=5))
    repository.commit()


def _with_garbage(repository: Repository) -> None:
    """Contents of a branch that is gone, vectors of a model that is not used, a file that nothing lists."""
    _edited(repository)
    with Workspace.open(repository.root, settings={"embedder": "feature-hash"}) as workspace:
        workspace.index()
    repository.git("switch", "--quiet", "main")
    _index(repository.root)
    repository.git("branch", "--quiet", "-D", "feature")
    for name in ("lexical-0.seg", "vector-0.seg"):
        unused = store_of(repository.root) / "segments" / name
        unused.write_text("of old", encoding="utf-8")
        os.utime(unused, (1, 1))


def _without_segments(repository: Repository) -> None:
    _indexed(repository)
    shutil.rmtree(store_of(repository.root) / "segments")


def _with_a_file_for_segments(repository: Repository) -> None:
    _without_segments(repository)
    (store_of(repository.root) / "segments").write_text("in the way", encoding="utf-8")


def _index(root: Path) -> None:
    with Workspace.open(root) as workspace:
        workspace.index()


def _collect(root: Path) -> None:
    with Workspace.open(root) as workspace:
        workspace.gc()


def _repair(root: Path) -> None:
    with Workspace.open(root) as workspace, suppress(NotIndexed):
        workspace.doctor(repair=True)


def _stand_in(root: Path) -> None:
    """What a sandbox does: a store that begins as a copy of one that can't be written."""
    original, store = root.parent / "original", store_of(root)
    if not original.exists():
        store.rename(original)
    copy_store(original, store)


def _embed_outside(root: Path) -> None:
    options = EngineOptions(
        root=root, store=store_of(root), embedder="static", outside=("test/constant@4", 4),
        include=(), exclude=(), read_only=False, writer="test", user_ignore=None,
    )  # fmt: skip
    engine = Engine(options)
    engine.index(force=False, progress=None)
    vector = struct.pack("<4f", 1.0, 0.0, 0.0, 0.0)
    rows = [(key, vector) for key in engine.waiting_hashes()]
    engine.deliver(Delivery(vectors=rows, spending=NOTHING_SPENT))
    engine.publish_vectors()
    engine.close()


def _parts_of(root: Path) -> Path:
    return root.parent / "parts"


def _with_parts(repository: Repository) -> None:
    """Parts of an index of the same files, and no index."""
    _indexed(repository)
    with _parts_of(repository.root).open("wb") as file:
        pickle.dump(exported(repository.root), file)
    without_store(repository.root)


def _take_in(root: Path) -> None:
    """What a pull does: a store that has documents already takes records alone."""
    parts: Parts = pickle.loads(_parts_of(root).read_bytes())
    try:
        imported(root, parts)
    except UsageError:
        imported(root, parts, with_segments=False)


MEMORY_POINTS = ("memory-rescue.copied", "memory-rescue.aside")
"""Steps of what is done to a memory; `test_memory_damage` reaches them."""

STORIES = {
    "first index": Story(_project, _index),
    "index of what changed": Story(_edited, _index),
    "index of what was touched": Story(_touched, _index),
    "index of much": Story(_large, _index),
    "collection of garbage": Story(_with_garbage, _collect),
    "repair": Story(_without_segments, _repair, is_damaged=True),
    "rescue": Story(_with_a_file_for_segments, _repair, is_damaged=True),
    "copy": Story(_indexed, _stand_in),
    "vectors from outside": Story(_indexed, _embed_outside),
    "adoption": Story(_with_parts, _take_in),
}


def main() -> None:
    """Act; where that fails because a point was armed to fail, act again: the process goes on."""
    act, root = STORIES[sys.argv[1]].act, Path(sys.argv[2])
    try:
        act(root)
    except CodecairnError:
        act(root)
        sys.stdout.write("failed once\n")


if __name__ == "__main__":
    main()
