"""A store of every released format opens, answers, and goes on."""

from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.trust.store_trust import adopt
from support.answers import answers, answers_of_full_index
from support.old_store import FOLDER, files, unpack
from support.repository import Repository

STORES = sorted(FOLDER.glob("format-*.tar.xz"))


def _adopted(archive: Path, folder: Path) -> Repository:
    """A workspace with a store of another time in it, which the user trusts."""
    repository = unpack(archive, folder / "workspace")
    assert adopt(repository.root)
    return repository


def _format(archive: Path) -> int:
    return int(archive.name.removeprefix("format-").partition(".")[0])


@pytest.fixture(params=STORES, ids=lambda path: path.name.partition(".")[0])
def archive(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_there_is_a_store_of_every_format(tmp_path: Path) -> None:
    """If this fails: `python -m support.old_store` in `tests`, and commit what it makes."""
    with Workspace.open(tmp_path) as workspace:
        workspace.index()
        assert _format(STORES[-1]) == workspace.status().format


def test_old_store_is_searched_without_being_written(archive: Path, tmp_path: Path) -> None:
    repository = _adopted(archive, tmp_path)
    before = (repository.root / ".codecairn" / "index.db").read_bytes()
    if _format(archive) == _format(STORES[-1]):
        with Workspace.open(repository.root, read_only=True) as workspace:
            assert workspace.search("verify token")[0].path == "shop/tokens.py"
            assert workspace.doctor() == ()
    assert (repository.root / ".codecairn" / "index.db").read_bytes() == before


def test_old_store_goes_on_with_what_changed(archive: Path, tmp_path: Path) -> None:
    repository = _adopted(archive, tmp_path)
    repository.write("late.py", "def late_addition():\n    pass\n")
    with Workspace.open(repository.root) as workspace:
        assert workspace.search("verify token")[0].path == "shop/tokens.py"
        report = workspace.index()
        assert report.files == len(files()) + 1
        assert workspace.define("late_addition")[0].path == "late.py"
        assert workspace.doctor() == ()
    assert answers(repository.root) == answers_of_full_index(repository.root)


def test_store_of_this_format_needs_nothing_parsed_again(tmp_path: Path) -> None:
    """Unless the extractor changed: then everything is, once."""
    repository = _adopted(STORES[-1], tmp_path)
    repository.write("late.py", "def late_addition():\n    pass\n")
    with Workspace.open(repository.root) as workspace:
        assert workspace.index().parsed in (1, len(files()) + 1)
        assert workspace.index().parsed == 0


def test_store_of_before_is_left_alone_and_rebuilt_unless_it_is_trusted(
    archive: Path, tmp_path: Path
) -> None:
    repository = unpack(archive, tmp_path / "workspace")
    before = (repository.root / ".codecairn" / "index.db").read_bytes()
    with Workspace.open(repository.root) as workspace:
        assert workspace.search("verify token")[0].path == "shop/tokens.py"
        assert any("codecairn trust" in note for note in workspace.status().notes)
        assert workspace.store != repository.root / ".codecairn"
    assert (repository.root / ".codecairn" / "index.db").read_bytes() == before
