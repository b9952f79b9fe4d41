"""What settings of open-codebase-index become: every key, what joins what, and what is left out with its reason."""

import json
from pathlib import Path

import pytest

from codecairn.config.settings_import import Imported, find_reference, read_reference
from codecairn.errors import ConfigError, FileAccessError


def _imported(tmp_path: Path, *documents: object, index: Path | None = None) -> Imported:
    files = [tmp_path / f"{number}.json" for number in range(len(documents))]
    for file, document in zip(files, documents, strict=True):
        file.write_text(json.dumps(document))
    return read_reference(*files, index=index)


def _nested(key: str, value: object) -> dict[str, object]:
    *groups, name = key.split(".")
    document = {name: value}
    for group in reversed(groups):
        document = {group: document}
    return document


@pytest.mark.parametrize(
    ("reference", "given", "key", "value"),
    [
        ("embeddingProvider", "github-copilot", "embedding.provider", "copilot"),
        ("embeddingProvider", "custom", "embedding.provider", "compatible"),
        ("embeddingProvider", "ollama", "embedding.provider", "ollama"),
        ("embeddingModel", "m", "embedding.model", "m"),
        ("scope", "project", "scope", "workspace"),
        ("scope", "global", "scope", "global"),
        ("include", ["a", "b"], "include", ("a", "b")),
        ("exclude", [], "exclude", ()),
        ("customProvider.baseUrl", "http://localhost", "embedding.base_url", "http://localhost"),
        ("customProvider.model", "m", "embedding.model", "m"),
        ("customProvider.dimensions", 12, "embedding.dimensions", 12),
        ("customProvider.apiKey", "{env:A}", "embedding.api_key", "{env:A}"),
        ("customProvider.maxTokens", 12, "embedding.text_tokens", 12),
        ("customProvider.timeoutMs", 12, "embedding.timeout_ms", 12),
        ("customProvider.concurrency", 12, "embedding.concurrency", 12),
        ("customProvider.requestIntervalMs", 12, "embedding.interval_ms", 12),
        ("customProvider.maxBatchSize", 12, "embedding.batch_texts", 12),
        ("customProvider.max_batch_size", 12, "embedding.batch_texts", 12),
        ("embedding.batch.maxBatchItems", 12, "embedding.batch_texts", 12),
        ("embedding.batch.maxBatchTokens", 12, "embedding.batch_tokens", 12),
        ("indexing.autoGc", False, "gc.auto", False),
        ("indexing.retries", 2, "embedding.retries", 2),
        ("search.maxResults", 7, "search.limit", 7),
        ("search.fusionStrategy", "weighted", "fusion", "weighted"),
    ],
)
def test_each_setting_has_its_counterpart(
    tmp_path: Path, reference: str, given: object, key: str, value: object
) -> None:
    imported = _imported(tmp_path, _nested(reference, given))
    assert (imported.values, imported.left_out) == ({key: value}, ())


RERANKER = {
    "provider": "custom",
    "model": "m",
    "baseUrl": "http://localhost",
    "apiKey": "{env:A}",
    "topN": 9,
    "timeoutMs": 12,
}


def test_reranker_is_taken_over_with_all_its_settings(tmp_path: Path) -> None:
    imported = _imported(tmp_path, {"reranker": {"enabled": True, **RERANKER}, "scope": "global"})
    assert imported.values == {
        "rerank.provider": "compatible",
        "rerank.model": "m",
        "rerank.base_url": "http://localhost",
        "rerank.api_key": "{env:A}",
        "rerank.top_n": 9,
        "rerank.timeout_ms": 12,
        "scope": "global",
    }
    assert imported.left_out == ()


@pytest.mark.parametrize("enabled", [{}, {"enabled": False}, {"enabled": 1}, {"enabled": "true"}])
def test_reranker_that_is_not_turned_on_brings_nothing(
    tmp_path: Path, enabled: dict[str, object]
) -> None:
    imported = _imported(tmp_path, {"reranker": {**enabled, **RERANKER}, "scope": "global"})
    assert (imported.values, imported.left_out) == ({"scope": "global"}, ())


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("additionalInclude", "no ignore rule"),
        ("indexing.autoIndex", "first search"),
        ("indexing.autoIndexMaxRetries", "first search"),
        ("indexing.autoIndexRetryDelayMs", "first search"),
        ("indexing.watchFiles", "`codecairn watch`"),
        ("indexing.maxFileSize", "no such limit"),
        ("indexing.maxDepth", "no such limit"),
        ("indexing.maxFilesPerDirectory", "no such limit"),
        ("indexing.maxChunksPerFile", "no such limit"),
        ("indexing.fallbackToTextOnMaxChunks", "no such limit"),
        ("indexing.linesPerChunk", "syntax"),
        ("indexing.pauseBackgroundIndexingOnBattery", "battery"),
        ("indexing.semanticOnly", "every line"),
        ("search.minScore", "fitted model"),
        ("search.hybridWeight", "fitted model"),
        ("search.rrfK", "fitted model"),
        ("search.rerankTopN", "fitted model"),
        ("search.communityBoost", "fitted model"),
        ("search.unheardOf", "there is no such setting here"),
    ],
)
def test_what_has_no_counterpart_is_left_out_with_its_reason(
    tmp_path: Path, key: str, reason: str
) -> None:
    imported = _imported(tmp_path, _nested(key, 1) | {"embeddingModel": "m"})
    ((left_out, found),) = imported.left_out
    assert left_out == key
    assert reason in found
    assert imported.values == {"embedding.model": "m"}


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("embeddingProvider", 3, "`embedding.provider` must be a string, not `3`"),
        (
            "embeddingProvider",
            ["custom"],
            "`embedding.provider` must be a string, not `['custom']`",
        ),
        ("search.maxResults", 0, "`search.limit` is 0; the least that makes sense is 1"),
        ("customProvider.apiKey", "sk-secret", "a key in plain text is not taken over"),
        ("customProvider.apiKey", 3, "a key in plain text is not taken over"),
        ("customProvider.apiKey", None, "a key in plain text is not taken over"),
    ],
)
def test_value_that_does_not_fit_is_left_out_with_its_reason(
    tmp_path: Path, key: str, value: object, reason: str
) -> None:
    imported = _imported(tmp_path, _nested(key, value) | {"embeddingModel": "m"})
    ((left_out, found),) = imported.left_out
    assert left_out == key
    assert found.startswith(reason)
    assert imported.values == {"embedding.model": "m"}


def test_later_file_takes_the_place_of_a_section_and_lists_of_folders_are_joined(
    tmp_path: Path,
) -> None:
    imported = _imported(
        tmp_path,
        {
            "scope": "global",
            "search": {"maxResults": 3, "contextLines": 2},
            "knowledgeBases": ["a"],
            "exclude": ["a"],
        },
        {"search": {"maxResults": 4}, "knowledgeBases": ["b"], "exclude": ["b"]},
    )
    assert imported.values == {"scope": "global", "search.limit": 4, "exclude": ("b",)}
    assert imported.knowledge == ("a", "b")
    assert _imported(tmp_path, {"knowledgeBases": ["a"]}, {}).knowledge == ("a",)
    assert _imported(tmp_path, {"knowledgeBases": 1}, {"knowledgeBases": ["b"]}).knowledge == ("b",)


@pytest.mark.parametrize("bases", ["a", ["a", 1], {"a": 1}, None])
def test_knowledge_bases_that_are_no_list_of_texts_are_left_out(
    tmp_path: Path, bases: object
) -> None:
    imported = _imported(tmp_path, {"knowledgeBases": bases})
    assert imported.knowledge == ()
    assert imported.left_out == (("knowledgeBases", "it is no list of texts"),)


def test_index_is_listed_as_left_out(tmp_path: Path) -> None:
    index = tmp_path / "index"
    ((left_out, reason),) = _imported(tmp_path, {}, index=index).left_out
    assert (left_out, "`codecairn index`" in reason) == (str(index), True)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"[1]", "holds no JSON object"), (b"{", "is no JSON"), (b'"\xff"', "is no JSON")],
)
def test_file_that_is_no_object_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=complaint) as caught:
        read_reference(file)
    assert str(file) in caught.value.message


def test_file_is_read_behind_a_link_with_a_mark_of_order_up_to_its_limit(tmp_path: Path) -> None:
    link, file = tmp_path / "link.json", tmp_path / "x.json"
    link.symlink_to(file)
    text = '\ufeff{"scope": "global"}'.encode()
    file.write_bytes(text + b" " * (1024 * 1024 - len(text)))
    assert read_reference(link).values == {"scope": "global"}
    file.write_bytes(text + b" " * (1024 * 1024 - len(text) + 1))
    with pytest.raises(FileAccessError, match="more than"):
        read_reference(link)


PROJECT = [
    ".opencode/codebase-index.json",
    ".codebase-index/config.json",
    ".claude/codebase-index.json",
]
USER = [".config/opencode/codebase-index.json", ".config/codebase-index/config.json"]


def test_first_file_of_each_place_is_found_the_user_s_before_the_project_s(tmp_path: Path) -> None:
    root, home = tmp_path / "project", tmp_path / "user"
    with pytest.raises(ConfigError, match=str(root)) as caught:
        find_reference(root, home)
    assert all(name in caught.value.hint for name in PROJECT)
    for name in reversed(PROJECT):
        (root / name).parent.mkdir(parents=True)
        (root / name).touch()
        assert find_reference(root, home) == (root / name,)
    for name in reversed(USER):
        (home / name).parent.mkdir(parents=True)
        (home / name).touch()
        assert find_reference(root, home) == (home / name, root / PROJECT[0])
