"""Folders, files and patterns of options are seen from the folder where a command runs."""

import json
from pathlib import Path

import pytest

from codecairn.cli.main import main
from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def shop(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    repository.write_all(SMALL_PROJECT)
    repository.write(
        "shop/api/pay.py",
        'def pay(price: int) -> str:\n    """Pay a price."""\n    return str(price)\n',
    )
    repository.commit()
    monkeypatch.chdir(repository.root / "shop")
    return repository.root


def _paths(capsys: pytest.CaptureFixture[str], *arguments: str) -> set[str]:
    assert main(["search", "price of an item", "--json", "--quiet", *arguments]) == 0
    return {hit["path"] for hit in json.loads(capsys.readouterr().out)["results"]}


def test_folders_and_patterns_are_relative_to_the_current_folder(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _paths(capsys, "--dir", "api") == {"shop/api/pay.py"}
    assert _paths(capsys, "--dir", "../docs") == {"docs/guide.md"}
    assert _paths(capsys, "--glob", "api/*.py") == {"shop/api/pay.py"}
    assert _paths(capsys, "--glob", "../docs/*") == {"docs/guide.md"}
    everywhere = _paths(capsys, "--glob", "*.py")
    assert {"shop/api/pay.py", "shop/basket.py"} <= everywhere
    assert _paths(capsys, "--glob", "*.py", "--exclude", "api/") == everywhere - {"shop/api/pay.py"}


def test_they_are_relative_to_the_folder_of_path(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    inside = ["--path", str(shop / "shop")]
    assert _paths(capsys, "--dir", "api", *inside) == {"shop/api/pay.py"}
    assert _paths(capsys, *inside, "--dir", "../docs") == {"docs/guide.md"}


def test_files_of_the_graph_are_relative_to_the_current_folder(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", "callers", "sign", "--file", "tokens.py", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["uses"][0]["path"] == "shop/tokens.py"
    assert main(["impact", "--file", "tokens.py", "--json"]) == 0
    capsys.readouterr()
    assert main(["uses", "sign", "--file", "api", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["places"] == []


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        ("--dir", "docs", "it is in the workspace's root: `../docs`"),
        ("--dir", "ap", "did you mean `api`?"),
        ("--file", "../shop/tokns.py", "did you mean `../shop/tokens.py`?"),
    ],
)
def test_what_is_not_there_is_an_error_in_the_same_terms(
    option: str, value: str, hint: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["search", "price"] if option == "--dir" else ["graph", "callers", "sign"]
    assert main([*command, option, value]) == 2
    error, said = capsys.readouterr().err.splitlines()
    assert f"`{value}`" in error
    assert said == f"hint: {hint}"


def test_folder_without_an_indexed_file_is_an_error(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "shop/empty").mkdir()
    assert main(["search", "price", "--dir", "empty"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: no file in `shop/empty` is indexed",
        "hint: `codecairn status --verbose` says why files are left out",
    ]


def test_one_of_several_workspaces_may_lack_the_folder(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    Repository(other).write("lib/price.py", "def price() -> int:\n    return 1\n")
    both = ["--workspace", str(shop), "--workspace", str(other)]
    assert main(["search", "price", "--dir", "lib", "--json", *both]) == 0
    printed = capsys.readouterr()
    assert {hit["path"].rpartition("/")[2] for hit in json.loads(printed.out)["results"]} == {
        "price.py"
    }
    assert main(["search", "price", "--dir", "nowhere", *both]) == 2
