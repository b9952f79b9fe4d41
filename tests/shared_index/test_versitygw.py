"""An index is shared through a real S3 gateway, which other tests replace by one in Python."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import RemoteUnavailable
from codecairn.objects.opening import open_store
from support.answers import answers, answers_of_full_index
from support.people import People

pytestmark = pytest.mark.slow

INSTALLED = Path(__file__).parents[2] / "target/versitygw/versitygw"
ACCESS, SECRET = "access", "a-secret-that-is-shown-nowhere"


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator["subprocess.Popen[bytes]"]:
    """A gateway to a folder, with the environment of its user."""
    program = shutil.which("versitygw") or str(INSTALLED)
    assert Path(program).is_file(), "versitygw is not installed: `make test-all` installs it"
    (tmp_path / "buckets/indexes").mkdir(parents=True)
    port = _free_port()
    variables = {
        "AWS_ACCESS_KEY_ID": ACCESS,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    keys = ["--access", ACCESS, "--secret", SECRET]
    process = subprocess.Popen(
        [program, "--port", f"127.0.0.1:{port}", *keys, "posix", str(tmp_path / "buckets")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )
    _wait_for(port, process)
    yield process
    process.kill()
    process.wait()


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(400):
        assert process.poll() is None
        with socket.socket() as probe:
            try:
                probe.connect(("127.0.0.1", port))
            except OSError:
                time.sleep(0.05)
                continue
            return
    pytest.fail("the gateway does not listen")


def test_index_is_shared_through_a_gateway_that_then_dies(
    gateway: "subprocess.Popen[bytes]", people: People
) -> None:
    owner = people.person("owner")
    owner.done("remote", "init", "s3://indexes/team", "--name", "shop")
    first = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert first["objects"] >= 5
    again = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert (again["is_new"], again["objects"]) == (False, 0)
    reader = people.person("reader")
    reader.done("remote", "accept", str(people.grant(owner)))
    assert reader.done("pull", "--json").document["index"]["parsed"] == 0
    with reader.here():
        assert answers(reader.root) == answers_of_full_index(reader.root)
    gateway.kill()
    gateway.wait()
    late = people.person("late reader")
    late.done("remote", "accept", str(people.grant(owner)))
    found = late.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "does not answer" in found.err
    assert SECRET not in found.err + found.out


def test_wrong_key_is_refused_access(
    gateway: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(RemoteUnavailable, match="refuses access"):
        open_store("s3://indexes/team").get("a/one")
