"""Repositories that lie in others, belong to others, or say that their files lie elsewhere."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from attack.hostile import CHANGED, ON_POSIX, Hostile, executing
from codecairn import SearchFilters, Workspace
from codecairn.errors import CodecairnError, HistoryUnavailable
from support.repository import Repository

pytestmark = ON_POSIX


def _nested(hostile: Hostile) -> Repository:
    """A repository inside the clone whose own configuration names the program."""
    nested = Repository.make(hostile.root / "nested")
    nested.write("inner.py", "def inner_price():\n    return 1\n")
    nested.commit()
    nested.git("config", "core.fsmonitor", str(hostile.program))
    return nested


def test_submodule_s_programs_are_not_run(hostile: Hostile) -> None:
    nested = _nested(hostile)
    hostile.write(
        ".gitmodules", '[submodule "nested"]\n\tpath = nested\n\turl = ./nested\n\tignore = none\n'
    )
    hostile.git("add", "--all")
    hostile.git("commit", "--quiet", "--message=submodule")
    hostile.git("config", "diff.submodule", "diff")
    hostile.git("config", "submodule.recurse", "true")
    nested.write("inner.py", "def inner_price():\n    return 2\n")
    hostile.was_executed()
    assert list(executing(hostile)) == []
    hostile.plain_git("status")
    assert hostile.was_executed()


def test_bare_repository_inside_a_clone_is_not_entered(hostile: Hostile) -> None:
    """A mere clone brings its configuration along: its files are ordinary ones."""
    shutil.copytree(_nested(hostile).root / ".git", hostile.root / "bare")
    shutil.rmtree(hostile.root / "nested")
    hostile.write("bare/price.py", "def bare_price():\n    return 1\n")
    hostile.git("config", "--file", "bare/config", "core.worktree", str(hostile.root / "bare"))
    hostile.git("config", "--file", "bare/config", "core.bare", "false")
    hostile.was_executed()
    with Workspace.open(hostile.root / "bare") as workspace:
        workspace.index()
    assert list(executing(hostile)) == []
    with Workspace.open(hostile.root / "bare") as workspace:
        with suppress(CodecairnError):
            workspace.graph.impact()
        with suppress(CodecairnError):
            workspace.search("bare_price", filters=SearchFilters(blame=True))
    assert not hostile.was_executed()
    subprocess.run(["git", "status"], cwd=hostile.root / "bare", capture_output=True, check=False)
    assert hostile.was_executed()


def test_setting_of_another_working_tree_is_passed_over(hostile: Hostile, tmp_path: Path) -> None:
    elsewhere = Repository(tmp_path / "elsewhere")
    elsewhere.write("shop/basket.py", CHANGED.replace("def add_item", "def taken_item"))
    hostile.git("config", "core.worktree", str(elsewhere.root))
    with Workspace.open(hostile.root) as workspace:
        touched = {symbol.name for symbol in workspace.graph.impact().touched}
    assert "total_price" in touched
    assert "add_item" not in touched


def test_repository_of_another_user_is_refused_in_words(hostile: Hostile) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for file in (hostile.root, hostile.root / ".git", *(hostile.root / ".git").rglob("*")):
        os.chown(file, 65534, 65534)
    with Workspace.open(hostile.root) as workspace:
        for operation in (
            workspace.graph.impact,
            lambda: workspace.graph.impact("feature"),
        ):
            with pytest.raises(HistoryUnavailable, match="dubious ownership"):
                operation()
