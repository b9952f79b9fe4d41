"""A node's mirror of a git repository: what it fetches from, writes, removes, and makes again."""

import os
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from codecairn.clock import SystemClock
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.node import folders
from codecairn.node.access import Refusal
from codecairn.node.gate import Gate
from codecairn.node.mirror import Mirror, require_address
from support.repository import Repository


@pytest.fixture
def mirror(repository: Repository, tmp_path: Path) -> Mirror:
    """A mirror that has fetched one commit with one file."""
    repository.write("shop/basket.py", "basket = []\n")
    repository.commit("first")
    made = Mirror(tmp_path / "node" / "mirror", str(repository.root), clock=SystemClock())
    made.fetch(since_s=0)
    return made


@pytest.mark.parametrize(
    "address", ["https://ann:t0ken@git.example.com/x.git", "ssh://ann:a@t0ken@git.example.com/x"]
)
def test_an_address_with_a_password_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(UsageError, match="has a password") as caught:
        require_address(address)
    assert "t0ken" not in caught.value.message
    assert "credential helper" in caught.value.hint


@pytest.mark.parametrize(
    "address",
    ["https://ann@git.example.com:8443/x.git", "ssh://git@git.example.com:22/x", "git@host:x/y@z"],
)
def test_an_address_with_a_user_and_a_port_is_none_with_a_password(address: str) -> None:
    assert require_address(address) == address


def test_a_commit_is_checked_out_where_text_files_get_other_line_ends(
    mirror: Mirror, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_as_on_windows(file: Path, text: str, **_options: Any) -> int:
        return file.write_bytes(text.replace("\n", "\r\n").encode())

    monkeypatch.setattr(Path, "write_text", write_as_on_windows)
    mirror.check_out(repository.git("rev-parse", "HEAD"), tmp_path / "tree", max_bytes=1 << 20)
    assert (tmp_path / "tree/shop/basket.py").read_bytes() == b"basket = []\n"


@pytest.mark.skipif(sys.platform == "win32", reason="imitates Windows")
def test_read_only_files_are_removed_where_that_takes_another_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mirror/.git/objects/pack/one.pack"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"pack")
    file.chmod(0o444)
    unlink = os.unlink

    def unlink_as_on_windows(path: str, *, dir_fd: int | None = None) -> None:
        if not os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode & stat.S_IWRITE:
            raise PermissionError(path)
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink_as_on_windows)
    folders.remove_tree(tmp_path / "mirror")
    folders.remove_tree(tmp_path / "mirror")
    assert not (tmp_path / "mirror").exists()


def _pushed_equal_folders(repository: Repository, *, levels: int) -> str:
    """A commit of ten equal folders within each other, so many levels deep."""
    blob = repository.git("rev-parse", "HEAD:shop/basket.py")
    made, kind = blob, "100644 blob"
    for _ in range(levels):
        listing = "".join(f"{kind} {made}\t{number}\n" for number in range(10))
        file = repository.root.with_name("listing")
        file.write_text(listing)
        with file.open() as given:
            made = subprocess.run(
                ["git", "mktree"], stdin=given, cwd=repository.root, check=True, capture_output=True, text=True,
            ).stdout.strip()  # fmt: skip
        kind = "040000 tree"
    commit = repository.git("commit-tree", "-m", "equal", made)
    repository.git("branch", "equal", commit)
    return commit


@pytest.mark.parametrize(("levels", "limit"), [(3, 500), (10, 20_000)])
def test_a_commit_with_more_files_than_the_limit_is_refused_before_it_is_written(
    mirror: Mirror,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    levels: int,
    limit: int,
) -> None:
    monkeypatch.setattr("codecairn.node.mirror.MAX_ENTRIES", limit)
    commit = _pushed_equal_folders(repository, levels=levels)
    mirror.fetch(since_s=time.monotonic())
    with pytest.raises(Refusal, match=f"more than {limit:,} files and folders"):
        mirror.check_out(commit, tmp_path / "tree", max_bytes=1 << 30)
    assert not (tmp_path / "tree").exists()


def test_a_commit_that_is_larger_than_the_cache_is_refused_before_it_is_written(
    mirror: Mirror, repository: Repository, tmp_path: Path
) -> None:
    repository.write("zeros", bytes(2_000_000))
    commit = repository.commit("large")
    mirror.fetch(since_s=time.monotonic())
    with pytest.raises(Refusal, match="more than 1,000,000 bytes, which is what"):
        mirror.check_out(commit, tmp_path / "tree", max_bytes=1_000_000)
    assert not (tmp_path / "tree").exists()
    mirror.check_out(commit, tmp_path / "tree", max_bytes=3_000_000)


def test_branches_are_not_looked_for_while_a_mirror_is_replaced(
    mirror: Mirror, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = repository.git("rev-parse", "HEAD")
    begun = threading.Event()

    def slow_swap(folder: Path, fresh: Path) -> None:
        folder.rename(folder.with_name("old"))
        begun.set()
        time.sleep(0.5)
        fresh.rename(folder)

    monkeypatch.setattr("codecairn.node.mirror.swap", slow_swap)
    blob = repository.git("rev-parse", "HEAD:shop/basket.py")
    (mirror.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with ThreadPoolExecutor(1) as pool:
        repaired = pool.submit(mirror.repair, head, generation=mirror.generation)
        assert begun.wait(10)
        assert mirror.branches_with(head) == ["main"]
        assert repaired.result()


def test_a_mirror_is_replaced_once_no_thread_reads_it_and_before_more_begin_to() -> None:
    gate, order = Gate(), []
    reading = gate.reading()

    def replace() -> None:
        with gate.replacing():
            order.append("replaced")

    def read() -> None:
        with gate.reading():
            order.append("read")

    with ThreadPoolExecutor(2) as pool:
        with reading:
            replaced = pool.submit(replace)
            while not gate._is_wanted:
                time.sleep(0.01)
            read_later = pool.submit(read)
            time.sleep(0.1)
            assert order == []
        replaced.result(10)
        read_later.result(10)
    assert order == ["replaced", "read"]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_a_mirror_that_is_closed_ends_the_git_that_fetches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, begun = tmp_path / "ssh", tmp_path / "begun"
    program.write_text(f"#!/bin/sh\ntouch {begun}\nsleep 15\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    mirror = Mirror(tmp_path / "mirror", "ssh://git.example.com/x.git", clock=SystemClock())
    with ThreadPoolExecutor(1) as pool:
        fetched = pool.submit(mirror.fetch, since_s=0)
        while not begun.exists():
            time.sleep(0.02)
        began_s = time.monotonic()
        mirror.close()
        with pytest.raises(HistoryUnavailable):
            fetched.result(10)
        assert time.monotonic() - began_s < 5
        with pytest.raises(HistoryUnavailable):
            mirror.fetch(since_s=time.monotonic())
