"""Searches narrowed to lines that certain commits changed."""

from functools import partial
from pathlib import Path

import pytest

from codecairn import HistoryUnavailable, SearchFilters, SearchResult, UsageError, Workspace
from codecairn.search import conditions
from codecairn.search.commit_filter import Blames
from support.command import run
from support.repository import Repository

BOB = "Bob <bob@example.com>"
QUESTION = "price of an item"


@pytest.fixture
def shop(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Forty files by Ann about prices, one by Bob, and one that both wrote."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-05-05T12:00:00+0000")
    for number in range(40):
        repository.write(
            f"items/item{number}.py",
            f'def item_price_{number}():\n    """The price of an item, number {number}."""\n'
            f"    return {number}\n",
        )
    repository.write("both.py", _both("price"))
    repository.commit("prices", date="2020-05-05T12:00:00")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2021-06-06T12:00:00+0000")
    repository.write("weather.py", "def rain():\n    return 'an item falls'\n")
    repository.write("both.py", _both("cost"))
    repository.commit("Bob's part", author=BOB, date="2021-06-06T12:00:00")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    return repository


def _both(word: str) -> str:
    body = "".join(f"    total = total + {number}  # counted\n" for number in range(30))
    first = (
        f'def price_of_an_item(total):\n    """The price of an item."""\n{body}    return total\n'
    )
    second = (
        f'def shipping(total):\n    """What sending takes: {word}."""\n{body}    return total\n'
    )
    return f"{first}\n\n{second}"


def _search(root: Path, limit: int = 10, **filters: str) -> SearchResult:
    with Workspace.open(root) as workspace:
        return workspace.search(QUESTION, limit=limit, filters=SearchFilters(**filters))  # type: ignore[arg-type]


def _paths(result: SearchResult) -> set[str]:
    return {hit.path for hit in result}


def test_author_finds_their_lines_though_many_files_answer_better(shop: Repository) -> None:
    found = _search(shop.root, author="bob")
    assert _paths(found) == {"weather.py", "both.py"}
    assert {hit.blame.author for hit in found if hit.blame} == {"Bob"}
    assert found.notes == ()


def test_place_in_a_file_is_theirs_though_another_one_answers_better(shop: Repository) -> None:
    by_bob = {hit.path: hit for hit in _search(shop.root, author="bob")}["both.py"]
    by_ann = {hit.path: hit for hit in _search(shop.root, 50, author="ann")}["both.py"]
    assert by_bob.name == "shipping"
    assert by_ann.name == "price_of_an_item"


def test_commit_is_named_by_its_beginning_or_another_name(shop: Repository) -> None:
    second = shop.git("rev-parse", "HEAD")
    for name in (second, second[:8], "main", "HEAD"):
        assert _paths(_search(shop.root, commit=name)) == {"weather.py", "both.py"}
    assert "weather.py" not in _paths(_search(shop.root, commit="HEAD~1"))
    with pytest.raises(UsageError, match="no commit `0000000`"):
        _search(shop.root, commit="0000000")


def test_dates_are_bounds_and_a_day_is_a_whole_day(shop: Repository) -> None:
    assert _paths(_search(shop.root, since="2021-06-06")) == {"weather.py", "both.py"}
    assert _paths(_search(shop.root, since="2021-06-07")) == set()
    assert "weather.py" not in _paths(_search(shop.root, 50, until="2021-06-05"))
    assert "weather.py" in _paths(_search(shop.root, 50, until="2021-06-06"))
    between = _search(shop.root, 50, since="2021-01-01", until="2021-12-31")
    assert _paths(between) == {"weather.py", "both.py"}
    assert _paths(_search(shop.root, since="2 weeks ago")) == set()
    with pytest.raises(UsageError, match="no moment"):
        _search(shop.root, until="soonish")


def test_conditions_hold_for_one_commit_together(shop: Repository) -> None:
    assert _paths(_search(shop.root, author="bob", until="2020-12-31")) == set()
    assert _paths(_search(shop.root, author="bob", commit="HEAD~1")) == set()


def test_bound_is_told_where_it_was_met(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded = partial(Blames, max_files=5)
    monkeypatch.setattr(conditions, "_blames", lambda root: bounded(root=root))
    found = _search(shop.root, 40, author="ann")
    assert len(found) == 5
    assert any("only the best 5 files were asked" in note for note in found.notes)


def test_renamed_file_is_found_by_who_wrote_it(shop: Repository) -> None:
    shop.git("mv", "weather.py", "climate.py")
    shop.commit("rename")
    assert "climate.py" in _paths(_search(shop.root, author="bob"))


def test_lines_of_a_submodule_are_found_by_author(shop: Repository, tmp_path: Path) -> None:
    outer = Repository.make(tmp_path / "outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(shop.root), "inner"
    )
    outer.commit("outer")
    found = _paths(_search(outer.root, author="bob"))
    assert found == {"inner/weather.py", "inner/both.py"}


def test_uncommitted_lines_are_nobodys(shop: Repository) -> None:
    shop.write("new.py", "def new_price_of_an_item():\n    return 1\n")
    assert "new.py" not in _paths(_search(shop.root, 50, since="2000-01-01"))
    with Workspace.open(shop.root) as workspace:
        found = workspace.search("new_price_of_an_item", filters=SearchFilters(blame=True))[0]
    assert found.blame is not None
    assert found.blame.line == "not committed yet"


def test_definitions_and_look_alikes_are_narrowed_too(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        mine = SearchFilters(author="bob")
        assert _paths(workspace.define("rain", filters=mine)) == {"weather.py"}
        assert _paths(workspace.define("item_price_3", filters=mine)) == set()
        assert _paths(workspace.similar("def rain(): return 1", filters=mine)) <= {
            "weather.py",
            "both.py",
        }


def test_blame_is_shown_only_if_asked_for(shop: Repository) -> None:
    plain = run("search", QUESTION, "--json", cwd=shop.root).document["results"][0]
    assert "blame" not in plain
    told = run("search", QUESTION, "--blame", "--json", cwd=shop.root).document["results"][0]
    assert told["blame"]["author"] == "Ann Author"
    assert told["blame"]["date"] == "2020-05-05T12:00:00+00:00"
    assert told["blame"]["summary"] == "prices"
    lines = run("search", "rain", "--blame", cwd=shop.root).out
    assert "Bob, 2021-06-06: Bob's part" in lines
    assert run("config", "set", "--user", "search.blame", "true", cwd=shop.root).code == 0
    assert "Bob's part" in run("peek", "rain", cwd=shop.root).out
    assert "Bob's part" not in run("peek", "rain", "--no-blame", cwd=shop.root).out


def test_without_git_hits_are_shown_and_what_is_missing_is_told(folder: Repository) -> None:
    folder.write("a.py", "def price_of_an_item():\n    return 1\n")
    found = run("search", QUESTION, "--blame", cwd=folder.root)
    assert found.code == 0
    assert "a.py" in found.out
    assert "can't read the history" in found.err
    narrowed = run("search", QUESTION, "--author", "ann", cwd=folder.root)
    assert narrowed.code == 1
    assert "--author" in narrowed.err
    with pytest.raises(HistoryUnavailable):
        _search(folder.root, since="2020-01-01")
