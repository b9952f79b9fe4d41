"""What a search without a watcher looks at, and what it says about what it did not."""

import threading
from pathlib import Path

import pytest

from codecairn import Workspace
from support.corpus import write_modules
from support.repository import Repository

NO_TIME = {"search.refresh_budget_ms": 0}


@pytest.fixture
def indexed(folder: Repository) -> Repository:
    folder.write("pyproject.toml", "")
    write_modules(folder, files=60)
    folder.write("shop/tokens.py", "def verify_token():\n    pass\n")
    with Workspace.open(folder.root) as workspace:
        workspace.index()
    return folder


def test_without_time_nothing_is_looked_at_and_that_is_said(indexed: Repository) -> None:
    indexed.write("late.py", "def late_addition():\n    pass\n")
    with Workspace.open(indexed.root, settings=NO_TIME) as workspace:
        result = workspace.define("late_addition")
        assert result.hits == ()
        assert result.unchecked == 62
        freshness = workspace.refresh(budget_ms=0)
        assert (freshness.state, freshness.unchecked) == ("partial", 62)
        assert len(workspace.define("late_addition", refresh=False)) == 0
    with Workspace.open(indexed.root) as workspace:
        result = workspace.define("late_addition")
        assert len(result) == 1
        assert result.unchecked == 0


def test_files_of_shown_hits_are_looked_at_whatever_the_budget(indexed: Repository) -> None:
    indexed.write("shop/tokens.py", "import os\n\n\ndef verify_token():\n    return os.name\n")
    with Workspace.open(indexed.root, settings=NO_TIME) as workspace:
        result = workspace.define("verify_token")
        assert [(hit.start_line, "os.name" in hit.text) for hit in result] == [(4, True)]
        assert result.stale == ()
        (indexed.root / "shop/tokens.py").unlink()
        assert workspace.define("verify_token").hits == ()


def test_stale_hits_are_told_where_nobody_wants_a_refresh(indexed: Repository) -> None:
    indexed.write("shop/tokens.py", "def verify_token():\n    return 1\n")
    with Workspace.open(indexed.root) as workspace:
        result = workspace.define("verify_token", refresh=False)
        assert result.stale == ("shop/tokens.py",)
        assert result.unchecked is None
        assert "return 1" not in result[0].text


def test_stale_and_unchecked_are_told_while_another_process_writes(indexed: Repository) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold(_phase: str, _done: int, _total: int) -> None:
        entered.set()
        leave.wait(timeout=60)

    with Workspace.open(indexed.root) as writer, Workspace.open(indexed.root) as reader:
        thread = threading.Thread(target=lambda: writer.index(force=True, progress=hold))
        thread.start()
        try:
            assert entered.wait(timeout=60)
            indexed.write("shop/tokens.py", "def verify_token():\n    return 1\n")
            indexed.write("late.py", "def late_addition():\n    pass\n")
            result = reader.define("verify_token")
            assert result.stale == ("shop/tokens.py",)
            assert result.locked
            # More on a machine that is too busy to look at everything within the budget.
            assert (result.unchecked or 0) >= 2
        finally:
            leave.set()
            thread.join()
        assert reader.define("verify_token").stale == ()


def test_a_short_write_of_another_process_is_waited_for(indexed: Repository) -> None:
    """Two that take in the same change at once: the second waits a moment instead of answering from before."""
    indexed.write("late.py", "def late_addition():\n    pass\n")
    settings = {"search.refresh_budget_ms": 60_000}
    found: list[int] = []

    def ask(root: Path) -> None:
        with Workspace.open(root, settings=settings) as workspace:
            result = workspace.define("late_addition")
            found.append(0 if result.locked else len(result))

    threads = [threading.Thread(target=ask, args=(indexed.root,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 4
