"""Files of a workspace as they are read and written: bounds, modes, and what a failure leaves."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn.paths.workspace_files import (
    append_inside,
    create_inside,
    open_inside,
    open_regular,
    read_inside,
    read_regular,
    replace_inside,
)
from support.repository import Repository

Write = Callable[[Path, Path, bytes], None]


@pytest.fixture
def root(folder: Repository) -> Path:
    """An empty workspace."""
    return folder.root


@pytest.mark.parametrize(("size", "fits"), [(0, True), (9, True), (10, True), (11, False)])
def test_file_is_read_up_to_its_bound(root: Path, size: int, fits: bool) -> None:
    file = root / "file"
    file.write_bytes(b"x" * size)
    for read in (
        lambda: read_regular(file, max_bytes=10),
        lambda: read_inside(root, file, max_bytes=10),
    ):
        if fits:
            assert read() == b"x" * size
        else:
            with pytest.raises(OSError, match="more than 10 bytes"):
                read()


def test_new_file_is_written_once(root: Path) -> None:
    create_inside(root, root / "file", b"first\n")
    with pytest.raises(FileExistsError):
        create_inside(root, root / "file", b"second\n")
    assert (root / "file").read_bytes() == b"first\n"


def test_text_is_appended_after_what_is_there(root: Path) -> None:
    append_inside(root, root / "file", b"first\n")
    append_inside(root, root / "file", b"second\n")
    assert (root / "file").read_bytes() == b"first\nsecond\n"


def test_file_is_replaced_whole(root: Path) -> None:
    replace_inside(root, root / "file", b"a long first text\n")
    replace_inside(root, root / "file", b"short\n")
    assert (root / "file").read_bytes() == b"short\n"
    assert list(root.iterdir()) == [root / "file"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a matter of POSIX")
@pytest.mark.parametrize(
    ("write", "mask", "mode"),
    [
        (create_inside, 0o022, 0o644),
        (create_inside, 0o000, 0o666),
        (append_inside, 0o027, 0o640),
        (append_inside, 0o000, 0o666),
        (replace_inside, 0o000, 0o644),
    ],
)
def test_new_files_have_the_mode_of_a_working_tree_s(
    root: Path, write: Write, mask: int, mode: int
) -> None:
    before = os.umask(mask)
    try:
        write(root, root / "file", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "file").stat().st_mode) == mode


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a matter of POSIX")
@pytest.mark.parametrize(
    ("write", "mode"),
    [
        (append_inside, 0o600),
        (append_inside, 0o755),
        (replace_inside, 0o600),
        (replace_inside, 0o755),
        (replace_inside, 0o444),
    ],
)
def test_file_keeps_its_mode(root: Path, write: Write, mode: int) -> None:
    file = root / "file"
    file.write_bytes(b"")
    file.chmod(mode)
    write(root, file, b"x")
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_bytes() == b"x"


@pytest.mark.parametrize("write", [create_inside, replace_inside])
def test_failure_is_reported_and_leaves_nothing(root: Path, write: Write) -> None:
    with pytest.raises(TypeError):
        write(root, root / "file", "no bytes")  # type: ignore[arg-type]
    assert list(root.iterdir()) == []


def test_failure_leaves_what_was_there(root: Path) -> None:
    (root / "file").write_bytes(b"old")
    with pytest.raises(TypeError):
        replace_inside(root, root / "file", "no bytes")  # type: ignore[arg-type]
    assert (root / "file").read_bytes() == b"old"
    assert list(root.iterdir()) == [root / "file"]


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes rights there")
def test_reason_is_in_the_failure(root: Path) -> None:
    (root / "folder").mkdir()
    (root / "link").symlink_to("folder")
    os.mkfifo(root / "pipe")
    for name, reason in (
        ("folder", "it is a folder"),
        ("link", "it is a link"),
        ("pipe", "it is no regular file"),
    ):
        with pytest.raises(OSError, match=reason):
            open_regular(root / name)
    with pytest.raises(OSError, match="outside of the workspace"):
        open_inside(root / "folder", root / "pipe")
    with pytest.raises(OSError, match="it is a folder"):
        open_inside(root, root)
