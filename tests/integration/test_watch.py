"""Watching a real folder: what it watches, what it takes in, and how it ends."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from codecairn import CodecairnError, Workspace
from support.command import command, run
from support.corpus import write_modules
from support.repository import SMALL_PROJECT, Repository
from support.watched import PATIENCE_S, Watched, equals_full_index, kernel_watches, watched

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


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
        # Written to a temporary file and renamed, as vim, emacs and most IDEs do.
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
    equals_full_index(project.root)


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
    equals_full_index(project.root)


@linux
def test_ignored_folders_get_no_watch_and_no_thread(project: Repository) -> None:
    for number in range(2000):
        (project.root / f"node_modules/package{number}/lib").mkdir(parents=True)
    threads = len([*Path("/proc/self/task").iterdir()])
    with watched(project.root) as story:
        assert story.watch.watches == kernel_watches()
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
    assert kernel_watches() == 0
    assert not [t for t in threading.enumerate() if t.name.startswith("codecairn-")]


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
    equals_full_index(project.root)


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


@pytest.mark.parametrize("name", ["meta", ".bare", "keep/store.git"])
def test_folder_of_git_under_another_name_is_neither_watched_nor_indexed(
    folder: Repository, name: str
) -> None:
    (folder.root / name).parent.mkdir(exist_ok=True)
    folder.git("init", "--quiet", "--initial-branch=main", f"--separate-git-dir={name}")
    folder.write_all(SMALL_PROJECT)
    with watched(folder.root) as story:
        folder.commit()
        folder.git("pack-refs", "--all")
        folder.write(f"{name}/info/notes.py", "def kept_by_git():\n    pass\n")
        folder.write("shop/late.py", "def late_addition():\n    pass\n")
        story.until(lambda: story.defines("late_addition"))
        assert not story.defines("kept_by_git")
        assert not [path for path in story.workspace.paths() if path.startswith(f"{name}/")]
    equals_full_index(folder.root)


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
