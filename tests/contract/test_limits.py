"""Limits, measured at the server: requests at once, intervals, tokens, budgets; one process pays at a time."""

import threading

import pytest

from codecairn import Workspace
from contract.conftest import FUNCTIONS, SETUPS, Opener
from support.provider_server import Fault, ProviderServer

OPENAI = SETUPS[0]
COMPATIBLE = SETUPS[-1]


def test_no_more_requests_are_under_way_than_allowed(
    server: ProviderServer, open_with: Opener
) -> None:
    server.delay_s = 0.03
    open_with(OPENAI, embedding__concurrency=2, embedding__batch_texts=2).index()
    assert len(server.embeddings) >= FUNCTIONS / 2
    assert server.most_at_once == 2


def test_requests_start_at_least_an_interval_apart(
    server: ProviderServer, open_with: Opener
) -> None:
    open_with(OPENAI, embedding__interval_ms=60, embedding__batch_texts=4).index()
    starts = sorted(asked.started_s for asked in server.embeddings)
    # What lies between the limiter and the server's clock differs from one request to the next, so all are taken together:
    # without the limit they would come at once.
    assert starts[-1] - starts[0] >= 0.06 * (len(starts) - 1) / 2


def test_batches_keep_to_both_limits(server: ProviderServer, open_with: Opener) -> None:
    open_with(OPENAI, embedding__batch_texts=5, embedding__batch_tokens=300).index()
    for asked in server.embeddings:
        assert len(asked.texts) <= 5
        assert sum(len(text) for text in asked.texts) <= 300 * 3
    assert max(len(asked.texts) for asked in server.embeddings) > 1


def test_after_a_refusal_fewer_requests_are_under_way(
    server: ProviderServer, open_with: Opener
) -> None:
    server.delay_s = 0.02
    headers = {"Retry-After": "0.1"}
    server.fault = lambda number, _: Fault(status=429, headers=headers) if number < 4 else None
    report = open_with(OPENAI, embedding__concurrency=4, embedding__batch_texts=1).index().embedding
    assert report is not None
    assert report.pending == 0
    last = max(asked.ended_s for asked in server.embeddings if asked.status == 429)
    after = [asked for asked in server.embeddings if asked.started_s >= last][:6]
    at_once = max(
        sum(other.started_s <= asked.started_s < other.ended_s for other in after)
        for asked in after
    )
    assert at_once <= 2


def test_budget_of_tokens_is_never_exceeded(server: ProviderServer, open_with: Opener) -> None:
    workspace = open_with(OPENAI, embedding__batch_texts=2, embedding__max_tokens=600)
    report = workspace.index().embedding
    assert report is not None
    assert report.stopped == "budget"
    assert "600 tokens" in report.detail
    assert 0 < report.embedded < FUNCTIONS
    charged = sum(len(text) // 4 + 1 for text in server.embedded)
    assert report.spending.tokens == charged <= 600
    again = workspace.index().embedding
    assert again is not None
    assert sum(len(text) // 4 + 1 for text in server.embedded) <= 600, "the budget is the store's"


def test_budget_in_dollars_stops_and_a_higher_one_goes_on(
    server: ProviderServer, open_with: Opener
) -> None:
    price = {"embedding__usd_per_million_tokens": 1000.0, "embedding__batch_texts": 2}
    report = open_with(OPENAI, embedding__max_usd=0.5, **price).index().embedding
    assert report is not None
    assert report.stopped == "budget"
    assert report.spending.usd <= 0.5
    assert open_with(OPENAI, **price).status().spent == report.spending
    after = open_with(OPENAI, embedding__max_usd=50.0, **price).index().embedding
    assert after is not None
    assert (after.pending, after.stopped) == (0, "")


def test_price_that_is_not_known_and_a_budget_do_not_go_together(
    server: ProviderServer, open_with: Opener
) -> None:
    report = open_with(COMPATIBLE, embedding__max_usd=1.0).index().embedding
    assert report is not None
    assert report.stopped == "settings"
    assert "`embedding.usd_per_million_tokens`" in report.detail
    assert server.embeddings == []


def test_estimate_sends_nothing(server: ProviderServer, open_with: Opener) -> None:
    preview = open_with(OPENAI).preview()
    assert preview.embedding is not None
    assert preview.embedding.texts >= FUNCTIONS
    assert preview.embedding.usd is not None
    assert 0 < preview.embedding.usd < 0.01
    assert server.asked == []


def test_destination_is_told_before_the_first_request(
    server: ProviderServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_with(OPENAI)
    told: list[tuple[str, int]] = []
    monkeypatch.setattr(workspace, "_notify", lambda text: told.append((text, len(server.asked))))
    workspace.index()
    ((text, asked_before),) = told
    assert server.url in text
    assert "text-embedding-3-small" in text
    assert asked_before == 0


def test_slow_provider_blocks_no_search_and_no_writer(
    server: ProviderServer, open_with: Opener
) -> None:
    held = threading.Event()
    entered = threading.Event()

    def wait(_number: int, _texts: list[str]) -> Fault | None:
        entered.set()
        held.wait(20)
        return None

    server.fault = wait
    workspace = open_with(OPENAI)
    indexing = threading.Thread(target=workspace.index)
    indexing.start()
    try:
        assert entered.wait(20)
        with Workspace.open(workspace.root) as other:
            assert other.search("compute_3").hits[0].path == "part03.py"
            (workspace.root / "later.py").write_text("def arrived_later():\n    return 1\n")
            assert other.index().added == 1, "the write lease is free meanwhile"
        status = workspace.status().embedding
        assert status is not None
        assert status.state.pending >= FUNCTIONS
        assert not status.state.is_active
        second = open_with(OPENAI).index().embedding
        assert second is not None
        assert second.stopped == "busy"
    finally:
        held.set()
        indexing.join()
    assert len(server.embedded) == len(set(server.embedded))


def test_answers_that_could_not_be_used_count_as_paid_for(
    server: ProviderServer, open_with: Opener
) -> None:
    charged = []

    def spoil(_number: int, texts: list[str]) -> Fault | None:
        charged.append(sum(len(text) // 4 + 1 for text in texts))
        return Fault(change=lambda vectors: vectors[:-1]) if len(texts) > 4 else None

    server.fault = spoil
    workspace = open_with(OPENAI)
    report = workspace.index().embedding
    assert report is not None
    assert report.pending == 0
    assert report.spending.tokens == workspace.status().spent.tokens
    assert report.spending.requests == len(charged)
    assert report.spending.tokens >= sum(charged)


def test_very_long_text_keeps_to_the_limits_of_a_request(
    server: ProviderServer, open_with: Opener
) -> None:
    report = (
        open_with(OPENAI, embedding__text_tokens=12, embedding__batch_texts=3).index().embedding
    )
    assert report is not None
    assert (report.pending, report.failed) == (0, 0)
    assert max(len(asked.texts) for asked in server.embeddings) == 3
