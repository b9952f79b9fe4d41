"""`logs` and `metrics` over what other processes did."""

import pytest

from codecairn import Workspace
from support.command import run
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    assert run("search", "a secret question", cwd=repository.root).code == 0
    return repository


def test_what_processes_did_is_told_without_what_was_asked(shop: Repository) -> None:
    assert run("index", "--force", cwd=shop.root).code == 0
    outcome = run("logs", "--json", cwd=shop.root)
    entries = outcome.document["entries"]
    assert [(entry["category"], entry["message"]) for entry in entries] == [
        ("search", "search"),
        ("index", "index everything"),
    ]
    assert {"scanning_s", "indexing_s", "finishing_s", "total_s"} <= entries[1]["numbers"].keys()
    assert entries[0]["numbers"]["hits"] > 0
    assert "secret" not in outcome.out
    plain = run("logs", "--category", "index", cwd=shop.root).out
    assert len(plain.splitlines()) == 1
    assert "finishing=" in plain


def test_metrics_count_and_begin_anew(shop: Repository) -> None:
    for _ in range(3):
        assert run("define", "verify_token", cwd=shop.root).code == 0
    document = run("metrics", "--json", cwd=shop.root).document
    rows = {(row["message"], row["name"]): row for row in document["measures"]}
    assert rows["define", "hits"]["count"] == 3
    assert rows["define", "total_s"]["median"] > 0
    assert "define, total" in run("metrics", "--reset", cwd=shop.root).out
    assert run("metrics", cwd=shop.root).out == "nothing has been logged yet\n"


def test_log_may_be_switched_off_and_a_reader_writes_none(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        before = workspace.logs()
    with Workspace.open(shop.root, settings={"log.level": "off"}) as workspace:
        workspace.search("token")
    with Workspace.open(shop.root, read_only=True) as workspace:
        workspace.search("token")
        assert workspace.logs() == before


def test_logs_of_an_unindexed_folder_is_told(folder: Repository) -> None:
    outcome = run("logs", cwd=folder.root)
    assert (outcome.code, "has no index yet" in outcome.err) == (1, True)
    assert not store_of(folder.root).exists()
