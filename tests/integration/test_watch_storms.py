"""Watching when there is too much of everything: events, folders, watches; and by other means."""

import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from codecairn.config import layers
from codecairn.embedding.choice import choose
from codecairn.indexing import watch as watch_module
from codecairn.indexing.store_opening import Opening
from codecairn.indexing.watch import Update, Watch
from support.clock import FakeClock
from support.command import run
from support.corpus import write_modules
from support.repository import SMALL_PROJECT, Repository
from support.watched import PATIENCE_S, equals_full_index, kernel_watches, watched

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.write(".gitignore", "node_modules/\n*.log\n")
    repository.commit()
    return repository


@pytest.mark.timeout(300)
def test_storm_of_checkouts_ends_as_a_full_index_would(repository: Repository) -> None:
    write_modules(repository, files=3000, functions=1)
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "other")
    for seed in range(0, 3000, 2):
        repository.write(f"package{seed % 10}/module{seed}.py", f"def other_{seed}():\n    pass\n")
    repository.git("mv", "package1", "moved1")
    repository.commit()
    with watched(repository.root) as story:
        for _ in range(4):
            repository.git("checkout", "--quiet", "main")
            repository.git("checkout", "--quiet", "other")
        repository.write("final.py", "def final_word():\n    pass\n")
        story.until(lambda: story.defines("final_word"))
    assert story.defines("other_2")
    equals_full_index(repository.root)


@linux
def test_lost_events_lead_to_a_look_at_everything(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codecairn.indexing import watch_inotify

    overflow = watch_inotify.InotifyConstants.IN_Q_OVERFLOW
    lost = threading.Event()
    real = watch_inotify._events

    def lose(buffer: bytes) -> Iterator[tuple[int, int, str]]:
        if lost.is_set():
            return real(buffer)
        lost.set()
        return iter([(-1, overflow, "")])

    with watched(project.root) as story:
        monkeypatch.setattr(watch_inotify, "_events", lose)
        project.write("unseen/a.py", "def never_seen():\n    pass\n")
        story.until(lambda: story.defines("never_seen"))
        project.write("unseen/b.py", "def seen_again():\n    pass\n")
        story.until(lambda: story.defines("seen_again"))


@linux
def test_polling_when_watches_run_out(project: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes
    import errno

    from codecairn.indexing import watch_inotify

    real, left = watch_inotify.inotify_add_watch, [20]

    def scarce(*arguments: int) -> int:
        left[0] -= 1
        if left[0] >= 0:
            return int(real(*arguments))
        ctypes.set_errno(errno.ENOSPC)
        return -1

    monkeypatch.setattr(watch_inotify, "inotify_add_watch", scarce)
    monkeypatch.setattr(watch_module, "POLL_S", 0.05)
    monkeypatch.setattr(watch_module, "POLL_SHARE", 0)
    with watched(project.root) as story:
        assert not story.watch.is_polling
        for number in range(30):
            project.write(f"many/folder{number}/a.py", f"def number_{number}():\n    pass\n")
        story.until(lambda: story.defines("number_29"))
        assert story.watch.is_polling
        assert "from time to time" in story.notices[0]
        project.write("many/late.py", "def found_by_polling():\n    pass\n")
        story.until(lambda: story.defines("found_by_polling"))
        assert kernel_watches() == 0


@linux
@pytest.mark.parametrize("missing", ["an instance", "a watch"])
def test_system_without_watches_is_polled_from_the_start(
    missing: str, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ctypes
    import errno

    from codecairn.indexing import watch_inotify

    def refuse(*_arguments: int) -> int:
        ctypes.set_errno(errno.EMFILE if missing == "an instance" else errno.ENOSPC)
        return -1

    function = "inotify_init" if missing == "an instance" else "inotify_add_watch"
    monkeypatch.setattr(watch_inotify, function, refuse)
    monkeypatch.setattr(watch_module, "POLL_S", 0.05)
    monkeypatch.setattr(watch_module, "POLL_SHARE", 0)
    with watched(project.root) as story:
        assert (story.watch.is_polling, story.watch.watches) == (True, 0)
        (notice,) = story.notices
        assert "raise `fs.inotify.max_user_watches`" in notice
        project.write("late.py", "def found_by_polling():\n    pass\n")
        story.until(lambda: story.defines("found_by_polling"))
    assert kernel_watches() == 0


@linux
def test_watches_that_run_out_as_rules_change_lead_to_polling(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codecairn.indexing.watch_changes import WatchesExhausted
    from codecairn.indexing.watch_inotify import InotifySource

    def refuse(_source: InotifySource) -> None:
        raise WatchesExhausted

    monkeypatch.setattr(watch_module, "POLL_S", 0.05)
    monkeypatch.setattr(watch_module, "POLL_SHARE", 0)
    with watched(project.root) as story:
        assert not story.watch.is_polling
        monkeypatch.setattr(InotifySource, "resync", refuse)
        project.write(".gitignore", "*.log\n")
        story.until(lambda: story.watch.is_polling)
        project.write("late.py", "def found_by_polling():\n    pass\n")
        story.until(lambda: story.defines("found_by_polling"))


def test_disk_that_is_full_is_reported_and_tried_again(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codecairn.errors import DiskFull
    from codecairn.indexing.watch_target import Target

    real, failures = Target.index, []

    def full(*arguments: object, **options: object) -> object:
        if not failures:
            failures.append("once")
            raise DiskFull("no space left on the disk")
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watch_module, "_RETRY_S", 0.05)
    with watched(project.root) as story:
        monkeypatch.setattr(Target, "index", full)
        project.write("late.py", "def found_at_last():\n    pass\n")
        story.until(lambda: story.defines("found_at_last"))
        assert story.notices == ["no space left on the disk"]


class NoisyClock(FakeClock):
    """Goes on with each change that is seen, and with nothing else: for a watch there is never a moment of quiet."""

    def monotonic_s(self) -> float:
        if threading.current_thread().name == "codecairn-inotify":
            self.time_s += 0.1
        return self.time_s


def _watch(root: Path, clock: FakeClock, updates: "queue.Queue[Update]") -> Watch:
    settings = layers.load(root).settings
    opening = Opening(
        root=root,
        settings=settings,
        read_only=False,
        writer="a test",
        given_store=None,
        choice=choose(settings),
    )
    return Watch(opening, arguments={}, on_update=updates.put, clock=clock)


@linux
def test_changes_without_a_pause_are_taken_in_after_a_while(project: Repository) -> None:
    clock, updates = NoisyClock(), queue.Queue[Update]()
    with _watch(project.root, clock, updates):
        assert updates.get(timeout=PATIENCE_S).paths is None
        began_s = clock.time_s
        for number in range(2_000):
            project.write(f"shop/late{number}.py", f"def late_{number}():\n    pass\n")
            with suppress(queue.Empty):
                found = updates.get(timeout=0.01)
                break
    assert found.paths
    assert clock.time_s >= began_s + 5


@linux
def test_changes_wait_while_git_is_busy_but_not_forever(project: Repository) -> None:
    clock, updates = FakeClock(), queue.Queue[Update]()
    lock = project.root / ".git" / "index.lock"
    with _watch(project.root, clock, updates):
        assert updates.get(timeout=PATIENCE_S).paths is None
        lock.touch()
        project.write("shop/late.py", "def late_addition():\n    pass\n")
        for _ in range(11):
            clock.time_s += 5.4
            with pytest.raises(queue.Empty):
                updates.get(timeout=0.1)
        for _ in range(PATIENCE_S):
            clock.time_s += 60.0  # as often as it takes: the change may have been seen late
            with suppress(queue.Empty):
                found = updates.get(timeout=1)
                break
        assert lock.exists()
    assert found.paths == ("shop/late.py",)


def test_polling_by_choice(project: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "POLL_S", 0.05)
    monkeypatch.setattr(watch_module, "POLL_SHARE", 0)
    with watched(project.root, poll=True) as story:
        assert story.watch.is_polling
        project.write("late.py", "def found_by_polling():\n    pass\n")
        story.until(lambda: story.defines("found_by_polling"))


def test_recursive_source_tells_the_same(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What macOS and Windows use, here on the observer that this system has."""
    from watchdog.observers import Observer

    from codecairn.indexing.watch_recursive import RecursiveSource

    monkeypatch.setattr(
        Watch,
        "_new_source",
        lambda _watch, places: RecursiveSource(project.root, places, observer=Observer),
    )
    with watched(project.root) as story:
        project.write("a/b/deep.py", "def deep_one():\n    pass\n")
        story.until(lambda: story.defines("deep_one"))
        (project.root / "a").rename(project.root / "z")
        project.write("debug.log", "x")
        story.until(
            lambda: run("peek", "deep", "--no-refresh", cwd=project.root).out.startswith("z/")
        )
        project.git("checkout", "--quiet", "-b", "other")
        project.write("z/b/deep.py", "def deeper_one():\n    pass\n")
        story.until(lambda: story.defines("deeper_one"))
    equals_full_index(project.root)
