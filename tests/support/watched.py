"""A workspace that is being watched, as tests see it."""

import queue
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from codecairn import NotIndexed, Workspace
from codecairn.indexing.watch import Update
from support.command import command

PATIENCE_S = 60


class Watched:
    """A workspace that is being watched, and what the watch reported."""

    def __init__(self, root: Path, **options: bool) -> None:
        self.root = root
        self.updates: queue.Queue[Update] = queue.Queue()
        self.notices: list[str] = []
        self.workspace = Workspace.open(root, notify=self.notices.append)
        self.watch = self.workspace.watch(on_update=self.updates.put, **options)

    def next(self) -> Update:
        """The next update; fails if there is none for a long time."""
        return self.updates.get(timeout=PATIENCE_S)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; fails if it does not for a long time."""
        ends_s = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < ends_s, self.notices
            with suppress(queue.Empty):
                self.updates.get(timeout=0.1)

    def defines(self, name: str) -> bool:
        """Whether another reader finds the name without looking at any file."""
        with Workspace.open(self.root, read_only=True) as reader, suppress(NotIndexed):
            return len(reader.define(name, refresh=False)) > 0
        return False


@contextmanager
def watched(root: Path, **options: bool) -> Iterator[Watched]:
    """A folder with a watch on it that has come to rest."""
    story = Watched(root, **options)
    with story.workspace, story.watch:
        assert story.watch.ready.wait(PATIENCE_S)
        assert story.next().paths is None
        yield story
        assert story.watch.error is None


def equals_full_index(root: Path) -> None:
    """What the watch left is what a look at everything finds, and nothing is damaged."""
    with Workspace.open(root) as workspace:
        before = workspace.status()
        report = workspace.index(force=True)
        assert (report.added, report.modified, report.removed, report.renamed) == (0, 0, 0, 0)
        after = workspace.status()
        assert (before.files, before.chunks, before.symbols) == (
            after.files,
            after.chunks,
            after.symbols,
        )
        assert workspace.doctor() == ()


def kernel_watches() -> int:
    """How many inotify watches this process has, as the kernel counts them."""
    count = 0
    for handle in Path("/proc/self/fdinfo").iterdir():
        try:
            count += handle.read_text().count("inotify wd:")
        except OSError:
            continue
    return count


def watch_one_change(root: Path) -> None:
    """Run `codecairn watch` until it has indexed the folder and one change, and end it."""
    changed = root / "watched.py"
    process = subprocess.Popen(
        command("watch", "--jsonl"), cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )  # fmt: skip
    try:
        assert process.stdout is not None
        _read_until('"paths": null', process.stdout)
        changed.write_text("def is_watched():\n    return True\n")
        _read_until('"paths": ["watched.py"]', process.stdout)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
        changed.unlink(missing_ok=True)
    assert process.returncode == 0


def _read_until(part: str, lines: Iterable[str]) -> None:
    assert any(part in line for line in lines), part
