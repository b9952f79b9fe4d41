"""Parts of backends that need no server: addresses, backoff, episodes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.core.types.memory import Event
from codecairn.core.types.outbox import OutboxRow
from codecairn.errors import ConfigError, UnsafeEndpoint
from codecairn.memory.backends.backoff import backoff_ms
from codecairn.memory.backends.endpoint import (
    HTTP,
    REDIS,
    endpoint,
    require_reachable,
    secret,
    shown,
)
from codecairn.memory.backends.episode import cut, episode_of

EVENT = Event(
    seq=3, key="k", project="shop", session="s", ts_ms=1_700_000_000_000, hook="", category="decision", priority=0,
    role="user", title="", body="Use SQLite.\nIt is enough.", tool="", command="", path="src/db.py", exit_code=None,
    tags=("storage",), branch="main", commit="", is_private=False, origin="user", raw_bytes=1, redactions=0, meta={},
)  # fmt: skip
ROW = OutboxRow(
    number=1, item="E3", key="decision:cc-1", place="", remote="", state="waiting", sends=0, sent_ms=0, failures=0,
    due_ms=0, error="", event=EVENT, root_session="root",
)  # fmt: skip


def _graphiti(url: str, *, has_secret: bool = False) -> Any:
    return endpoint(
        "memory.graphiti_url", url, schemes=HTTP, default_port=8000, has_secret=has_secret
    )


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://localhost", "http://", "http://a:b@localhost/mcp", "http://localhost:x/mcp",
     "redis://localhost"],
)  # fmt: skip
def test_an_address_that_is_none_is_an_error_that_names_its_setting(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _graphiti(url)
    assert "`memory.graphiti_url`" in caught.value.message


def test_an_error_about_an_address_does_not_show_its_password() -> None:
    with pytest.raises(ConfigError) as caught:
        _graphiti("http://ann:hunter2@localhost/mcp")
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:8000/mcp", "http://localhost:8000/mcp"),
        ("http://ann:hunter2@localhost/mcp", "http://localhost/mcp"),
        ("redis://:hunter2@localhost:6379/0", "redis://localhost:6379/0"),
        ("redis://ann:hunter2/@:?#@localhost", "redis://localhost"),
        ("https://graph.example/mcp?token=hunter2#hunter2", "https://graph.example/mcp"),
        ("ann:hunter2@localhost", "localhost"),
        ("http://ann:hunter2@[bad", "http://[bad"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_names_passwords_and_tokens(url: str, expected: str) -> None:
    assert shown(url) == expected


def test_a_failure_on_the_way_shows_no_secret_of_the_address() -> None:
    place = _graphiti("https://graph.example/mcp?token=hunter2")
    text = "Client error for https://graph.example/mcp?token=hunter2 with Bearer pass-word-1"
    assert place.scrubbed(text, "pass-word-1").count("***") == 2
    assert place.scrubbed("plain", "") == "plain"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/mcp", "http://localhost/mcp", "https://graph.example/mcp"]
)
def test_a_token_goes_to_near_or_encrypted_addresses(url: str) -> None:
    assert _graphiti(url, has_secret=True).url == url


def test_a_token_does_not_go_elsewhere_unencrypted() -> None:
    with pytest.raises(UnsafeEndpoint):
        _graphiti("http://graph.example/mcp", has_secret=True)


def test_a_link_local_address_is_refused_unless_it_is_allowed() -> None:
    place = _graphiti("http://127.0.0.1:1/mcp")
    require_reachable(place, name="graphiti", allow_link_local=False)
    inner = endpoint("x", "redis://0.0.0.0", schemes=REDIS, default_port=6379, has_secret=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "socket.getaddrinfo", lambda *_a, **_k: [(0, 0, 0, "", ("169.254.169.254", 1))]
        )
        with pytest.raises(UnsafeEndpoint):
            require_reachable(inner, name="redis", allow_link_local=False)
        require_reachable(inner, name="redis", allow_link_local=True)


def test_a_secret_is_read_from_its_variable_when_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GRAPH_TOKEN", "t-1")
    assert secret("memory.graphiti_token", "{env:GRAPH_TOKEN}") == "t-1"
    assert secret("memory.graphiti_token", "") == ""
    monkeypatch.delenv("GRAPH_TOKEN")
    with pytest.raises(ConfigError):
        secret("memory.graphiti_token", "{env:GRAPH_TOKEN}")


def test_a_wait_doubles_up_to_a_quarter_of_an_hour_with_jitter() -> None:
    assert [backoff_ms(failures, draw=0.5) for failures in (1, 2, 3, 4)] == [1000, 2000, 4000, 8000]
    assert (backoff_ms(1, draw=0), backoff_ms(1, draw=1)) == (750, 1250)
    assert backoff_ms(60, draw=0.5) == 900_000
    assert 750 <= backoff_ms(1) <= 1250


@given(st.text(), st.integers(min_value=0, max_value=80))
def test_a_cut_text_has_no_more_bytes_than_allowed_and_says_that_it_was_cut(
    text: str, limit: int
) -> None:
    note = " [cut]"
    short = cut(text, limit, note=note)
    assert len(short.encode()) <= max(limit, len(note))
    assert short.endswith(note) or short.encode() == text.encode("utf-8", "replace")


def test_an_episode_has_the_name_by_which_it_is_found_again() -> None:
    episode = episode_of(ROW, EVENT, group="g", max_bytes=1000)
    assert (episode.name, episode.group) == ("decision:cc-1", "g")
    assert episode.body.splitlines()[:3] == [
        "Category: decision",
        "Role: user",
        "Summary: Use SQLite.",
    ]
    assert "File: src/db.py" in episode.body
    assert episode.body.endswith("Detail: Use SQLite.\nIt is enough.")
    long = episode_of(ROW, replace(EVENT, body="語" * 2000), group="g", max_bytes=1000)
    assert len(long.body.encode()) <= 1000
    assert long.body.endswith("E3]")
