"""Files that are replaced in one step."""

import os
from pathlib import Path

import pytest

from codecairn.paths.atomic_write import write_atomically


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("before", [None, b"the old content, which is longer"])
def test_file_has_the_content_and_the_mode(folder: Path, before: bytes | None) -> None:
    file = folder / "file"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o644)
    write_atomically(file, b"new\r\n\xff")
    assert file.read_bytes() == b"new\r\n\xff"
    assert file.stat().st_mode & 0o777 == 0o600
    write_atomically(file, b"", mode=0o640)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"", 0o640)
    assert list(folder.iterdir()) == [file]


def test_content_is_written_aside_and_is_on_the_disk_before_it_replaces_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "file"
    file.write_bytes(b"old")
    asked: list[tuple[list[str], bytes, bytes]] = []

    def look(handle: int) -> None:
        (aside,) = set(folder.iterdir()) - {file}
        asked.append(([aside.name], aside.read_bytes(), file.read_bytes()))
        assert os.fstat(handle).st_ino == aside.stat().st_ino

    monkeypatch.setattr(os, "fsync", look)
    write_atomically(file, b"new")
    (((name,), aside, kept),) = asked
    assert name.startswith(".file.")
    assert (aside, kept) == (b"new", b"old")


@pytest.mark.parametrize("failing", ["fsync", "fdopen", "replace"])
def test_failure_leaves_the_old_content_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    file = folder / "file"
    file.write_bytes(b"old")

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(*((Path, failing) if failing == "replace" else (os, failing)), full)
        with pytest.raises(OSError, match="No space left"):
            write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(folder.iterdir()) == [file]


def test_link_is_replaced_and_not_followed(folder: Path) -> None:
    target, link = folder / "target", folder / "link"
    target.write_bytes(b"kept")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert (target.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"kept", b"new", False)


def test_missing_folder_is_an_error(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(folder / "missing" / "file", b"new")
