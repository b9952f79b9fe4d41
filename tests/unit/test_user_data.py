"""Removing what codecairn put on the machine, entry by entry."""

import shutil
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError
from codecairn.paths import user
from codecairn.workspace.user_data import OwnEntry, remove


@pytest.fixture
def entries() -> list[OwnEntry]:
    """A folder, a file and a link to a folder in the data folder; what the link leads to is the user's."""
    data = user.data_folder()
    (data / "stores" / "a").mkdir(parents=True)
    (data / "memory.db").write_text("")
    elsewhere = user.home_folder() / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("")
    (data / "link").symlink_to(elsewhere)
    return [OwnEntry(path=data / name, what=name) for name in ("stores", "memory.db", "link")]


def test_all_entries_go_and_the_empty_folder_with_them(entries: list[OwnEntry]) -> None:
    assert remove(entries) == (entries, [])
    assert not user.data_folder().exists()
    assert (user.home_folder() / "elsewhere" / "kept").exists()
    assert remove(entries[1:2]) == (entries[1:2], []), "what is gone already is gone"


def test_entries_to_keep_stay_and_so_does_their_folder(entries: list[OwnEntry]) -> None:
    first, *rest = entries
    assert remove(entries, keep=[first.path]) == (rest, [])
    assert [each.name for each in user.data_folder().iterdir()] == ["stores"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(PermissionError(13, "Permission denied"), "Permission denied"), (OSError("busy"), "busy")],
)
def test_entry_that_can_not_be_removed_is_named_and_the_others_go(
    entries: list[OwnEntry], monkeypatch: pytest.MonkeyPatch, error: OSError, reason: str
) -> None:
    def rmtree(_path: Path) -> None:
        raise error

    monkeypatch.setattr(shutil, "rmtree", rmtree)
    stuck, *rest = entries
    gone, problems = remove(entries)
    assert gone == rest
    assert [type(each) for each in problems] == [FileAccessError]
    assert problems[0].message == f"can't remove `{stuck.path}`: {reason}"
    assert [each.name for each in user.data_folder().iterdir()] == ["stores"]


def test_folder_of_another_program_stays_when_it_is_empty(tmp_path: Path) -> None:
    other, store = tmp_path / "other", tmp_path / ".codecairn"
    for folder in (other, store):
        folder.mkdir()
        (folder / "file").write_text("")
    entries = [OwnEntry(path=folder / "file", what="a file") for folder in (other, store)]
    assert remove(entries) == (entries, [])
    assert (other.exists(), store.exists()) == (True, False)
