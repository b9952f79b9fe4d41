"""The import of opencode-graphiti's settings."""

import json
from pathlib import Path

import pytest

from codecairn.config.graphiti_import import find_graphiti, read_graphiti, with_scheme
from codecairn.errors import ConfigError, FileAccessError
from codecairn.paths import user
from support.command import run
from support.repository import Repository

WHOLE = {
    "redis": {
        "endpoint": "redis://localhost:6379",
        "batchSize": 10,
        "batchMaxBytes": 40_000,
        "sessionTtlSeconds": 3600,
        "cacheTtlSeconds": 300,
        "drainRetryMax": 5,
    },
    "graphiti": {
        "endpoint": "http://localhost:8000/mcp",
        "groupIdPrefix": "opencode",
        "driftThreshold": 0.4,
    },
}


def _file(folder: Path, document: object, name: str = ".graphitirc") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_every_key_has_its_setting(tmp_path: Path) -> None:
    imported = read_graphiti(_file(tmp_path, WHOLE))
    assert imported.values == {
        "memory.redis_url": "redis://localhost:6379",
        "memory.graphiti_batch": 10,
        "memory.graphiti_batch_bytes": 40_000,
        "memory.redis_session_s": 3600,
        "memory.graphiti_cache_s": 300,
        "memory.graphiti_attempts": 5,
        "memory.graphiti_url": "http://localhost:8000/mcp",
        "memory.graphiti_prefix": "opencode",
        "memory.graphiti_drift": 0.4,
    }
    assert imported.left_out == ()


def test_the_older_keys_count_too(tmp_path: Path) -> None:
    older = {"endpoint": "graph.example/mcp", "groupIdPrefix": "team", "injectionInterval": 10}
    imported = read_graphiti(_file(tmp_path, {"graphiti": older}, "package.json"))
    assert imported.values == {
        "memory.graphiti_url": "http://graph.example:8000/mcp",
        "memory.graphiti_prefix": "team",
    }
    assert [key for key, _ in imported.left_out] == ["injectionInterval"]


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("localhost", "redis://localhost:6379"),
        ("cache:7000", "redis://cache:7000"),
        ("cache/2", "redis://cache:6379/2"),
        ("redis://cache", "redis://cache"),
        ("rediss://cache:1", "rediss://cache:1"),
        ("", ""),
    ],
)
def test_an_address_without_a_scheme_is_completed(text: str, completed: str) -> None:
    assert with_scheme(text, "redis", 6379) == completed


def test_a_password_is_not_taken_over_and_not_shown(tmp_path: Path) -> None:
    place = "rediss://ann:hunter2@cache.example:6380/1"
    imported = read_graphiti(_file(tmp_path, {"redis": {"endpoint": place}}))
    assert imported.values == {
        "memory.redis_url": "rediss://cache.example:6380/1",
        "memory.redis_user": "ann",
    }
    ((_, reason),) = imported.left_out
    assert "memory.redis_password" in reason
    assert "hunter2" not in str(imported)


def test_the_user_of_the_graphs_address_is_not_one_of_the_redis(tmp_path: Path) -> None:
    place = "http://ann:hunter2@graph.example/mcp"
    imported = read_graphiti(_file(tmp_path, {"graphiti": {"endpoint": place}}))
    assert imported.values == {"memory.graphiti_url": "http://graph.example/mcp"}
    assert ["memory.graphiti_token" in reason for _, reason in imported.left_out] == [True, True]
    assert "hunter2" not in str(imported)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("endpoint", "ftp://localhost"),
        ("endpoint", "redis://[bad"),
        ("endpoint", "redis://cache:x"),
        ("batchSize", 0),
        ("batchSize", "ten"),
        ("unknown", 1),
    ],
)
def test_what_does_not_fit_is_left_out_with_its_reason(
    tmp_path: Path, key: str, value: object
) -> None:
    imported = read_graphiti(_file(tmp_path, {"redis": {key: value}}))
    assert imported.values == {}
    assert [name for name, _ in imported.left_out] == [f"redis.{key}"]


@pytest.mark.parametrize("text", ["", "[]", "endpoint: x", "[" * 100_000])
def test_a_file_that_is_no_json_object_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        read_graphiti(_file(tmp_path, text))
    with pytest.raises(FileAccessError):
        read_graphiti(tmp_path / "missing")


@pytest.mark.parametrize(
    "name", [".graphitirc", ".config/graphiti/config.json", ".config/opencode/.graphitirc"]
)
def test_the_users_own_file_is_found(home: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        find_graphiti(home)
    _file(home, WHOLE, name)
    assert find_graphiti(home) == home / name


def test_a_file_of_the_project_is_not_looked_for(folder: Repository, home: Path) -> None:
    folder.write(".graphitirc", json.dumps(WHOLE))
    outcome = run("config", "import", "--from", "opencode-graphiti", cwd=folder.root)
    assert outcome.code == 2
    assert "no settings of opencode-graphiti" in outcome.err


def test_the_command_writes_them_to_the_users_own_file(folder: Repository, home: Path) -> None:
    _file(home, WHOLE)
    outcome = run("config", "import", "--from", "opencode-graphiti", cwd=folder.root)
    assert outcome.code == 0, outcome.err
    assert 'graphiti_url = "http://localhost:8000/mcp"' in user.config_file().read_text()
    assert not (folder.root / ".codecairn.toml").exists()
