"""What searching costs: recorded next to what indexing cost, and bound by the same budget."""

import pytest

from codecairn import Workspace
from contract.conftest import SETUPS, Opener
from support.provider_server import KEY, Fault, ProviderServer
from support.repository import Repository

OPENAI = SETUPS[0]


def _tokens(server: ProviderServer) -> int:
    return sum(len(text) // 4 + 1 for text in server.embedded)


def test_vectors_of_queries_are_in_the_sum_once(server: ProviderServer, open_with: Opener) -> None:
    workspace = open_with(OPENAI)
    workspace.index()
    before = workspace.status().spent
    for _ in range(2):
        workspace.search("combine two numbers")
    after = workspace.status().spent
    assert after.requests == before.requests + 1
    assert after.tokens == _tokens(server)


def test_query_that_would_break_the_budget_is_not_sent(
    server: ProviderServer, open_with: Opener
) -> None:
    open_with(OPENAI).index()
    asked = len(server.asked)
    workspace = open_with(OPENAI, embedding__max_tokens=_tokens(server) + 1)
    result = workspace.search("combine two numbers in one of many ways")
    assert result.hits
    assert "budget" in result.notes[0]
    assert len(server.asked) == asked


def test_what_another_process_paid_counts(server: ProviderServer, open_with: Opener) -> None:
    open_with(OPENAI).index()
    question = "combine two numbers in one of many ways"
    most = _tokens(server) + 2 * len(question)
    first = open_with(OPENAI, embedding__max_tokens=most)
    second = open_with(OPENAI, embedding__max_tokens=most)
    first.search("left and right")
    second.search(question)
    for number in range(20):
        first.search(f"{question} {number}")
        second.search(f"{question} of {number}")
    assert first.status().spent.tokens == _tokens(server) <= most


def test_failed_query_that_may_be_charged_is_in_the_sum(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(OPENAI)
    workspace.index()
    before = workspace.status().spent
    server.fault = lambda _number, _texts: Fault(raw=b"{")
    assert workspace.search("combine two numbers").notes
    after = workspace.status().spent
    assert after.requests == before.requests + 1
    assert after.tokens > before.tokens


@pytest.fixture
def rerank(
    server: ProviderServer, texts: Repository, monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    """Settings of a reranker that is charged by the request, on a workspace that is indexed."""
    with Workspace.open(texts.root) as workspace:
        workspace.index()
    monkeypatch.setenv("COHERE_API_KEY", KEY)
    return {"rerank.provider": "cohere", "rerank.base_url": f"{server.url}/v2", "rerank.top_n": 5}


def test_rerankings_are_in_the_sum_by_name(texts: Repository, rerank: dict[str, object]) -> None:
    with Workspace.open(texts.root, settings=rerank) as workspace:
        for _ in range(3):
            workspace.search("combine two numbers")
        ((name, spending),) = workspace.status().spending
    assert name == "rerank cohere/rerank-v3.5"
    assert (spending.requests, spending.texts, spending.micro_usd) == (3, 15, 6000)


def test_rerankings_keep_to_the_budget(
    texts: Repository, rerank: dict[str, object], server: ProviderServer
) -> None:
    settings = rerank | {"embedding.max_usd": 0.005}
    with Workspace.open(texts.root, settings=settings) as workspace:
        notes = [workspace.search("combine two numbers").notes for _ in range(4)]
    assert [len(found) for found in notes] == [0, 0, 1, 1]
    assert "budget of $0.005" in notes[2][0]
    assert len(server.asked) == 2


@pytest.mark.parametrize(("max_usd", "requests"), [(0.005999, 2), (0.006, 3), (0.007999, 3)])
def test_dollars_that_another_process_paid_count(
    texts: Repository,
    rerank: dict[str, object],
    server: ProviderServer,
    max_usd: float,
    requests: int,
) -> None:
    """A request is $0.002; both know what the other paid before each of theirs, not only when they begin."""
    settings = rerank | {"embedding.max_usd": max_usd}
    with (
        Workspace.open(texts.root, settings=settings) as first,
        Workspace.open(texts.root, settings=settings) as second,
    ):
        notes = [each.search("combine two numbers").notes for each in (first, second) * 3]
        assert first.status().spent.micro_usd == 2_000 * requests
    assert [len(found) for found in notes] == [0] * requests + [1] * (6 - requests)
    assert all(f"budget of ${max_usd:g} is used up" in found[0] for found in notes[requests:])
    assert len(server.asked) == requests


@pytest.mark.parametrize(("rerankings", "vectors"), [(0, 1), (4, 0)])
def test_dollars_of_queries_count_with_those_of_another_process(
    texts: Repository,
    rerank: dict[str, object],
    server: ProviderServer,
    open_with: Opener,
    rerankings: int,
    vectors: int,
) -> None:
    """A reranking is $0.002; two short queries are less than $0.016, and with four rerankings more than that."""
    open_with(OPENAI, embedding__usd_per_million_tokens=0.0).index()
    price = {"embedding__usd_per_million_tokens": 1_000.0}
    asking = open_with(OPENAI, embedding__max_usd=0.016, **price)
    assert asking.search("left and right").notes == ()
    with Workspace.open(texts.root, settings=rerank) as reranking:
        for _ in range(rerankings):
            reranking.search("combine two numbers")
    embedded = len(server.embedded)
    result = asking.search("combine two numbers")
    assert len(server.embedded) - embedded == vectors
    assert ["budget of $0.016" in note for note in result.notes] == [True] * (1 - vectors)


def test_dollars_that_rerankings_cost_are_not_left_for_indexing(
    texts: Repository, rerank: dict[str, object], server: ProviderServer, open_with: Opener
) -> None:
    with Workspace.open(texts.root, settings=rerank) as workspace:
        for _ in range(3):
            workspace.search("combine two numbers")
    price = {"embedding__usd_per_million_tokens": 1.0}
    stopped = open_with(OPENAI, embedding__max_usd=0.006, **price).index().embedding
    assert stopped is not None
    assert (stopped.stopped, stopped.embedded) == ("budget", 0)
    assert server.embedded == []
    done = open_with(OPENAI, embedding__max_usd=0.1, **price).index().embedding
    assert done is not None
    assert (done.stopped, done.pending) == ("", 0)


def test_reranker_without_a_known_price_is_not_asked_under_a_budget_in_dollars(
    texts: Repository, rerank: dict[str, object], server: ProviderServer
) -> None:
    settings = rerank | {"embedding.max_usd": 1.0, "rerank.model": "rerank-of-tomorrow"}
    with Workspace.open(texts.root, settings=settings) as workspace:
        assert (
            "`rerank-of-tomorrow` is not known" in workspace.search("combine two numbers").notes[0]
        )
    assert server.asked == []


def test_sum_waits_while_another_process_writes(
    texts: Repository, rerank: dict[str, object]
) -> None:
    import threading

    entered, leave = threading.Event(), threading.Event()

    def hold(_phase: str, _done: int, _total: int) -> None:
        entered.set()
        leave.wait(60)

    with Workspace.open(texts.root) as writer, Workspace.open(texts.root, settings=rerank) as one:
        one.search("combine two numbers")
        thread = threading.Thread(target=lambda: writer.index(force=True, progress=hold))
        thread.start()
        try:
            assert entered.wait(60)
            one.search("combine two numbers")
            assert one.status().spent.requests == 1
        finally:
            leave.set()
            thread.join()
        one.search("combine two numbers")
        assert one.status().spent.requests == 3
