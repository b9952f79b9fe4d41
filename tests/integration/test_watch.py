"""Watching a real folder: what it watches, what it takes in, and how it ends."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from codecairn import CodecairnError, NotIndexed, Workspace
from codecairn.indexing import watch as watch_module
from codecairn.indexing.watch import Update, Watch
from support.command import command, run
from support.corpus import write_modules
from support.repository import SMALL_PROJECT, Repository

PATIENCE_S = 60

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


class Watched:
    """A workspace that is being watched, and what the watch told."""

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


def _equals_full_index(root: Path) -> None:
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


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.write(".gitignore", "node_modules/\n*.log\n")
    repository.commit()
    return repository


def test_saved_file_is_found_by_another_process(project: Repository) -> None:
    with watched(project.root) as story:
        project.write("shop/late.py", "def late_addition():\n    pass\n")
        assert story.next().paths == ("shop/late.py",)
        outcome = run("define", "late_addition", "--no-refresh", "--json", cwd=project.root)
        assert [hit["path"] for hit in outcome.document["results"]] == ["shop/late.py"]


def test_atomic_saves_of_editors(project: Repository) -> None:
    with watched(project.root) as story:
        target = project.root / "shop/tokens.py"
        # Written beside and renamed over, as vim, emacs and most IDEs do.
        project.write("shop/.tokens.py.swp~", "def renamed_over():\n    pass\n").replace(target)
        story.until(lambda: story.defines("renamed_over"))
        # The old one moved away, the new one written in its place.
        target.rename(project.root / "shop/tokens.py~")
        target.write_text("def written_anew():\n    pass\n")
        (project.root / "shop/tokens.py~").unlink()
        story.until(lambda: story.defines("written_anew"))
        # Deleted and made again.
        target.unlink()
        story.until(lambda: not story.defines("written_anew"))
        target.write_text("def made_again():\n    pass\n")
        story.until(lambda: story.defines("made_again"))
    _equals_full_index(project.root)


def test_folders_that_come_move_and_go(project: Repository) -> None:
    with watched(project.root) as story:
        project.write("a/b/c/deep.py", "def deep_one():\n    pass\n")
        story.until(lambda: story.defines("deep_one"))
        (project.root / "a").rename(project.root / "z")
        project.write("z/b/c/more.py", "def more_of_it():\n    pass\n")
        story.until(lambda: story.defines("more_of_it"))
        project.write("z/b/c/deep.py", "def deeper_one():\n    pass\n")
        story.until(lambda: story.defines("deeper_one"))
        outside = project.root.parent / "outside"
        (project.root / "z").rename(outside)
        story.until(lambda: not story.defines("deeper_one"))
        outside.rename(project.root / "back")
        story.until(lambda: story.defines("deeper_one"))
        project.write("back/b/c/deep.py", "def at_home():\n    pass\n")
        story.until(lambda: story.defines("at_home"))
    _equals_full_index(project.root)


@linux
def test_ignored_folders_get_no_watch_and_no_thread(project: Repository) -> None:
    for number in range(2000):
        (project.root / f"node_modules/package{number}/lib").mkdir(parents=True)
    threads = len([*Path("/proc/self/task").iterdir()])
    with watched(project.root) as story:
        assert story.watch.watches == _kernel_watches()
        # The root, docs, shop; .git, its info and refs/heads; the user's folders if they exist.
        assert story.watch.watches <= 3 + 3 + 2
        assert len([t for t in threading.enumerate() if t.name.startswith("codecairn-")]) == 2
        assert len([*Path("/proc/self/task").iterdir()]) <= threads + 2 + (os.cpu_count() or 1)
        before = story.watch.watches
        for number in range(50):
            (project.root / f"node_modules/late{number}").mkdir()
            project.write(f"node_modules/late{number}/index.js", "x")
        project.write("debug.log", "x")
        project.write("shop/late.py", "def late_addition():\n    pass\n")
        assert story.next().paths == ("shop/late.py",)
        assert story.watch.watches == before
    assert _kernel_watches() == 0
    assert not [t for t in threading.enumerate() if t.name.startswith("codecairn-")]


def _kernel_watches() -> int:
    """How many inotify watches this process has, as the kernel counts them."""
    count = 0
    for handle in Path("/proc/self/fdinfo").iterdir():
        try:
            count += handle.read_text().count("inotify wd:")
        except OSError:
            continue
    return count


def test_ignore_rules_that_change_change_what_is_watched(project: Repository) -> None:
    project.write("node_modules/a/index.js", "function fromPackage() { return 1; }\n")
    with watched(project.root) as story:
        assert not story.defines("fromPackage")
        project.write(".gitignore", "*.log\n")
        story.until(lambda: story.defines("fromPackage"))
        project.write("node_modules/a/more.js", "function furtherPackage() { return 1; }\n")
        story.until(lambda: story.defines("furtherPackage"))
        project.write(".gitignore", "node_modules/\n*.log\n")
        story.until(lambda: not story.defines("fromPackage"))
    _equals_full_index(project.root)


def test_settings_that_change_take_effect(project: Repository) -> None:
    project.write("docs/extra.md", "# Extra\n")
    with watched(project.root) as story:
        project.write(".codecairn.toml", 'exclude = ["docs/"]\n')
        story.until(lambda: story.workspace.status().files == len(SMALL_PROJECT) + 1)
        project.write(".codecairn.toml", "exclude = 7\n")
        story.until(lambda: any("stay in force" in notice for notice in story.notices))
        project.write("docs/more.md", "# More\n")
        project.write("shop/late.py", "def late_addition():\n    pass\n")
        # The project, its ignore file, the settings and the late one, without the guide.
        story.until(lambda: story.workspace.status().files == len(SMALL_PROJECT) + 2)
        assert story.watch.error is None


def test_branch_switch_swaps_the_catalog(project: Repository) -> None:
    project.git("checkout", "--quiet", "-b", "other")
    project.write("shop/tokens.py", "def only_on_other():\n    pass\n")
    project.commit()
    project.git("checkout", "--quiet", "main")
    with watched(project.root) as story:
        assert story.defines("verify_token")
        project.git("checkout", "--quiet", "other")
        story.until(lambda: story.defines("only_on_other"))
        assert not story.defines("verify_token")
        project.git("checkout", "--quiet", "main")
        story.until(lambda: story.defines("verify_token"))
        assert not story.defines("only_on_other")
        # No file differs, only the name.
        project.git("checkout", "--quiet", "-b", "third/of-them")
        story.until(lambda: story.workspace.status().indexed_at_ns > 0)
        project.write("shop/late.py", "def late_addition():\n    pass\n")
        commit = project.commit()
        story.until(lambda: story.workspace.status().head == commit)


def test_linked_worktree_is_watched_with_its_own_branch(project: Repository) -> None:
    project.git("worktree", "add", "--quiet", "../linked", "-b", "linked")
    linked = Repository(project.root.parent / "linked")
    with Workspace.open(project.root) as workspace:
        workspace.index()
    with watched(linked.root) as story:
        linked.write("shop/linked.py", "def only_linked():\n    pass\n")
        story.until(lambda: story.defines("only_linked"))
        linked.git("checkout", "--quiet", "-b", "again")
        story.until(lambda: story.workspace.status().indexed_at_ns > 0)
    with Workspace.open(project.root) as workspace:
        assert len(workspace.define("only_linked")) == 0


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
    _equals_full_index(repository.root)


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
        assert _kernel_watches() == 0


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
    _equals_full_index(project.root)


def test_watch_waits_for_another_writer(project: Repository) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold(_phase: str, _done: int, _total: int) -> None:
        entered.set()
        leave.wait(timeout=PATIENCE_S)

    with watched(project.root) as story, Workspace.open(project.root) as other:
        writer = threading.Thread(target=lambda: other.index(force=True, progress=hold))
        writer.start()
        assert entered.wait(PATIENCE_S)
        project.write("late.py", "def late_addition():\n    pass\n")
        assert run("define", "late_addition", cwd=project.root).code == 0
        leave.set()
        writer.join()
        story.until(lambda: story.defines("late_addition"))


def test_closing_breaks_off_and_leaves_nothing_behind(folder: Repository) -> None:
    write_modules(folder, files=300)
    story = Watched(folder.root)
    with story.watch:
        pass
    assert story.watch.wait(0)
    assert not story.watch.error
    with Workspace.open(folder.root) as workspace:
        assert workspace.index(wait=False).files == 300


def test_a_root_that_goes_away_ends_the_watch(folder: Repository) -> None:
    import shutil

    folder.write("a.py", "def here():\n    pass\n")
    story = Watched(folder.root)
    with story.watch:
        assert story.watch.ready.wait(PATIENCE_S)
        shutil.rmtree(folder.root)
        with pytest.raises(CodecairnError) as raised:
            story.watch.wait(PATIENCE_S)
    assert raised.value.code in {"bad-workspace", "store-read-only", "file-access"}


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_command_ends_in_good_order(project: Repository, name: str) -> None:
    process = subprocess.Popen(
        command("watch", "--jsonl"),
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert '"files": 7' in process.stdout.readline()
    project.write("late.py", "def late_addition():\n    pass\n")
    assert '"paths": ["late.py"]' in process.stdout.readline()
    process.send_signal(getattr(signal, name))
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert err.startswith("watching "), err
    assert len(err.splitlines()) == 1
