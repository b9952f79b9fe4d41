"""Object stores, keys and grants for tests of shared indexes."""

import logging
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from codecairn.objects.folder_store import FolderStore
from codecairn.objects.grant import Grant, new_grant
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.opening import open_store
from codecairn.objects.seal import Sealer
from codecairn.objects.sealed_objects import SealedObjects
from support.corpus import write_modules
from support.people import People, Person
from support.repository import SMALL_PROJECT, Repository

REPOSITORY = "0123456789abcdef0123456789abcdef"
KEY = bytes(range(32))


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    """The port of an S3 on this machine."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()[1]
    server.stop()


@pytest.fixture
def s3_environment(s3_port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment of a user of that S3; returns its endpoint."""
    endpoint = f"http://127.0.0.1:{s3_port}"
    for name, value in {
        "AWS_ACCESS_KEY_ID": "access",
        "AWS_SECRET_ACCESS_KEY": "a-secret-that-is-shown-nowhere",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
    }.items():
        monkeypatch.setenv(name, value)
    return endpoint


def make_bucket(endpoint: str, name: str) -> None:
    """Make a bucket, emptied of what earlier tests left."""
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/moto-api/reset", method="POST"))
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{name}", method="PUT"))


@pytest.fixture
def s3_url(s3_environment: str) -> str:
    """An address in an empty bucket."""
    make_bucket(s3_environment, "indexes")
    return "s3://indexes/team/one"


@pytest.fixture(params=["folder", "s3"])
def object_store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """An empty object store of each kind."""
    if request.param == "folder":
        return open_store((tmp_path / "objects").as_uri())
    return open_store(request.getfixturevalue("s3_url"))


@pytest.fixture
def folder_store(tmp_path: Path) -> FolderStore:
    """An empty object store in a folder."""
    return FolderStore(tmp_path / "objects")


@pytest.fixture
def sealer() -> Sealer:
    """Seals with a key of the tests."""
    return Sealer(REPOSITORY, KEY)


@pytest.fixture
def objects(folder_store: FolderStore, sealer: Sealer) -> SealedObjects:
    """The objects of a repository in that folder."""
    return SealedObjects(folder_store, sealer)


@pytest.fixture
def make_grant(tmp_path: Path) -> Callable[[], Grant]:
    """Makes a grant of its own for a folder."""
    return lambda: new_grant(
        url=str(tmp_path / "objects"), name="shop", branch="main", publisher="ann"
    )


@pytest.fixture
def people(tmp_path: Path, repository: Repository) -> People:
    """People around a repository with some modules."""
    repository.write_all(SMALL_PROJECT)
    write_modules(repository, files=30, functions=4)
    repository.commit("first")
    return People(tmp_path, repository)


@pytest.fixture
def shared_folder(tmp_path: Path) -> Path:
    """Where the objects of a shared index lie."""
    return tmp_path / "shared"


@pytest.fixture
def owner(people: People, shared_folder: Path) -> Person:
    """Who began a shared index in a folder, and published it."""
    person = people.person("owner")
    person.done("remote", "init", str(shared_folder), "--name", "shop")
    person.done("index", "--publish", "shop")
    return person


@pytest.fixture
def reader(people: People, owner: Person) -> Person:
    """Who accepted a grant to read it."""
    person = people.person("reader")
    person.done("remote", "accept", str(people.grant(owner)))
    return person
