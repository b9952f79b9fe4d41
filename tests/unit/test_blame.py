"""Who changed lines last, on real repositories."""

import os
from pathlib import Path

import pytest

from codecairn.errors import HistoryUnavailable
from codecairn.search import blame as blame_module
from codecairn.search.blame import (
    FileBlame,
    blame_of,
    matching_lines,
    parse_porcelain,
    written_date,
)
from codecairn.search.commit_filter import Blames
from codecairn.workspace.workspace import Workspace
from support.repository import Repository

BOB = "Bob <bob@example.com>"


@pytest.fixture
def two_authors(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Three lines by Ann, the last of them changed by Bob a day later; a rebase made both commits anew at once."""
    repository.write("a.py", "one = 1\ntwo = 2\nthree = 3\n")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2024-05-05T12:00:00+0000")
    repository.commit("by Ann", date="2024-03-01T12:00:00")
    repository.write("a.py", "one = 1\ntwo = 2\nthree = 33\n")
    repository.commit("by Bob", author=BOB, date="2024-03-02T12:00:00")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    return repository


def test_newest_commit_of_the_lines_is_told(two_authors: Repository) -> None:
    known = blame_of(two_authors.root / "a.py")
    first, whole = known.of(1, 2), known.of(1, 3)
    assert first is not None
    assert whole is not None
    assert (first.author, first.email, first.commits) == ("Ann Author", "ann@example.com", 1)
    assert (whole.author, whole.summary, whole.commits) == ("Bob", "by Bob", 2)
    assert whole.commit == two_authors.git("rev-parse", "HEAD")
    assert whole.date.startswith("20")
    assert whole.line == f"{whole.commit[:10]} Bob, {whole.date[:10]}: by Bob"


def test_lines_that_no_commit_has_say_so_and_the_others_keep_theirs(
    two_authors: Repository,
) -> None:
    two_authors.write("a.py", "zero = 0\none = 1\ntwo = 2\nnew = 9\nthree = 33\n")
    known = blame_of(two_authors.root / "a.py")
    authors = [None if line is None else line.author for line in known.lines[:5]]
    assert authors == [None, "Ann Author", "Ann Author", None, "Bob"]
    fresh = known.of(4, 5)
    assert fresh is not None
    assert (fresh.commit, fresh.line) == ("", "not committed yet")


def test_file_that_was_never_committed_has_no_commit(two_authors: Repository) -> None:
    two_authors.write("new.py", "x = 1\n")
    found = blame_of(two_authors.root / "new.py").of(1, 1)
    assert found is not None
    assert found.commit == ""


def test_renamed_file_keeps_its_authors(two_authors: Repository) -> None:
    two_authors.git("mv", "a.py", "b.py")
    two_authors.commit("rename")
    found = blame_of(two_authors.root / "b.py").of(3, 3)
    assert found is not None
    assert found.author == "Bob"


def test_windows_line_ends_alone_are_no_change(two_authors: Repository) -> None:
    two_authors.write("a.py", b"one = 1\r\ntwo = 2\r\nthree = 33\r\n")
    found = blame_of(two_authors.root / "a.py").of(1, 3)
    assert found is not None
    assert found.author == "Bob"


def test_names_and_texts_in_other_encodings_are_read(repository: Repository) -> None:
    repository.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repository.write("a.txt", "gr\xfc\xdfe\n".encode("latin-1"))
    repository.git("add", "--all")
    message = repository.root.parent / "message"
    message.write_bytes("gr\xfc\xdfe".encode("latin-1"))
    repository.git("commit", "--quiet", f"--file={message}")
    found = blame_of(repository.root / "a.txt").of(1, 1)
    assert found is not None
    assert found.summary == "gr\xfc\xdfe"


@pytest.mark.parametrize("name", ["with space.py", "-dash.py", "umlaut-\xfc.py", "q'uote.py"])
def test_any_name_of_a_file_will_do(repository: Repository, name: str) -> None:
    repository.write(name, "x = 1\n")
    repository.commit()
    found = blame_of(repository.root / name).of(1, 1)
    assert found is not None
    assert found.author == "Ann Author"


def test_submodule_and_linked_worktree_answer_for_themselves(
    two_authors: Repository, tmp_path: Path
) -> None:
    outer = Repository.make(tmp_path / "outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
        str(two_authors.root), "inner",
    )  # fmt: skip
    outer.commit("outer")
    found = blame_of(outer.root / "inner" / "a.py").of(3, 3)
    assert found is not None
    assert found.author == "Bob"
    two_authors.git("worktree", "add", "--quiet", "../linked", "-b", "linked")
    found = blame_of(tmp_path / "linked" / "a.py").of(3, 3)
    assert found is not None
    assert found.author == "Bob"


def test_shallow_clone_says_that_history_begins_there(
    two_authors: Repository, tmp_path: Path
) -> None:
    two_authors.git("clone", "--quiet", "--depth=1", f"file://{two_authors.root}", "../shallow")
    found = blame_of(tmp_path / "shallow" / "a.py").of(1, 1)
    assert found is not None
    assert (found.author, found.is_boundary) == ("Bob", True)


def test_without_a_repository_or_git_the_error_says_so(
    folder: Repository, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a.py", "x = 1\n")
    with pytest.raises(HistoryUnavailable, match="history"):
        blame_of(folder.root / "a.py")
    repository.write("a.py", "x = 1\n")
    repository.commit()
    monkeypatch.setenv("PATH", str(folder.root))
    with pytest.raises(HistoryUnavailable, match="`git` command was not found"):
        blame_of(repository.root / "a.py")


def test_repository_without_commits_has_lines_without_one(repository: Repository) -> None:
    repository.write("a.py", "x = 1\n")
    found = blame_of(repository.root / "a.py").of(1, 1)
    assert found is not None
    assert found.commit == ""


def test_git_is_asked_once_for_a_file_until_it_or_the_commit_changes(
    two_authors: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    git = blame_module.git

    def counted(root: Path, *arguments: str, **options: object) -> bytes:
        asked.append(arguments[0])
        return git(root, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(blame_module, "git", counted)
    file = two_authors.root / "a.py"
    blame_of(file)
    blame_of(file)
    assert asked.count("blame") == 1
    two_authors.write("a.py", "changed = 1\n")
    blame_of(file)
    assert asked.count("blame") == 2
    two_authors.commit("third")
    blame_of(file)
    assert asked.count("blame") == 3


def test_filters_of_the_repository_are_not_run(two_authors: Repository, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    for name in ("filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv"):
        two_authors.git("config", name, f"touch {trap}; cat")
    (two_authors.root / ".git" / "info").mkdir(exist_ok=True)
    attributes = two_authors.root / ".git" / "info" / "attributes"
    attributes.write_text("*.py filter=trap diff=trap\n")
    file = two_authors.root / "a.py"
    file.write_text(file.read_text() + "four = 4\n")
    found = blame_of(file).of(3, 3)
    assert found is not None
    assert found.author == "Bob"
    assert not trap.exists()


def test_runs_of_equal_lines_are_found() -> None:
    before = [b"a", b"b", b"c", b"d"]
    assert matching_lines(before, before) == [(0, 0, 4)]
    runs = matching_lines(before, [b"a", b"x", b"c", b"y", b"d"])
    assert sorted(runs) == [(0, 0, 1), (2, 2, 1), (3, 4, 1)]
    assert matching_lines([], [b"a"]) == []
    assert matching_lines(before, []) == []


def test_what_is_no_answer_of_git_is_told() -> None:
    assert parse_porcelain(b"") == ([], [])
    with pytest.raises(HistoryUnavailable):
        parse_porcelain(b"garbage\n\tx\n")


def test_moments_carry_their_time_zone() -> None:
    assert written_date(0, "+0130") == "1970-01-01T01:30:00+01:30"
    assert written_date(0, "-0500") == "1969-12-31T19:00:00-05:00"
    assert written_date(0, "nonsense") == "1970-01-01T00:00:00+00:00"
    assert written_date(10**20, "+0000") == ""


def test_file_that_is_gone_has_no_lines(two_authors: Repository) -> None:
    os.remove(two_authors.root / "a.py")  # noqa: PTH107
    assert blame_of(two_authors.root / "a.py").lines == ()


def test_blames_of_the_files_that_were_asked_about_last_are_kept_up_to_so_many_lines() -> None:
    kept = blame_module._KeptBlames(5)
    keys = [(Path(name), "head", b"digest") for name in "abc"]
    for key in keys[:2]:
        kept.put(key, FileBlame((None, None)))
    assert kept.get(keys[0]) is not None
    kept.put(keys[2], FileBlame((None, None)))
    assert [kept.get(key) is not None for key in keys] == [True, False, True]
    kept.put(keys[1], FileBlame((None,) * 6))
    assert [kept.get(key) for key in keys] == [None, None, None]


def test_results_beyond_what_git_may_be_asked_are_shown_without_blame(tmp_path: Path) -> None:
    made = Repository.make(tmp_path / "repository")
    made.write_all({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    made.commit("first")
    blames = Blames(root=made.root, max_files=1)
    with Workspace.open(made.root) as workspace:
        hits = [workspace.search(f'"{name} = 1"')[0] for name in "aba"]
    shown = blames.shown(hits)
    assert [hit.blame is not None for hit in shown] == [True, False, True]
    assert len(blames.notes) == 1
    assert "asked about 1 files" in blames.notes[0]
