"""A search node that dies at a step of preparing a commit: `python -m support.dying_node STEP node …`.

A step is a run of git, a write of an object to the cache, before it, within it or after it; the adoption of documents; the run of
indexing; the state that a pull leaves; the removal of a folder, and the file that says that a commit is ready.
"""

import sys
from pathlib import Path
from typing import Any

from codecairn.cli.main import main as command
from codecairn.core.index_transfer import IndexTransfer
from codecairn.node import mirror, prepared_commit
from codecairn.objects import folder_store
from codecairn.objects.folder_store import FolderStore
from codecairn.replication import pulling, remote_index
from support.dying_remote import Steps


def main(last: int, arguments: list[str]) -> int:
    """Run a node that dies on the way."""
    steps = Steps(last)
    remote_index.AT_ONCE = 1  # so that the number of a step means the same each time
    write = folder_store.write_atomically

    def write_and_leave_half(file: Path, content: bytes, **named: Any) -> None:
        half = file.parent / f".{file.name}.half"
        half.write_bytes(content[: len(content) // 2])
        steps.step()
        write(file, content, **named)

    folder_store.write_atomically = write_and_leave_half  # type: ignore[assignment]
    FolderStore.put = steps.around(FolderStore.put)  # type: ignore[method-assign]
    IndexTransfer.adopt = steps.around(IndexTransfer.adopt)  # type: ignore[method-assign]
    IndexTransfer.index = steps.around(IndexTransfer.index)  # type: ignore[method-assign]
    pulling.write_state = steps.around(pulling.write_state)
    mirror.git = steps.around(mirror.git)
    mirror.start = steps.around(mirror.start)
    mirror.make_repository = steps.around(mirror.make_repository)
    prepared_commit.remove_folder = steps.around(prepared_commit.remove_folder)
    prepared_commit.write_atomically = steps.around(prepared_commit.write_atomically)
    return command(arguments)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
