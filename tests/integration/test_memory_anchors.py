"""What is remembered of code, while the code and its branches go on."""

from collections.abc import Iterator

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Recalled
from codecairn.memory.anchor_status import difference
from support.repository import Repository

RETRY = "def retry(times):\n    return times + 1\n"


@pytest.fixture
def workspace(repository: Repository) -> Iterator[Workspace]:
    repository.write("net.py", f"import os\n\n{RETRY}")
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        yield workspace


def _only(workspace: Workspace, query: str = "retry counts") -> Recalled:
    (found,) = workspace.memory.recall(query, kinds=["fact"])
    return found


def test_a_name_between_backticks_is_an_anchor_and_stays_fresh(
    workspace: Workspace, repository: Repository
) -> None:
    workspace.memory.add("`retry` counts up, `nothing_known` does not", type="decision")
    repository.write("net.py", f"import os\nimport sys\n\n\n{RETRY}\n\ndef other():\n    pass\n")
    found = _only(workspace)
    assert [each.was.name for each in found.standing.looked] == ["retry"]
    assert (found.standing.state, found.standing.is_stale) == ("fresh", False)


def test_a_decision_whose_symbol_was_rewritten_shows_as_changed_with_what_changed(
    workspace: Workspace, repository: Repository
) -> None:
    workspace.memory.add("retry counts up", type="decision", symbols=["net.py::retry"])
    repository.write("net.py", "def retry(times, pause):\n    return times - 1\n")
    found = _only(workspace)
    assert found.standing.is_stale
    (looked,) = found.standing.looked
    assert looked.is_signature_changed
    assert "-    return times + 1" in difference(looked)


@pytest.mark.parametrize(
    "place", ["app.py::Session.get", "app.py#Session.get", "app.py::Session::get", "app.py::get"]
)
def test_a_method_is_named_in_the_ways_that_people_write_it(
    workspace: Workspace, repository: Repository, place: str
) -> None:
    repository.write("app.py", "class Session:\n    def get(self):\n        return 1\n")
    workspace.memory.add("retry counts per session", symbols=[place])
    (looked,) = _only(workspace).standing.looked
    assert (looked.was.path, looked.was.name, looked.state) == ("app.py", "Session.get", "fresh")


def test_a_symbol_is_followed_to_another_file_and_missed_when_it_is_gone(
    workspace: Workspace, repository: Repository
) -> None:
    workspace.memory.add("retry counts up", symbols=["net.py#retry"])
    repository.git("mv", "net.py", "moved.py")
    repository.commit("move")
    workspace.index()
    assert _only(workspace).standing.state == "moved"
    # It is anchored where it is now.
    (looked,) = _only(workspace).standing.looked
    assert (looked.state, looked.was.path) == ("fresh", "moved.py")
    repository.write("moved.py", "import os\n")
    workspace.index()
    assert _only(workspace).standing.state == "orphan"


def test_what_is_said_on_a_branch_is_seen_everywhere_and_labelled_until_it_is_merged(
    workspace: Workspace, repository: Repository
) -> None:
    main = repository.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    repository.git("checkout", "-q", "-b", "feature")
    repository.write("other.py", "x = 1\n")
    repository.commit("on the branch")
    workspace.memory.add("the cache is retried three times")
    assert _only(workspace, "cache").standing.branch == "here"
    alone = _only(workspace, "cache").score
    repository.git("checkout", "-q", main)
    unmerged = _only(workspace, "cache")
    assert unmerged.standing.branch == "unmerged"
    assert unmerged.score < alone
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    assert _only(workspace, "cache").standing.branch == "merged"


def test_a_squashed_branch_does_not_bury_what_was_said_on_it(
    workspace: Workspace, repository: Repository
) -> None:
    main = repository.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    repository.git("checkout", "-q", "-b", "feature")
    repository.write("other.py", "x = 1\n")
    repository.commit("on the branch")
    workspace.memory.add("the cache is retried three times")
    repository.git("checkout", "-q", main)
    repository.git("merge", "-q", "--squash", "feature")
    repository.commit("squashed")
    repository.git("branch", "-q", "-D", "feature")
    assert _only(workspace, "cache").standing.branch == "gone"


def test_without_an_index_or_git_nothing_is_claimed(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("`retry` counts up")
        assert _only(workspace).standing.state == ""
        assert _only(workspace).standing.branch == ""
