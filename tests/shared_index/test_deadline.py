"""No request to a shared index is waited for longer than a search may wait."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from codecairn import ObjectMissing, RemoteUnavailable
from codecairn.clock import SystemClock
from codecairn.replication.deadline import Deadline
from support.people import People, Person
from support.slow_gateway import slow_gateway


def _deadline(seconds: float) -> Deadline:
    clock = SystemClock()
    return Deadline(remote="shop", clock=clock, ends_s=clock.monotonic_s() + seconds)


def test_request_that_ends_in_time_returns_what_it_would() -> None:
    assert _deadline(10).run(lambda: 7) == 7

    def fail() -> int:
        raise ObjectMissing("gone")

    with pytest.raises(ObjectMissing, match="gone"):
        _deadline(10).run(fail)


def test_request_that_does_not_end_is_given_up() -> None:
    begun, never = time.monotonic(), threading.Event()
    with pytest.raises(RemoteUnavailable, match="`shop` takes longer than a search may wait"):
        _deadline(0.1).run(never.wait)
    assert time.monotonic() - begun < 2
    never.set()


def test_nothing_is_asked_after_the_deadline() -> None:
    asked: list[int] = []
    with pytest.raises(RemoteUnavailable):
        _deadline(0).run(lambda: asked.append(1))
    assert asked == []


@pytest.fixture
def bucket_reader(people: People, s3_url: str) -> Person:
    """A person with a grant for an index in a bucket."""
    owner, person = people.person("owner"), people.person("reader")
    owner.done("remote", "init", s3_url, "--name", "shop")
    owner.done("index", "--publish", "shop")
    person.done("remote", "accept", str(people.grant(owner)))
    return person


@pytest.fixture
def silent_endpoint() -> Iterator[str]:
    """An endpoint that takes connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(32)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def _seconds_of_first_search(person: Person) -> float:
    begun = time.monotonic()
    found = person.done("search", "where are tokens verified", "--json")
    seconds = time.monotonic() - begun
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "takes longer than a search may wait" in found.err
    assert "the index is made here" in found.err
    return seconds


@pytest.mark.timeout(90)
def test_bucket_that_never_answers_does_not_hold_a_search(
    bucket_reader: Person, silent_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_INDEX_REMOTE_WAIT_MS", "500")
    monkeypatch.setenv("AWS_ENDPOINT_URL", silent_endpoint)
    assert _seconds_of_first_search(bucket_reader) < 20


@pytest.mark.timeout(90)
def test_slow_bucket_holds_a_search_no_longer_than_the_setting(
    bucket_reader: Person, s3_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pointer, manifest and tree alone would take six seconds; each by itself is within the setting."""
    monkeypatch.setenv("CODECAIRN_INDEX_REMOTE_WAIT_MS", "2500")
    with slow_gateway(s3_port, delay_s=2) as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        with bucket_reader.workspace() as workspace:
            begun = time.monotonic()
            workspace.pull_first()
            assert time.monotonic() - begun < 4
        assert bucket_reader.done("pull", "--json").document["index"]["parsed"] == 0
