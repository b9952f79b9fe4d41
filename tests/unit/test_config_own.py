"""Settings that decide where data goes, credentials, references, the schema, and another tool's settings."""

import json
from pathlib import Path

import pytest

from codecairn.config.edit import set_value
from codecairn.config.layers import load
from codecairn.config.schema import schema
from codecairn.config.settings import SETTINGS
from codecairn.config.settings_import import read_reference
from codecairn.config.validation import check, find_setting, parse
from codecairn.errors import ConfigError
from support.command import run
from support.repository import Repository

OWN = sorted(key for key, setting in SETTINGS.items() if setting.is_own)


@pytest.mark.parametrize("key", OWN)
def test_workspace_can_not_decide_where_data_goes(tmp_path: Path, key: str) -> None:
    group, _, name = key.rpartition(".")
    default = SETTINGS[key].default
    value = json.dumps(default) if not isinstance(default, str) else '"x"'
    header = f"[{group}]\n" if group else ""
    (tmp_path / ".codecairn.toml").write_text(f"{header}{name} = {value}\n")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, environment={})
    assert key in caught.value.message
    with pytest.raises(ConfigError):
        set_value(tmp_path / "x.toml", key, "1", is_own=False)


def test_everything_that_sends_data_is_the_users_own() -> None:
    assert all(
        key in OWN for key in SETTINGS if key.startswith(("embedding.", "rerank.", "network."))
    )


def test_reference_is_replaced_by_its_variable(tmp_path: Path) -> None:
    file = tmp_path / "user.toml"
    file.write_text('[embedding]\nbase_url = "{env:WHERE}"\nprovider = "{env:WHO}"\n')
    environment = {"WHERE": "http://localhost:1/v1", "WHO": "compatible"}
    loaded = load(None, user_file=file, environment=environment)
    assert loaded.settings.embedding_base_url == "http://localhost:1/v1"
    assert loaded.settings.embedding_provider == "compatible"
    assert loaded.sources["embedding.base_url"] == f"{file} ($WHERE)"


def test_reference_to_a_missing_variable_or_a_wrong_value_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "user.toml"
    file.write_text('[embedding]\nprovider = "{env:WHO}"\n')
    for environment in ({}, {"WHO": "nobody"}):
        with pytest.raises(ConfigError) as caught:
            load(None, user_file=file, environment=environment)
        assert "WHO" in caught.value.message


@pytest.mark.parametrize("key", ["embedding.api_key", "rerank.api_key"])
def test_credential_itself_is_never_taken_or_shown(tmp_path: Path, key: str) -> None:
    setting = find_setting(key, source="a test")
    for take in (check, parse):
        with pytest.raises(ConfigError) as caught:
            take(setting, "sk-very-secret-value", source="a test")
        assert "sk-very-secret-value" not in f"{caught.value.message} {caught.value.hint}"
    assert check(setting, "{env:A_KEY}", source="a test") == "{env:A_KEY}"


def test_credential_stays_a_reference_in_what_is_listed(
    folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "sk-very-secret-value")
    done = run("config", "set", "--user", "embedding.api_key", "{env:A_KEY}", cwd=folder.root)
    assert done.code == 0, done.err
    listed = run("config", "list", "--json", cwd=folder.root)
    assert "{env:A_KEY}" in listed.out
    assert "sk-very-secret-value" not in listed.out
    refused = run("config", "set", "--user", "embedding.api_key", "sk-very-secret", cwd=folder.root)
    assert refused.code == 2
    assert "sk-very-secret" not in refused.err


def test_numbers_with_a_point_are_read_everywhere(tmp_path: Path) -> None:
    file = tmp_path / "user.toml"
    file.write_text("[embedding]\nmax_usd = 2\n")
    assert load(None, user_file=file, environment={}).settings.embedding_max_usd == 2.0
    environment = {"CODECAIRN_EMBEDDING_MAX_USD": "0.25"}
    assert load(None, user_file=file, environment=environment).settings.embedding_max_usd == 0.25
    for bad in ("nan", "much", "-3"):
        with pytest.raises(ConfigError):
            load(None, user_file=file, environment={"CODECAIRN_EMBEDDING_MAX_USD": bad})


def test_schema_has_every_setting_with_its_default() -> None:
    properties = schema()["properties"]
    for key, setting in SETTINGS.items():
        found = properties
        *groups, name = key.split(".")
        for group in groups:
            found = found[group]["properties"]
        default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
        assert found[name]["default"] == default


REFERENCE = {
    "embeddingProvider": "custom",
    "scope": "project",
    "exclude": ["**/dist/**"],
    "customProvider": {
        "baseUrl": "http://localhost:1234/v1",
        "model": "nomic-embed-text",
        "dimensions": 768,
        "apiKey": "{env:LM_KEY}",
        "requestIntervalMs": 250,
        "max_batch_size": 12,
    },
    "indexing": {"retries": 2, "maxDepth": 5},
    "search": {"maxResults": 7, "fusionStrategy": "rrf"},
    "reranker": {"enabled": True, "provider": "jina", "apiKey": "jina_plain", "topN": 9},
}


def test_settings_of_the_reference_are_taken_over(folder: Repository) -> None:
    folder.write(".opencode/codebase-index.json", json.dumps(REFERENCE))
    imported = read_reference(folder.root / ".opencode" / "codebase-index.json")
    assert imported.values == {
        "embedding.provider": "compatible",
        "scope": "workspace",
        "exclude": ("**/dist/**",),
        "embedding.base_url": "http://localhost:1234/v1",
        "embedding.model": "nomic-embed-text",
        "embedding.dimensions": 768,
        "embedding.api_key": "{env:LM_KEY}",
        "embedding.interval_ms": 250,
        "embedding.batch_texts": 12,
        "embedding.retries": 2,
        "search.limit": 7,
        "fusion": "rrf",
        "rerank.provider": "jina",
        "rerank.top_n": 9,
    }
    left_out = dict(imported.left_out)
    assert set(left_out) == {"indexing.maxDepth", "reranker.apiKey"}
    assert "jina_plain" not in left_out["reranker.apiKey"]


@pytest.mark.parametrize(
    ("reference", "key", "value"),
    [
        ("effectivenessMetrics.enabled", "log.shown", True),
        ("debug.effectivenessMetrics.enabled", "log.shown", True),
        ("debug.logLevel", "log.level", "warn"),
        ("search.routingHints", "hooks.routing", True),
        ("indexing.autoIndexWaitMs", "index.first_wait_ms", 700),
        ("indexing.gitBlame.enabled", "search.blame", True),
        ("indexing.gcOrphanThreshold", "gc.min_contents", 7),
        ("search.contextLines", "search.context_lines", 3),
    ],
)
def test_each_key_has_its_place_here(
    folder: Repository, reference: str, key: str, value: object
) -> None:
    document: object = value
    for part in reversed(reference.split(".")):
        document = {part: document}
    folder.write(".opencode/codebase-index.json", json.dumps(document))
    imported = read_reference(folder.root / ".opencode" / "codebase-index.json")
    assert (imported.values, imported.left_out) == ({key: value}, ())


def test_import_writes_each_setting_where_it_belongs(folder: Repository, home: Path) -> None:
    folder.write(".opencode/codebase-index.json", json.dumps(REFERENCE))
    looked = run("config", "import", "--dry-run", "--json", cwd=folder.root)
    assert looked.code == 0, looked.err
    assert not (folder.root / ".codecairn.toml").exists()
    done = run("config", "import", cwd=folder.root)
    assert done.code == 0, done.err
    assert "maxDepth" in done.out
    own = (home / "codecairn" / "config.toml").read_text()
    assert 'provider = "compatible"' in own
    assert "jina_plain" not in own
    assert "limit = 7" in (folder.root / ".codecairn.toml").read_text()
    listed = json.loads(run("config", "list", "--json", cwd=folder.root).out)
    values = {row["key"]: row["value"] for row in listed["settings"]}
    assert (values["search.limit"], values["rerank.provider"]) == (7, "jina")


@pytest.mark.parametrize("content", ["", "{", "[1]", "\x00"])
def test_file_that_is_no_settings_is_an_error(folder: Repository, content: str) -> None:
    file = folder.write("other.json", content)
    done = run("config", "import", str(file), cwd=folder.root)
    assert done.code == 2
    assert "other.json" in done.err


def test_user_s_file_is_what_the_project_s_builds_on(folder: Repository, home: Path) -> None:
    own = home / ".config" / "opencode" / "codebase-index.json"
    own.parent.mkdir(parents=True)
    own.write_text(
        '{"search": {"maxResults": 3}, "knowledgeBases": ["a"], "debug": {"logLevel": "warn"}}'
    )
    folder.write(
        ".codebase-index/config.json",
        '{"search": {"routingHints": false}, "knowledgeBases": ["b"], "indexing": {"autoIndexWaitMs": 500, "maxDepth": 5}}',
    )
    folder.write(".codebase-index/index/codebase.db", "")
    found = run("config", "import", "--dry-run", "--json", cwd=folder.root).document
    assert {row["key"]: row["value"] for row in found["written"]} == {
        "hooks.routing": False,
        "log.level": "warn",
        "index.first_wait_ms": 500,
    }
    reasons = {row["key"]: row["reason"] for row in found["left_out"]}
    assert "does not exist" in reasons["knowledgeBases: a"]
    assert "knowledgeBases: b" in reasons
    assert "no such limit" in reasons["indexing.maxDepth"]
    assert "none would fit" in reasons[str(folder.root / ".codebase-index" / "index")]


def test_without_its_settings_it_is_said_where_they_were_looked_for(folder: Repository) -> None:
    outcome = run("config", "import", cwd=folder.root)
    assert outcome.code == 2
    assert ".opencode/codebase-index.json" in outcome.err
