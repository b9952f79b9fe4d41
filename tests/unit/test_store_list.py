"""Which stores inside workspaces are remembered as ours."""

import sys
from pathlib import Path

import pytest

from codecairn.paths import user
from codecairn.trust.store_list import remember, remembered, written_file


def _stores(folder: Path, *names: str) -> list[Path]:
    stores = [folder.resolve() / name / ".codecairn" for name in names]
    for store in stores:
        store.mkdir(parents=True)
        remember(store)
    return stores


def test_stores_are_remembered_in_order_and_once(tmp_path: Path) -> None:
    assert remembered() == ()
    second, first = _stores(tmp_path, "with a space", "a")
    remember(first)
    assert remembered() == (first, second)
    assert written_file() == user.data_folder() / "workspace-stores", "of earlier versions, too"


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes rights there")
def test_store_is_remembered_under_its_real_name(tmp_path: Path) -> None:
    (store,) = _stores(tmp_path, "a")
    written_file().unlink()
    (tmp_path / "link").symlink_to(store)
    remember(tmp_path / "link")
    assert remembered() == (store,)


def test_another_folder_at_the_path_is_not_ours(tmp_path: Path) -> None:
    first, second = _stores(tmp_path, "a", "b")
    first.rename(tmp_path / "moved")
    assert remembered() == (second,)
    first.mkdir()
    assert remembered() == (second,)


@pytest.mark.parametrize("place", [0, 1], ids=["device", "inode"])
def test_device_and_inode_must_agree(tmp_path: Path, place: int) -> None:
    (store,) = _stores(tmp_path, "a")
    words = written_file().read_text().split(" ", 2)
    words[place] = str(int(words[place]) + 1)
    written_file().write_text(" ".join(words))
    assert remembered() == ()
    remember(store)
    assert remembered() == (store,)


def test_lines_that_are_torn_are_passed_over(tmp_path: Path) -> None:
    first, second = _stores(tmp_path, "a", "b")
    lines = written_file().read_text().splitlines(keepends=True)
    torn = ["\n", "1\n", "1 2\n", "one two /three\n", f"1 2 {tmp_path / 'missing'}\n", "1 2 \0\n"]
    written_file().write_text("".join([lines[0], *torn, lines[1]]))
    assert remembered() == (first, second)


@pytest.mark.parametrize("beyond", [0, 1])
def test_lines_beyond_four_mebibytes_are_not_read(tmp_path: Path, beyond: int) -> None:
    (store,) = _stores(tmp_path, "a")
    line = written_file().read_text().rstrip("\n")
    written_file().write_text("x" * (4 * 1024 * 1024 - 1 - len(line) + beyond) + "\n" + line)
    assert remembered() == ((store,) if not beyond else ())


def test_missing_store_and_unwritable_list_are_no_failure(tmp_path: Path) -> None:
    remember(tmp_path / "missing")
    assert not written_file().exists()
    user.data_folder().parent.mkdir(parents=True, exist_ok=True)
    user.data_folder().write_text("no folder")
    remember(tmp_path)
    assert remembered() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes rights there")
def test_list_is_private_and_never_written_through_a_link(tmp_path: Path) -> None:
    (store,) = _stores(tmp_path, "a")
    assert written_file().stat().st_mode & 0o777 == 0o600
    assert written_file().parent.stat().st_mode & 0o777 == 0o700
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    written_file().unlink()
    written_file().symlink_to(elsewhere)
    remember(store)
    assert elsewhere.read_text() == "theirs"
