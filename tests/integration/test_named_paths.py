"""Indexing named paths only: equal to a full look wherever the rest stayed as it was."""

import os
from pathlib import Path

import pytest

from codecairn import Workspace
from support.repository import SMALL_PROJECT, Repository


def _state(root: Path) -> object:
    with Workspace.open(root, read_only=True) as workspace:
        status = workspace.status()
        return status.files, status.chunks, status.symbols, status.skipped, workspace.skips()


def _anew(root: Path) -> object:
    """The state after everything was looked at."""
    with Workspace.open(root) as workspace:
        report = workspace.index()
        assert (report.added, report.modified, report.removed, report.renamed) == (0, 0, 0, 0)
    return _state(root)


@pytest.fixture
def indexed(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.write("logs/.keep", "")
    repository.write(".gitignore", "*.log\nout/\n")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    return repository


def _index(repository: Repository, *paths: str) -> tuple[int, int, int, int]:
    with Workspace.open(repository.root) as workspace:
        report = workspace.index(paths=paths)
        assert report.files == workspace.status().files
        return report.added, report.modified, report.removed, report.renamed


def test_only_the_named_file_is_taken_in(indexed: Repository) -> None:
    indexed.write("shop/tokens.py", "def renew_token():\n    pass\n")
    indexed.write("shop/basket.py", "def empty_basket():\n    pass\n")
    assert _index(indexed, "shop/tokens.py") == (0, 1, 0, 0)
    with Workspace.open(indexed.root) as workspace:
        assert len(workspace.define("renew_token", refresh=False)) == 1
        assert len(workspace.define("empty_basket", refresh=False)) == 0
        assert len(workspace.define("empty_basket")) == 1


def test_new_changed_and_gone_files_and_folders(indexed: Repository) -> None:
    indexed.write("shop/new/deep/a.py", "def deep_one():\n    pass\n")
    indexed.write("shop/new/out/b.py", "def ignored_one():\n    pass\n")
    indexed.write("shop/new/id_rsa", "secret\n")
    (indexed.root / "docs").rename(indexed.root / "handbook")
    (indexed.root / "shop/users.js").unlink()
    moved = _index(indexed, "shop/new", "docs", "handbook", "shop/users.js", "never/was")
    assert moved == (1, 0, 1, 1)
    assert _state(indexed.root) == _anew(indexed.root)


def test_file_that_becomes_a_folder_and_back(indexed: Repository) -> None:
    (indexed.root / "shop/users.js").unlink()
    indexed.write("shop/users.js/a.py", "def inside():\n    pass\n")
    assert _index(indexed, "shop/users.js") == (1, 0, 1, 0)
    (indexed.root / "shop/users.js/a.py").unlink()
    (indexed.root / "shop/users.js").rmdir()
    indexed.write("shop/users.js", SMALL_PROJECT["shop/users.js"])
    assert _index(indexed, "shop/users.js/a.py", "shop/users.js") == (1, 0, 1, 0)
    assert _state(indexed.root) == _anew(indexed.root)


def test_a_named_ignore_file_makes_it_a_look_at_everything(indexed: Repository) -> None:
    indexed.git("rm", "--quiet", "--cached", "-r", "shop")
    indexed.write(".gitignore", "*.log\nout/\nshop/\n")
    assert _index(indexed, ".gitignore") == (0, 1, 4, 0)
    assert _state(indexed.root) == _anew(indexed.root)


def test_another_commit_or_branch_makes_it_a_look_at_everything(indexed: Repository) -> None:
    indexed.write("shop/tokens.py", "def renew_token():\n    pass\n")
    indexed.git("checkout", "--quiet", "-b", "other")
    assert _index(indexed, "docs/guide.md") == (0, 1, 0, 0)
    indexed.write("shop/basket.py", "def empty_basket():\n    pass\n")
    indexed.commit()
    assert _index(indexed, "docs/guide.md") == (0, 1, 0, 0)
    assert _state(indexed.root) == _anew(indexed.root)


def test_files_left_out_are_told_and_forgotten(indexed: Repository) -> None:
    indexed.write("data.bin", bytes(range(256)) * 10)
    assert _index(indexed, "data.bin") == (0, 0, 0, 0)
    assert _state(indexed.root) == _anew(indexed.root)
    (indexed.root / "data.bin").unlink()
    _index(indexed, "data.bin")
    assert _state(indexed.root) == _anew(indexed.root)


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a/../../b", ""])
def test_paths_outside_are_never_read(indexed: Repository, path: str) -> None:
    (indexed.root.parent / "outside.py").write_text("def outside():\n    pass\n")
    assert _index(indexed, path) == (0, 0, 0, 0)


def test_an_unindexed_branch_is_indexed_whole(repository: Repository) -> None:
    repository.write_all(SMALL_PROJECT)
    with Workspace.open(repository.root) as workspace:
        assert workspace.index(paths=["docs"]).files == len(SMALL_PROJECT)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_named_link_is_not_followed(indexed: Repository) -> None:
    (indexed.root / "link.py").symlink_to("shop/tokens.py")
    assert _index(indexed, "link.py") == (0, 0, 0, 0)
    assert _state(indexed.root) == _anew(indexed.root)
