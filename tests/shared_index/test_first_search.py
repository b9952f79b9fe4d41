"""The first search in a fresh clone pulls the shared index that is set up, and goes on without it where it is gone."""

import shutil
import zlib
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.index_transfer import IndexTransfer
from codecairn.mcp.background_index import BackgroundIndex
from codecairn.objects.folder_store import FolderStore
from support.people import People, Person
from support.repository import Repository


def test_first_search_pulls_and_says_so(reader: Person) -> None:
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "pulling the shared index `shop`" in found.err
    assert "from the shared index `shop`" in found.err
    again = reader.done("search", "where are tokens verified")
    assert "shared index" not in again.err
    status = reader.done("logs", "--json").document
    assert status["entries"]


def test_first_search_parses_nothing(reader: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    with reader.here(), Workspace.open(reader.root, notify=told.append) as workspace:
        workspace.search("where are tokens verified")
        assert workspace.index().parsed == 0
    assert any(
        "took " in message and "documents of `main` at epoch 1" in message for message in told
    )


def test_search_goes_on_without_an_index_that_is_gone(reader: Person, shared_folder: Path) -> None:
    shutil.rmtree(shared_folder)
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "no shared index is used" in found.err
    assert "is not there" in found.err
    assert "the index is made here" in found.err
    assert reader.run("pull").code == 1


def test_search_goes_on_without_a_bucket_that_does_not_answer(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "access")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-that-is-shown-nowhere")
    with reader.workspace() as workspace:
        grant = workspace.remote.grant()
    document = grant.document().decode().replace(grant.url, "s3://indexes/gone")
    reader.done("remote", "accept", "--replace", "-", stdin=document)
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "`s3://indexes/gone` does not answer" in found.err
    assert "a-secret-that-is-shown-nowhere" not in found.err + found.out


def test_search_does_not_wait_longer_than_the_setting(reader: Person) -> None:
    found = reader.run("search", "tokens", "--json")
    assert found.code == 0
    slow = Person(home=reader.home, clone=reader.clone)
    shutil.rmtree(slow.home / "data" / "stores")
    told: list[str] = []
    with slow.here():
        settings = {"index.remote_wait_ms": 0}
        with Workspace.open(slow.root, settings=settings, notify=told.append) as workspace:
            assert workspace.search("where are tokens verified").hits
    assert any("takes longer than a search may wait" in message for message in told)


@pytest.mark.parametrize("error", [OverflowError("out of range"), MemoryError()])
def test_search_goes_on_whatever_fails(
    reader: Person, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(IndexTransfer, "adopt", fail)
    told: list[str] = []
    with reader.here(), Workspace.open(reader.root, notify=told.append) as workspace:
        assert workspace.search("where are tokens verified").hits
    assert f"no shared index is used: {type(error).__name__}" in told[-1]
    assert "please report it" in told[-1]


def test_status_and_install_name_the_shared_index_before_anything_is_asked(
    people: People, reader: Person, shared_folder: Path
) -> None:
    line = (
        f"requests for the objects of a shared index, without any text, to `shop` at {shared_folder} "
        "at the first search in a workspace without an index, and by `codecairn pull` and `codecairn remote status` (`index.remote`)"
    )
    reader.done("index")
    assert reader.done("status", "--json").document["outgoing"] == [line]
    assert line in reader.done("install", "zed", "--dry-run").out
    elsewhere = Person(home=reader.home, clone=Repository.make(people.folder / "elsewhere"))
    elsewhere.clone.write("a.py", "def only():\n    return 1\n")
    elsewhere.done("index")
    assert elsewhere.done("status", "--json").document["outgoing"] == []
    reader.done("config", "set", "--user", "index.remote", "off")
    assert reader.done("status", "--json").document["outgoing"] == []
    reader.done("config", "set", "--user", "index.remote", "")
    reader.done("remote", "remove")
    assert reader.done("status", "--json").document["outgoing"] == []


def _stores_removed(person: Person) -> None:
    shutil.rmtree(person.home / "data" / "stores")


def test_fresh_clone_of_an_accepted_repository_pulls_by_itself(
    reader: Person, people: People
) -> None:
    fresh = Person(home=reader.home, clone=people.cloned("reader again"))
    assert "from the shared index `shop`" in fresh.done("search", "tokens").err


def _archive(people: People, name: str) -> Repository:
    """A folder with the files of the repository that claims its address, but has a history of its own."""
    other = Repository.make(people.folder / name)
    for path in sorted(people.origin.root.rglob("*")):
        if path.is_file() and ".git" not in path.parts:
            other.write(path.relative_to(people.origin.root).as_posix(), path.read_bytes())
    other.git("remote", "add", "origin", str(people.origin.root))
    other.commit("another history")
    return other


def test_archive_that_claims_the_address_is_pulled_by_a_command_alone(
    reader: Person, people: People
) -> None:
    archive = Person(home=reader.home, clone=_archive(people, "archive"))
    found = archive.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "the shared index `shop` is not used" in found.err
    assert "run `codecairn pull`" in found.err
    assert "pulling" not in found.err
    assert archive.done("pull", "--json").document["epoch"] == 1
    _stores_removed(archive)
    assert "from the shared index `shop`" in archive.done("search", "tokens").err


def test_object_that_has_the_name_of_the_first_commit_and_not_its_content_proves_nothing(
    reader: Person, people: People
) -> None:
    archive = _archive(people, "forged")
    first = people.origin.git("rev-list", "--max-parents=0", "HEAD")
    forged = zlib.compress(b"commit 5\0forge")
    archive.write(f".git/objects/{first[:2]}/{first[2:]}", forged)
    found = Person(home=reader.home, clone=archive).done("search", "tokens")
    assert "the shared index `shop` is not used" in found.err


def test_setting_turns_it_off_and_only_the_users_own_may_name_one(reader: Person) -> None:
    off = reader.done("config", "set", "--user", "index.remote", "off")
    assert off.code == 0
    found = reader.done("search", "tokens")
    assert "shared index" not in found.err
    reader.clone.write(".codecairn.toml", '[index]\nremote = "s3://evil/index"\n')
    refused = reader.run("search", "tokens")
    assert refused.code == 2
    assert "`index.remote`" in refused.err


def test_setting_names_the_index_of_a_container(
    people: People, owner: Person, shared_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = people.person("container")
    grant = people.grant(owner)
    elsewhere = Person(home=container.home, clone=people.origin)
    elsewhere.done("remote", "accept", str(grant))
    container.clone.git("remote", "remove", "origin")
    assert "shared index" not in container.done("search", "tokens").err
    shutil.rmtree(container.home / "data" / "stores")
    monkeypatch.setenv("CODECAIRN_INDEX_REMOTE", str(shared_folder))
    assert "from the shared index `shop`" in container.done("search", "tokens").err


def test_store_that_has_an_index_is_not_pulled_by_itself(
    reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.done("index")

    def fail(*_: object, **__: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr(FolderStore, "get", fail)
    with reader.workspace() as workspace:
        assert workspace.search("where are tokens verified").hits


def test_reading_workspace_asks_nothing(reader: Person) -> None:
    told: list[str] = []
    with (
        reader.here(),
        Workspace.open(reader.root, read_only=True, notify=told.append) as workspace,
    ):
        workspace.pull_first()
    assert told == []


def test_server_of_agents_pulls_in_the_background(reader: Person) -> None:
    told: list[str] = []
    settings = {"hooks.background": False}
    with (
        reader.here(),
        Workspace.open(reader.root, settings=settings, notify=told.append) as workspace,
        BackgroundIndex(workspace) as index,
    ):
        index.start()
        assert index.wait(60, is_cancelled=lambda: False) is None
        assert workspace.index().parsed == 0
        assert workspace.search("where are tokens verified").hits
    assert any("from the shared index `shop`" in message for message in told)
