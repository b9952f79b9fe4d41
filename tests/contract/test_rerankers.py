"""External rerankers: their order is taken, and the built-in one stays where they fail."""

import pytest

from codecairn import Workspace
from contract.conftest import function
from support.provider_server import KEY, ProviderServer
from support.repository import Repository

RERANKERS = {
    "cohere": ("/v2", "COHERE_API_KEY", "top_n"),
    "jina": ("/v1", "JINA_API_KEY", "top_n"),
    "voyage": ("/v1", "VOYAGE_API_KEY", "top_k"),
    "compatible": ("/v1", "", "top_n"),
}


@pytest.fixture(params=sorted(RERANKERS))
def settings(
    request: pytest.FixtureRequest, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    """Settings of each reranker, against the local server."""
    path, variable, _ = RERANKERS[request.param]
    if variable:
        monkeypatch.setenv(variable, KEY)
    return {
        "rerank.provider": request.param,
        "rerank.model": "a-reranker",
        "rerank.base_url": server.url + path,
        "rerank.top_n": 5,
    }


def test_order_of_the_reranker_is_taken(
    settings: dict[str, object], server: ProviderServer, texts: Repository
) -> None:
    with Workspace.open(texts.root) as workspace:
        built_in = [hit.path for hit in workspace.search("combine two numbers", limit=8)]
    with Workspace.open(texts.root, settings=settings) as workspace:
        result = workspace.search("combine two numbers", limit=8)
        shorter = workspace.peek("combine two numbers", limit=3)
    # The server prefers the last of what it is shown.
    expected = built_in[:5][::-1] + built_in[5:]
    assert [hit.path for hit in result] == expected
    assert [hit.path for hit in shorter] == expected[:3]
    assert [hit.text for hit in shorter] == ["", "", ""]
    scores = [hit.score for hit in result]
    assert scores == sorted(scores, reverse=True)
    assert result.notes == ()
    asked = server.asked[0]
    assert asked.body[RERANKERS[str(settings["rerank.provider"])][2]] == 5
    assert len(asked.body["documents"]) == 5
    assert function(3).split("\n")[0].split("(")[0].rsplit("_", 1)[0] in asked.body["documents"][0]


def test_names_and_paths_are_not_sent(
    settings: dict[str, object], server: ProviderServer, texts: Repository
) -> None:
    with Workspace.open(texts.root, settings=settings) as workspace:
        assert workspace.search("compute_7").hits[0].path == "part07.py"
        workspace.search("part07.py")
    assert server.asked == []


@pytest.mark.parametrize("fault", ["status", "late", "form", "place", "down"])
def test_built_in_order_stays_where_the_reranker_fails(
    settings: dict[str, object],
    server: ProviderServer,
    texts: Repository,
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = {
        "status": (500, {}, b'{"message": "broken"}', False),
        "form": (200, {}, b'{"surprise": 1}', False),
        "place": (200, {}, b'{"results": [{"index": 99, "relevance_score": 1}]}', False),
    }
    if fault in answers:
        monkeypatch.setattr(server, "answer", lambda *_: answers[fault])
    if fault == "late":
        server.delay_s = 0.6
        settings = {**settings, "rerank.timeout_ms": 100}
    if fault == "down":
        settings = {**settings, "rerank.base_url": "http://127.0.0.1:9/v1"}
    with Workspace.open(texts.root) as workspace:
        built_in = [hit.path for hit in workspace.search("combine two numbers")]
    with Workspace.open(texts.root, settings=settings) as workspace:
        result = workspace.search("combine two numbers")
    assert [hit.path for hit in result] == built_in
    (note,) = result.notes
    assert str(settings["rerank.provider"]) in note
    assert note.endswith("the built-in order stays")


def test_reranker_without_a_key_is_told_and_searching_works(texts: Repository) -> None:
    with Workspace.open(texts.root, settings={"rerank.provider": "cohere"}) as workspace:
        result = workspace.search("combine two numbers")
    assert result.hits
    assert "there is no key for cohere" in result.notes[0]


def test_files_that_changed_are_taken_in_before_the_reranker_is_asked_once(
    settings: dict[str, object], server: ProviderServer, texts: Repository
) -> None:
    with Workspace.open(texts.root) as workspace:
        first = workspace.search("combine two numbers", limit=5)[0].path
    number = int(first.removeprefix("part").removesuffix(".py"))
    texts.write(first, function(number) + "\n\nCHANGED_SINCE = True\n")
    no_time = {"search.refresh_budget_ms": 0}
    with Workspace.open(texts.root, settings=settings | no_time) as workspace:
        result = workspace.search("combine two numbers", limit=5)
        assert result.stale == ()
        assert workspace.define("CHANGED_SINCE").hits[0].path == first
    assert len(server.asked) == 1
