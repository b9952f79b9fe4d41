"""A process that dies at a step of publishing or pulling: `python -m support.dying_remote ROOT publish|pull STEP`.

A step is a write of an object, to the store or to the cache, before it, within it or after it; the adoption of documents; the run of
indexing; or the state that a pull leaves. The process kills itself at the step of this number, from 0, or ends and prints how
many there were.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from codecairn import Workspace
from codecairn.core.index_transfer import IndexTransfer
from codecairn.objects import folder_store
from codecairn.objects.folder_store import FolderStore
from codecairn.replication import pulling, remote_index


class Steps:
    """Counts steps, and dies at one."""

    def __init__(self, last: int) -> None:
        self.count = 0
        self._last = last

    def step(self) -> None:
        """One more."""
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def around(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, with a step before it and one after it."""

        def stepped(*values: Any, **named: Any) -> Any:
            self.step()
            result = work(*values, **named)
            self.step()
            return result

        return stepped


def main(root: str, what: str, last: int) -> None:
    """Act, and die on the way."""
    steps = Steps(last)
    remote_index.AT_ONCE = 1  # so that the number of a step means the same each time
    write = folder_store.write_atomically

    def write_and_leave_half(file: Path, content: bytes, **named: Any) -> None:
        half = file.parent / f".{file.name}.half"
        half.write_bytes(content[: len(content) // 2])
        steps.step()
        half.unlink()
        write(file, content, **named)

    folder_store.write_atomically = write_and_leave_half  # type: ignore[assignment]
    FolderStore.put = steps.around(FolderStore.put)  # type: ignore[method-assign]
    IndexTransfer.adopt = steps.around(IndexTransfer.adopt)  # type: ignore[method-assign]
    IndexTransfer.index = steps.around(IndexTransfer.index)  # type: ignore[method-assign]
    pulling.write_state = steps.around(pulling.write_state)
    with Workspace.open(root) as workspace:
        if what == "publish":
            workspace.remote.publish("shop")
        else:
            workspace.remote.pull()
    sys.stdout.write(f"{steps.count}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
