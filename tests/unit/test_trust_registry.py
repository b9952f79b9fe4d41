"""Which workspaces the user trusts."""

import json
import os
import sys
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError
from codecairn.paths import user
from codecairn.trust.registry import (
    distrust,
    is_trusted,
    registry_file,
    trust,
    trusted_roots,
)


def test_workspace_is_trusted_until_it_is_distrusted(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert not is_trusted(first)
    trust(first)
    trust(second)
    assert registry_file() == user.data_folder() / "trust.json", "of earlier versions, too"
    assert is_trusted(first)
    assert is_trusted(first / ".." / "first")
    assert not is_trusted(tmp_path)
    assert distrust(first)
    assert not distrust(first)
    assert (is_trusted(first), is_trusted(second)) == (False, True)


def test_another_folder_at_the_path_is_not_trusted(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    trust(root)
    root.rename(tmp_path / "moved")
    assert not is_trusted(root), "nothing lies there"
    root.mkdir()
    assert not is_trusted(root), "a fresh folder"
    assert not is_trusted(tmp_path / "moved"), "the old folder at another path"


def test_device_and_inode_must_agree(tmp_path: Path) -> None:
    trust(tmp_path)
    document = json.loads(registry_file().read_text())
    (identity,) = document["workspaces"].values()
    for key in ("device", "inode"):
        changed = {str(tmp_path.resolve()): {**identity, key: identity[key] + 1}}
        registry_file().write_text(json.dumps({"workspaces": changed}))
        assert not is_trusted(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"workspaces": []}', "[" * 100_000])
def test_damaged_registry_trusts_nothing_and_is_not_overwritten(
    tmp_path: Path, content: str
) -> None:
    trust(tmp_path)
    registry_file().write_text(content)
    assert not is_trusted(tmp_path)
    with pytest.raises(FileAccessError, match="trusted workspaces"):
        trust(tmp_path)
    assert registry_file().read_text() == content


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other access rights")
@pytest.mark.parametrize(
    ("mode", "counts"),
    [(0o600, True), (0o755, True), (0o620, False), (0o602, False), (0o666, False)],
)
def test_registry_counts_only_where_nobody_else_may_write_it(
    tmp_path: Path, mode: int, counts: bool
) -> None:
    trust(tmp_path)
    assert registry_file().stat().st_mode & 0o777 == 0o600
    assert registry_file().parent.stat().st_mode & 0o777 == 0o700
    registry_file().chmod(mode)
    assert is_trusted(tmp_path) == counts


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes root's rights")
def test_registry_of_another_user_trusts_nothing(tmp_path: Path) -> None:
    trust(tmp_path)
    os.chown(registry_file(), 12345, -1)
    assert not is_trusted(tmp_path)
    with pytest.raises(FileAccessError, match="another user"):
        trusted_roots()


def test_all_trusted_workspaces_are_listed_in_order_even_those_that_are_gone(
    tmp_path: Path,
) -> None:
    assert trusted_roots() == ()
    for name in ("b", "a", "c"):
        (tmp_path / name).mkdir()
        trust(tmp_path / name)
    (tmp_path / "c").rmdir()
    assert trusted_roots() == tuple(tmp_path.resolve() / name for name in "abc")
    assert distrust(tmp_path / "c")
    assert trusted_roots() == tuple(tmp_path.resolve() / name for name in "ab")


MAX_BYTES = 4 * 1024 * 1024


@pytest.mark.parametrize("size", [MAX_BYTES, MAX_BYTES + 1])
def test_registry_of_more_bytes_than_we_read_trusts_nothing(tmp_path: Path, size: int) -> None:
    trust(tmp_path)
    text = registry_file().read_text()
    registry_file().write_text(text.ljust(size))
    assert is_trusted(tmp_path) == (size <= MAX_BYTES)


def test_registry_of_terabytes_is_not_read_whole(tmp_path: Path) -> None:
    trust(tmp_path)
    os.truncate(registry_file(), 1 << 42)
    assert not is_trusted(tmp_path)
    with pytest.raises(FileAccessError, match="larger than 4,194,304 bytes"):
        trusted_roots()


def test_missing_folder_can_not_be_trusted(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="can't open"):
        trust(tmp_path / "missing")
    assert not registry_file().exists()


def test_registry_that_can_not_be_written_is_reported_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(tmp_path)
    before = sorted(registry_file().parent.iterdir())

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "other").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FileAccessError, match=r"can't write .*No space left") as caught:
            trust(tmp_path / "other")
    assert "free some space" in caught.value.hint
    assert sorted(registry_file().parent.iterdir()) == before
    assert trusted_roots() == (tmp_path.resolve(),)
