"""A node's mirror of a git repository: what it fetches from, writes, removes, and makes again."""

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from codecairn.clock import SystemClock
from codecairn.errors import UsageError
from codecairn.node import folders
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
    mirror.check_out(repository.git("rev-parse", "HEAD"), tmp_path / "tree")
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
