"""What is remembered of code, while the code and its branches go on."""

from collections.abc import Iterator

import pytest

from codecairn import SymbolAmbiguous, UsageError, Workspace
from codecairn.core.types.memory import Recalled
from codecairn.memory.anchor_status import difference
from support.repository import Repository

CONF = "PORT = 80\n\nclass Server:\n    def run(self):\n        pass\n"
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


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("conf.py", ("conf.py", "", "file")),
        ("./conf.py", ("conf.py", "", "file")),
        ("notes.txt", ("notes.txt", "", "file")),
        ("conf.py::PORT", ("conf.py", "PORT", "constant")),
        ("conf.py:1", ("conf.py", "PORT", "constant")),
        ("conf.py:5", ("conf.py", "Server.run", "method")),
        ("notes.txt:2", ("notes.txt", "2", "line")),
        ("PORT", ("conf.py", "PORT", "constant")),
        ("Server.run", ("conf.py", "Server.run", "method")),
        ("lib.rs::MAX_RETRIES", ("lib.rs", "MAX_RETRIES", "constant")),
    ],
)
def test_files_lines_constants_and_names_are_anchors(
    workspace: Workspace, repository: Repository, place: str, expected: tuple[str, str, str]
) -> None:
    repository.write("conf.py", CONF)
    repository.write("notes.txt", "Ports\n80 is the first\n")
    repository.write("lib.rs", "pub const MAX_RETRIES: u32 = 3;\n")
    workspace.index()
    workspace.memory.add("retry listens on one port", anchors=[place])
    found = _only(workspace, "retry port")
    (looked,) = found.standing.looked
    assert (looked.was.path, looked.was.name, looked.was.kind) == expected
    assert looked.state == "fresh"
    repository.write("conf.py", CONF.replace("80", "81").replace("pass", "return 1"))
    repository.write("notes.txt", "Ports\n81 is the first\n")
    repository.write("lib.rs", "pub const MAX_RETRIES: u32 = 4;\n")
    (looked,) = _only(workspace, "retry port").standing.looked
    assert looked.state == "changed"
    assert looked.diff


@pytest.mark.parametrize("place", ["", "no.py", "net.py::no", "net.py:99", "no_such_name", "../x"])
def test_a_place_that_does_not_exist_is_no_anchor(workspace: Workspace, place: str) -> None:
    with pytest.raises(UsageError, match="no symbol, file or line"):
        workspace.memory.add("retry counts up", anchors=[place])
    assert workspace.memory.list() == ()


def test_an_ambiguous_name_is_refused_with_its_candidates(
    workspace: Workspace, repository: Repository
) -> None:
    repository.write(
        "a.py", "class A:\n    def run(self):\n        pass\n\n    def stop(self): ...\n"
    )
    repository.write("b.py", "def run():\n    pass\n\n\ndef run():\n    return 1\n")
    workspace.index()
    for place, candidates in {
        "run": ("b.py:1", "b.py:5"),
        "b.py::run": ("b.py:1", "b.py:5"),
    }.items():
        with pytest.raises(SymbolAmbiguous, match="names 2 symbols") as caught:
            workspace.memory.add("retry runs", anchors=[place])
        assert caught.value.candidates == candidates
        assert "`b.py:5`" in (caught.value.hint or "")
        assert workspace.memory.anchor_candidates(place) == candidates
    repository.write("b.py", "class B:\n    def run(self):\n        pass\n")
    workspace.index()
    assert workspace.memory.anchor_candidates("run") == ("a.py::A.run", "b.py::B.run")
    assert workspace.memory.list() == ()
    workspace.memory.add("retry runs", anchors=["a.py::A.run"])
    assert _only(workspace, "retry runs").standing.looked[0].was.name == "A.run"


def test_nothing_is_called_gone_before_the_index_knows_the_files(
    workspace: Workspace, repository: Repository
) -> None:
    main = repository.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    workspace.memory.add("retry counts up", anchors=["net.py::retry"])
    repository.git("checkout", "-q", "-b", "moved")
    repository.write("net.py", "import os\n")
    repository.write("again.py", RETRY)
    repository.commit("move")
    assert _only(workspace).standing.state == "moved", "in a file that was not indexed before"
    repository.git("checkout", "-q", main)
    assert _only(workspace).standing.state == "moved"
    repository.write("net.py", "import os\n")
    assert _only(workspace).standing.state == "orphan"


@pytest.mark.parametrize("is_indexed", [False, True])
def test_what_is_not_found_is_not_checked_without_a_fresh_index(
    repository: Repository, is_indexed: bool
) -> None:
    repository.write("net.py", RETRY)
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        workspace.memory.add("retry counts up", anchors=["net.py::retry"])
        if is_indexed:
            workspace.index()
    repository.write("net.py", "import os\n")
    with Workspace.open(repository.root, read_only=True) as workspace:
        found = _only(workspace)
        assert (found.standing.state, found.standing.is_stale) == ("unchecked", False)
        text = workspace.memory.context("s", part="static").text
    assert "net.py::retry not checked" in text


def test_code_is_followed_with_an_older_index_if_its_file_is_known(
    workspace: Workspace, repository: Repository
) -> None:
    workspace.memory.add("retry counts up", anchors=["net.py::retry"])
    repository.write("again.py", f"import sys\n\n{RETRY}")
    workspace.index()
    repository.write("net.py", "import os\n")
    with Workspace.open(repository.root, read_only=True) as reader:
        assert _only(reader).standing.state == "moved"


def test_a_file_is_followed_and_missed_when_it_is_gone(
    workspace: Workspace, repository: Repository
) -> None:
    workspace.memory.add("retry counts up", anchors=["net.py"])
    repository.write("lib/other.py", "x = 1\n")
    repository.git("mv", "net.py", "lib/net.py")
    assert _only(workspace).standing.state == "moved"
    (looked,) = _only(workspace).standing.looked
    assert (looked.state, looked.place) == ("fresh", "lib/net.py")
    repository.git("rm", "-q", "--cached", "lib/net.py")
    (repository.root / "lib/net.py").unlink()
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
