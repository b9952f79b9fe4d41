"""Every provider: good answers, refusals, failures, nonsense. No text is lost, none is embedded twice."""

import json
import math
from collections import Counter

import pytest

from contract.conftest import FUNCTIONS, Opener, Setup
from support.provider_server import KEY, Fault, ProviderServer

QUICK = {"embedding__retries": 6}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    from codecairn.embedding import models

    quick = {
        name: models.Limits(
            batch_texts=limits.batch_texts,
            batch_tokens=limits.batch_tokens,
            concurrency=limits.concurrency,
            interval_ms=limits.interval_ms,
            backoff_ms=10,
            max_backoff_ms=40,
        )
        for name, limits in models.LIMITS.items()
    }
    monkeypatch.setattr("codecairn.embedding.plan.LIMITS", quick)


def _nothing_lost_nor_twice(server: ProviderServer, count: int) -> None:
    times = Counter(server.embedded)
    assert len(times) == count
    assert set(times.values()) == {1}


def test_every_text_is_embedded_once_and_searched(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(setup)
    report = workspace.index().embedding
    assert report is not None
    assert (report.failed, report.pending, report.stopped) == (0, 0, "")
    assert report.embedded >= FUNCTIONS
    _nothing_lost_nor_twice(server, report.embedded)
    status = workspace.status().embedding
    assert status is not None
    assert status.state.is_active
    before = len(server.embeddings)
    result = workspace.search("combine two numbers", limit=3)
    assert len(result.hits) == 3
    assert result.notes == ()
    assert len(server.embeddings) == before + 1
    workspace.search("combine two numbers", limit=3)
    assert len(server.embeddings) == before + 1, "the query's vector is kept"
    again = workspace.index().embedding
    assert again is not None
    assert again.embedded == 0
    assert workspace.doctor() == ()


@pytest.mark.parametrize("headers", [{"Retry-After": "0.2"}, {}], ids=["advice", "no-advice"])
def test_too_many_requests_are_waited_for(
    setup: Setup, server: ProviderServer, open_with: Opener, headers: dict[str, str]
) -> None:
    error = {"error": {"message": "rate limit reached"}}
    server.fault = lambda number, _: (
        Fault(status=429, headers=headers, body=error) if number == 1 else None
    )
    report = open_with(setup, **QUICK).index().embedding
    assert report is not None
    assert (report.pending, report.stopped) == (0, "")
    _nothing_lost_nor_twice(server, report.embedded)
    if headers:
        refused = next(asked for asked in server.embeddings if asked.status == 429)
        later = [asked for asked in server.embeddings if asked.started_s > refused.ended_s + 0.02]
        assert min(asked.started_s for asked in later) >= refused.ended_s + 0.2


def test_failures_of_the_server_pass(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    faults = {0: Fault(status=503), 2: Fault(status=500), 4: Fault(is_cut=True), 5: Fault(raw=b"{")}
    server.fault = lambda number, _: faults.get(number)
    report = open_with(setup, **QUICK).index().embedding
    assert report is not None
    assert (report.pending, report.failed, report.stopped) == (0, 0, "")
    _nothing_lost_nor_twice(server, report.embedded)


def test_slow_answer_ends_in_time_and_is_asked_for_again(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    server.fault = lambda number, _: Fault(delay_s=1.5, is_cut=True) if number == 0 else None
    report = open_with(setup, embedding__timeout_ms=400, **QUICK).index().embedding
    assert report is not None
    assert (report.pending, report.stopped) == (0, "")


def test_server_that_is_down_stops_the_run_and_the_index_is_searchable(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    server.fault = lambda _number, _texts: Fault(status=502, body={"error": "bad gateway"})
    workspace = open_with(setup, embedding__retries=0)
    report = workspace.index().embedding
    assert report is not None
    assert report.stopped == "provider"
    assert report.pending >= FUNCTIONS
    for part in (setup.provider, "502", "try again later"):
        assert part in report.detail
    assert workspace.search("compute_7").hits[0].path == "part07.py"
    server.fault = lambda _number, _texts: None
    after = workspace.index().embedding
    assert after is not None
    assert after.pending == 0
    _nothing_lost_nor_twice(server, after.embedded)


def test_key_that_is_not_taken_is_told_once_and_not_shown(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    echoed = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    server.fault = lambda _number, _texts: Fault(status=401, body=echoed)
    report = open_with(setup).index().embedding
    assert report is not None
    assert report.stopped == "provider"
    assert setup.provider in report.detail
    assert "401" in report.detail
    assert "check the key" in report.detail
    assert KEY not in report.detail


def test_text_at_fault_is_found_and_the_others_are_kept(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    def refuse(_number: int, texts: list[str]) -> Fault | None:
        bad = any("compute_13(" in text for text in texts)
        return Fault(status=400, body={"error": {"message": "invalid input"}}) if bad else None

    server.fault = refuse
    workspace = open_with(setup)
    report = workspace.index().embedding
    assert report is not None
    assert (report.failed, report.pending, report.stopped) == (1, 1, "")
    _nothing_lost_nor_twice(server, report.embedded)
    status = workspace.status().embedding
    assert status is not None
    (reason,) = status.state.failures
    assert "400: invalid input" in reason
    server.fault = lambda _number, _texts: None
    again = workspace.index().embedding
    assert again is not None
    assert (again.embedded, again.pending) == (1, 0)
    _nothing_lost_nor_twice(server, report.embedded + 1)


def test_over_long_text_is_split_and_pooled(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    def refuse(_number: int, texts: list[str]) -> Fault | None:
        message = "This model's maximum context length is 64 tokens"
        too_long = any(len(text) > 200 for text in texts)
        return Fault(status=400, body={"error": {"message": message}}) if too_long else None

    server.fault = refuse
    report = open_with(setup).index().embedding
    assert report is not None
    assert (report.failed, report.pending, report.stopped) == (0, 0, "")
    assert any(asked.status == 400 for asked in server.embeddings), "each text was too long"
    assert max(map(len, server.embedded)) <= 200


def test_known_limit_splits_before_sending(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    report = open_with(setup, embedding__text_tokens=50).index().embedding
    assert report is not None
    assert (report.failed, report.pending) == (0, 0)
    assert max(len(text) for text in server.embedded) <= 50 * 3 + 100, "a prompt may stand before"


def test_wrong_dimensions_stop_the_run_and_name_the_remedy(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    server.dimensions = 5
    report = open_with(setup).index().embedding
    assert report is not None
    assert report.stopped == "provider"
    assert "5 dimensions, not 8" in report.detail
    assert "`embedding.dimensions`" in report.detail
    assert report.embedded == 0


@pytest.mark.parametrize(
    "change",
    [lambda vectors: vectors[:-1], lambda vectors: [[math.nan] * 8, *vectors[1:]]],
    ids=["count", "not-finite"],
)
def test_wrong_counts_and_values_are_never_kept(
    setup: Setup, server: ProviderServer, open_with: Opener, change: object
) -> None:
    def spoil(_number: int, texts: list[str]) -> Fault | None:
        return Fault(change=change) if len(texts) > 1 else None  # type: ignore[arg-type]

    server.fault = spoil
    report = open_with(setup).index().embedding
    assert report is not None
    assert (report.failed, report.pending, report.stopped) == (0, 0, "")
    _nothing_lost_nor_twice(server, report.embedded)


def test_answer_of_another_form_is_told(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    server.fault = lambda _number, _texts: Fault(body={"surprise": True})
    report = open_with(setup).index().embedding
    assert report is not None
    assert report.stopped == "provider"
    assert "another form than documented" in report.detail


def test_no_key_is_in_the_store(setup: Setup, server: ProviderServer, open_with: Opener) -> None:
    workspace = open_with(setup)
    workspace.index()
    workspace.search("combine")
    for path in workspace.store.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_requests_carry_the_key_and_what_a_text_is_for(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(setup)
    workspace.index()
    workspace.search("combine two numbers")
    document, query = server.embeddings[0], server.embeddings[-1]
    if setup.variable:
        expected = "tid=short-lived-1" if setup.provider == "copilot" else KEY
        assert expected in json.dumps(document.headers)
        assert KEY not in document.path
    if setup.provider not in {"openai", "copilot", "mistral", "compatible"}:
        told = lambda asked: (asked.texts[0].split(":")[0], {  # noqa: E731
            key: value for key, value in asked.body.items() if key in {"task", "input_type"}
        }, [row.get("taskType") for row in asked.body.get("requests", [])][:1])  # fmt: skip
        assert told(document) != told(query)
