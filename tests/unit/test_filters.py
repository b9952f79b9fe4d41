"""What a search's filters mean."""

from pathlib import Path

import pytest

from codecairn.core.requests import SearchFilters
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.search.commit_filter import Wanted
from codecairn.search.filters import history_of, resolve_filters
from codecairn.search.git_history import history_command, look_up, parse_names
from support.repository import Repository

ROOT = Path("/srv/repo")


def changed_paths(root: Path, *, author: str | None, since: str | None) -> tuple[str, ...]:
    return look_up(root, author=author, since=since).paths


def test_names_are_checked_and_folders_made_relative(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    filters = SearchFilters(
        kinds=["Function"],
        languages=["Python", "rust"],
        directories=["./src/", "."],
        globs=["*.py"],
    )
    resolved = resolve_filters(filters, root=tmp_path)
    assert resolved.kinds == ("function",)
    assert resolved.languages == ("python", "rust")
    assert resolved.directories == ("src",)
    assert resolved.globs == ["*.py"]
    assert resolved.paths is None


def test_unknown_kind_and_language_are_refused_with_a_hint() -> None:
    with pytest.raises(UsageError, match="unknown kind `thing`"):
        resolve_filters(SearchFilters(kinds=["thing"]), root=ROOT)
    with pytest.raises(UsageError, match="unknown language `pyton`") as caught:
        resolve_filters(SearchFilters(languages=["pyton"]), root=ROOT)
    assert "python" in caught.value.hint


@pytest.mark.parametrize(
    ("folder", "message", "hint"),
    [
        ("scr", "no folder `scr`", "did you mean `src`?"),
        ("src/dep", "no folder `src/dep`", "did you mean `src/deep`?"),
        ("qqq/deep", "no folder `qqq/deep`", "there are `home`, `src`"),
        ("src/deep/x", "no folder `src/deep/x`", "`src/deep` holds none"),
        ("", "is empty", "name a folder"),
        ("a\0b", "lies outside the workspace", "knowledge add"),
    ],
)
def test_folder_that_is_not_there_is_refused_with_the_nearest(
    folder: str, message: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "src/deep").mkdir(parents=True)
    with pytest.raises(UsageError, match=message) as caught:
        resolve_filters(SearchFilters(directories=[folder]), root=tmp_path)
    assert hint in caught.value.hint


def test_empty_pattern_is_refused() -> None:
    with pytest.raises(UsageError, match="a pattern is empty"):
        resolve_filters(SearchFilters(globs=["*.py", " "]), root=ROOT)


def test_folder_outside_the_workspace_is_refused() -> None:
    with pytest.raises(UsageError, match="outside"):
        resolve_filters(SearchFilters(directories=["../other"]), root=ROOT)


@pytest.mark.parametrize("name", ["kinds", "languages", "directories", "globs", "exclude", "paths"])
def test_text_in_place_of_a_list_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"`{name}` is one text"):
        resolve_filters(SearchFilters(**{name: "function"}), root=ROOT)  # type: ignore[arg-type]


def test_author_and_date_select_the_files_of_commits(repository: Repository) -> None:
    repository.write("old.py", "x = 1\n")
    repository.commit(author="Bob <bob@example.com>", date="2020-01-01T00:00:00")
    repository.write("new.py", "y = 1\n")
    repository.write("spaced name.py", "z = 1\n")
    repository.commit(author="Eve (she) <eve@example.com>")
    root = repository.root
    assert changed_paths(root, author="bob", since=None) == ("old.py",)
    assert changed_paths(root, author="EVE (SHE)", since=None) == ("new.py", "spaced name.py")
    assert changed_paths(root, author="b.b", since=None) == ()
    assert changed_paths(root, author="eve@example.com", since="1 day ago") == (
        "new.py",
        "spaced name.py",
    )
    history = history_of(SearchFilters(author="bob"), root=root)
    assert history is not None
    assert resolve_filters(SearchFilters(), root=root, paths=history.paths).paths == ("old.py",)


def test_names_are_relative_to_a_root_below_the_top_level(repository: Repository) -> None:
    repository.write("part/a.py", "x = 1\n")
    repository.write("b.py", "x = 1\n")
    repository.commit()
    assert changed_paths(repository.root / "part", author="ann", since=None) == ("a.py",)


def test_value_that_looks_like_an_option_stays_a_value(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    trap = tmp_path / "trap"
    assert changed_paths(repository.root, author=f"--output={trap}", since=None) == ()
    assert not trap.exists()
    assert f"--author=--output={trap}" in history_command(Wanted(author=f"--output={trap}"))
    with pytest.raises(UsageError, match="no commit"):
        look_up(repository.root, commit=f"--output={trap}")
    assert not trap.exists()


def test_history_of_a_folder_without_git_is_unavailable(folder: Repository) -> None:
    with pytest.raises(HistoryUnavailable, match="history"):
        changed_paths(folder.root, author="ann", since=None)


def test_history_before_the_first_commit_is_unavailable(repository: Repository) -> None:
    with pytest.raises(HistoryUnavailable, match="nothing was committed yet"):
        changed_paths(repository.root, author="ann", since=None)


@pytest.mark.parametrize("since", ["garbage", "2099-01-01", "now"])
def test_date_that_is_not_in_the_past_is_refused(repository: Repository, since: str) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    with pytest.raises(UsageError, match="no moment before now"):
        changed_paths(repository.root, author=None, since=since)


def test_missing_git_is_told(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository.root))
    with pytest.raises(HistoryUnavailable, match="`git` command was not found"):
        changed_paths(repository.root, author="ann", since=None)


def test_names_that_are_not_utf8_are_left_out() -> None:
    assert parse_names(b"b.py\0a.py\0b.py\0\xff.py\0\0") == ("a.py", "b.py")


def test_files_are_told_by_commits_between_moments(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for year in (2019, 2020, 2021):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{year}-05-05T12:00:00+0000")
        repository.write(f"of_{year}.py", "x = 1\n")
        repository.commit()
    root = repository.root
    assert look_up(root, since="2020-01-01").paths == ("of_2020.py", "of_2021.py")
    assert look_up(root, until="2020-05-05").paths == ("of_2019.py", "of_2020.py")
    assert look_up(root, since="2020-01-01", until="2020-12-31").paths == ("of_2020.py",)
    assert look_up(root, commit="HEAD~1").paths == ("of_2020.py",)
    assert look_up(root, commit="HEAD~2").paths == ("of_2019.py",)


def test_renamed_files_have_the_names_of_today(repository: Repository) -> None:
    repository.write("a.py", "one = 1\ntwo = 2\n")
    repository.commit(author="Bob <bob@example.com>")
    for old, new in (("a.py", "b.py"), ("b.py", "deep/c.py")):
        (repository.root / new).parent.mkdir(exist_ok=True)
        repository.git("mv", old, new)
        repository.commit()
    assert "deep/c.py" in look_up(repository.root, author="bob").paths
