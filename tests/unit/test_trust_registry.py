"""Which workspaces the user trusts."""

import json
import sys
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError
from codecairn.trust.registry import distrust, is_trusted, registry_file, trust


def test_workspace_is_trusted_until_it_is_distrusted(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert not is_trusted(first)
    trust(first)
    trust(second)
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
def test_registry_that_others_may_write_trusts_nothing(tmp_path: Path) -> None:
    trust(tmp_path)
    assert registry_file().stat().st_mode & 0o777 == 0o600
    registry_file().chmod(0o666)
    assert not is_trusted(tmp_path)
