"""Which files commits touched, under the names that they have now, in submodules too."""

from pathlib import Path

import pytest

from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.search import git_history
from codecairn.search.git_history import look_up, parse_names, renames
from support.repository import Repository


@pytest.fixture
def renamed(repository: Repository) -> Repository:
    """A repository in which a file was renamed twice, and another is as it was."""
    repository.write("first.py", "value = 1\n" * 40)
    repository.write("other.py", "value = 2\n")
    repository.commit("both")
    for old, new in (("first.py", "second.py"), ("second.py", "third.py")):
        repository.git("mv", old, new)
        repository.commit(f"to {new}")
    return repository


def test_file_is_found_under_the_last_of_its_names(renamed: Repository) -> None:
    first = renamed.git("rev-list", "--max-parents=0", "HEAD").strip()
    assert renames(renamed.root) == {"first.py": "third.py", "second.py": "third.py"}
    assert look_up(renamed.root, commit=first).paths == ("first.py", "other.py", "third.py")
    assert look_up(renamed.root, author="ann author").notes == ()


def test_renames_that_take_too_long_are_not_followed_and_named(
    renamed: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_root: Path) -> dict[str, str]:
        raise HistoryUnavailable("git took too long")

    monkeypatch.setattr(git_history, "renames", failing)
    found = look_up(renamed.root, author="Ann")
    assert found.notes == ("renames were not followed: git took too long",)
    assert "other.py" in found.paths


def test_commit_of_a_submodule_is_found_there_and_one_of_neither_is_refused(
    renamed: Repository, tmp_path: Path
) -> None:
    inner = Repository.make(tmp_path / "inner")
    inner.write("deep.py", "value = 3\n")
    inner.commit("inner")
    own = inner.git("rev-parse", "HEAD").strip()
    renamed.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "lib"
    )
    renamed.commit("with a library")
    found = look_up(renamed.root, commit=own)
    assert (found.paths, found.wanted.commit) == (("lib/deep.py",), own)
    assert "lib/deep.py" in look_up(renamed.root, author="Ann").paths
    with pytest.raises(UsageError, match="there is no commit `feedface`") as refused:
        look_up(renamed.root, commit="feedface")
    assert "its beginning" in refused.value.hint


def test_history_that_is_empty_or_missing_is_named(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(HistoryUnavailable, match="nothing was committed yet"):
        look_up(repository.root, author="Ann")
    plain = tmp_path / "plain"
    plain.mkdir()
    with pytest.raises(HistoryUnavailable):
        look_up(plain, author="Ann")


@pytest.mark.parametrize("text", ["the day of the tiger", "2098-01-01"])
def test_date_that_names_no_moment_before_now_is_refused(renamed: Repository, text: str) -> None:
    with pytest.raises(UsageError, match="names no moment before now"):
        look_up(renamed.root, since=text)


def test_names_that_are_no_unicode_are_left_out() -> None:
    assert parse_names(b"\nb.py\0a.py\0\xff.py\0b.py\0") == ("a.py", "b.py")
