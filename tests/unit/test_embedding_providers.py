"""What is asked of embedding providers, and what of their answers is believed."""

from pathlib import Path

import pytest

from codecairn.embedding.base import Role
from codecairn.embedding.jina import Jina
from codecairn.embedding.ollama import Ollama, described, installed
from codecairn.embedding.query_cache import QueryCache


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("jina-code-embeddings-1.5b", "nl2code.query", "nl2code.passage"),
        ("jina-embeddings-v4", "code.query", "code.passage"),
        ("jina-embeddings-v3", "retrieval.query", "retrieval.passage"),
        ("jina-embeddings-v2-base-code", None, None),
    ],
)
def test_task_of_jina_is_called_as_the_family_of_the_model_calls_it(
    model: str, query: str | None, document: str | None
) -> None:
    def task(role: Role) -> object:
        body = Jina(model=model, dimensions=64).request(["text"], role=role).body
        assert body is not None
        assert (body["dimensions"], body["truncate"]) == (64, False)
        return body.get("task")

    assert (task("query"), task("document")) == (query, document)


def test_dimensions_are_asked_for_only_if_they_are_set() -> None:
    plain = Ollama(model="m", base_url="http://localhost:11434/").request(["text"], role="query")
    assert plain.url == "http://localhost:11434/api/embed"
    assert plain.body == {"model": "m", "input": ["text"], "truncate": False}
    shorter = Ollama(model="m", dimensions=64).request(["text"], role="query")
    assert shorter.body is not None
    assert shorter.body["dimensions"] == 64


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"model_info": {"bert.embedding_length": 384, "bert.context_length": 512}}, (384, 512)),
        ({"model_info": {"bert.embedding_length": 384}}, (384, 2048)),
        ({"model_info": {"bert.embedding_length": "384"}}, None),
        ({"capabilities": ["completion"], "model_info": {"llama.embedding_length": 4096}}, None),
        ({}, None),
    ],
)
def test_model_of_ollama_is_what_it_reports_of_itself(
    document: dict[str, object], found: tuple[int, int] | None
) -> None:
    model = described(document)
    assert (model and (model.dimensions, model.text_tokens)) == found
    assert model is None or model.usd == 0


def test_answer_of_ollama_that_lists_nothing_lists_nothing() -> None:
    assert installed({"models": [{"name": "a"}, {"size": 7}, "b"]}) == ["a"]
    assert installed({"models": "a"}) == installed({}) == []


def test_vector_of_a_query_is_kept_between_processes_if_there_is_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "queries"
    QueryCache(folder).put("space", "which port?", b"12345678")
    assert QueryCache(folder).get("space", "which port?", size_bytes=8) == b"12345678"
    assert QueryCache(folder).get("space", "which port?", size_bytes=4) is None
    assert QueryCache(folder).get("another", "which port?", size_bytes=8) is None
    alone = QueryCache(None)
    alone.put("space", "which port?", b"12345678")
    assert alone.get("space", "which port?", size_bytes=8) == b"12345678"
    assert QueryCache(None).get("space", "which port?", size_bytes=8) is None
    assert "which" not in "".join(path.name for path in folder.iterdir())


def test_folder_that_can_not_be_written_costs_a_request_and_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "queries"
    file.write_text("")
    cache = QueryCache(file)
    cache.put("space", "which port?", b"12345678")
    assert cache.get("space", "which port?", size_bytes=8) == b"12345678"
    assert QueryCache(file).get("space", "which port?", size_bytes=8) is None
