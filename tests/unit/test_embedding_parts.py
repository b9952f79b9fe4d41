"""Batches, parts, pooling, waits, budgets and errors: pure logic."""

import json
from datetime import datetime, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.core.types.embedding import Spending
from codecairn.embedding.base import in_order
from codecairn.embedding.models import Limits, find_model
from codecairn.embedding.query_cache import QueryCache
from codecairn.embedding.validation import as_bytes, pooled
from codecairn.errors import (
    BudgetExhausted,
    Cancelled,
    ProviderBroken,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnauthorized,
    ProviderUnavailable,
)
from codecairn.remote.batches import Item, Part, batches_of, parts_of, tokens_in
from codecairn.remote.budget import Budget, micro_usd
from codecairn.remote.error_mapping import of_status, retry_after_s
from codecairn.remote.rate_limit import Limiter, Stop
from codecairn.remote.request import HttpRequest, Secret
from support.clock import FakeClock

LIMITS = Limits(batch_texts=4, batch_tokens=100, concurrency=2, interval_ms=500)
REQUEST = HttpRequest(url="https://x/v1", body={}, secrets=(Secret("s3cret-key"),))


@given(
    st.text(max_size=600), st.integers(min_value=8, max_value=60), st.sampled_from(["", "ask: "])
)
def test_parts_hold_the_whole_text_and_each_fits(text: str, most: int, prompt: str) -> None:
    parts = parts_of(text, max_tokens=most, prompt=prompt)
    assert "".join(part.text.removeprefix(prompt) for part in parts) == text
    room = max(32, most - tokens_in(prompt)) if prompt else most
    assert all(tokens_in(part.text.removeprefix(prompt)) <= room for part in parts)


@given(st.lists(st.integers(min_value=1, max_value=400), max_size=40))
def test_batches_keep_order_and_limits(sizes: list[int]) -> None:
    items = [
        Item(key=bytes([at]), parts=[Part(text="x" * size, weight=1)])
        for at, size in enumerate(sizes)
    ]
    batches = list(batches_of(items, max_texts=5, max_tokens=100))
    assert [item for batch in batches for item in batch] == items
    for batch in batches:
        assert len(batch) <= 5
        assert len(batch) == 1 or sum(item.tokens for item in batch) <= 100


def test_parts_are_pooled_by_weight_whatever_their_length() -> None:
    near, far = as_bytes([10.0, 0.0], provider="x"), as_bytes([0.0, 0.1], provider="x")
    assert pooled([near], [1]) == near
    assert pooled([near, far], [3, 1]) == as_bytes([3.0, 1.0], provider="x")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e39])
def test_values_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(ProviderBroken, match="not finite"):
        as_bytes([1.0, value], provider="x")


@pytest.mark.parametrize(
    "rows",
    [None, [{"index": 0}], [{"index": 1, "embedding": [1]}], [{"index": 0, "embedding": ["a"]}],
     [{"index": 0, "embedding": [True]}],
     [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]],
)  # fmt: skip
def test_rows_of_another_form_are_refused(rows: object) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        in_order(rows)


def test_advice_to_wait_is_read_in_all_its_forms() -> None:
    later = format_datetime(datetime(2026, 1, 1, 0, 1, tzinfo=timezone.utc), usegmt=True)
    now_s = datetime(2026, 1, 1, tzinfo=timezone.utc).timestamp()
    forms = {"3": 3.0, "0.5": 0.5, later: 60.0, "soon": None, "-4": None, "": None}
    for text, seconds in forms.items():
        assert retry_after_s({"retry-after": text}, now_s=now_s) == seconds, text
    assert retry_after_s({"retry-after-ms": "1500", "retry-after": "9"}, now_s=now_s) == 1.5


@pytest.mark.parametrize(
    ("status", "kind", "is_general"),
    [
        (400, ProviderRefused, False),
        (401, ProviderUnauthorized, False),
        (402, ProviderRefused, True),
        (403, ProviderUnauthorized, False),
        (404, ProviderRefused, True),
        (408, ProviderUnavailable, False),
        (413, ProviderRefused, False),
        (422, ProviderRefused, False),
        (429, ProviderRateLimited, False),
        (301, ProviderRefused, True),
        (500, ProviderUnavailable, False),
        (503, ProviderUnavailable, False),
    ],
)
def test_errors_name_provider_status_and_remedy(
    status: int, kind: type[ProviderError], *, is_general: bool
) -> None:
    body = b'{"error": {"message": "no, not with s3cret-key"}}'
    error = of_status("openai", REQUEST, status, {}, body, now_s=0)
    assert type(error) is kind
    assert error.message == f"openai answered {status}: no, not with ***"
    assert error.hint
    assert (error.provider, error.status, error.is_general) == ("openai", status, is_general)
    assert error.is_too_long == (status == 413)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b"[]",
        b'{"detail": [1]}',
        b"[" * 100_000,
        b'"x"',
        b'{"error": {"code": [], "type": {}, "details": [1], "message": 5}}',
        b"[[]]",
    ],
)
def test_error_bodies_of_any_form_are_no_trouble(body: bytes) -> None:
    assert "openai answered 400" in of_status("openai", REQUEST, 400, {}, body, now_s=0).message


@pytest.mark.parametrize(
    "message",
    ["This model's maximum context length is 8192 tokens", "input is too long", "too many tokens",
     "the input length exceeds the context length", "Number of tokens exceeds the maximum"],
)  # fmt: skip
def test_texts_that_are_too_long_are_recognised(message: str) -> None:
    body = f'{{"error": "{message}"}}'.encode()
    error = of_status("ollama", REQUEST, 400, {}, body, now_s=0)
    assert error.is_too_long


def test_starts_lie_an_interval_apart_and_advice_holds_for_all() -> None:
    clock = FakeClock()
    limiter = Limiter(LIMITS, clock=clock)
    with limiter.turn(1):
        pass
    assert limiter._wait_s(1) == pytest.approx(0.5)
    assert limiter.refused(0, 7.0, is_limit=True) == pytest.approx(7.0, abs=0.06)
    assert limiter._wait_s(1) >= 7.0
    clock.time_s = 8.0
    assert limiter._wait_s(1) <= 0


def test_wait_doubles_with_jitter_up_to_its_limit() -> None:
    limiter = Limiter(LIMITS, clock=FakeClock())
    for attempt, most in enumerate([1, 2, 4, 8, 16, 30, 30]):
        waits = {limiter.refused(attempt, None, is_limit=False) for _ in range(20)}
        assert all(most / 2 <= wait <= most for wait in waits)
        assert len(waits) > 1


def test_tokens_of_a_minute_may_be_used_at_once_and_come_back() -> None:
    clock = FakeClock()
    limiter = Limiter(LIMITS, tokens_per_minute=600, clock=clock)
    with limiter.turn(600):
        pass
    clock.time_s = 10.0
    assert limiter._wait_s(100) == pytest.approx(0.0)
    assert limiter._wait_s(200) == pytest.approx(10.0)
    assert limiter._wait_s(10_000) == pytest.approx(50.0), (
        "more than a minute has waits for a minute"
    )


def test_stopped_run_lets_nobody_start() -> None:
    stop = Stop()
    limiter = Limiter(LIMITS, stop=stop, clock=FakeClock())
    stop.set()
    with pytest.raises(Cancelled), limiter.turn(1):
        pass
    with pytest.raises(Cancelled):
        stop.wait(60)


def test_budget_counts_what_is_under_way() -> None:
    budget = Budget(max_tokens=100, max_usd=0, usd_per_million=None, spent=Spending(tokens=10))
    budget.reserve(60)
    with pytest.raises(BudgetExhausted):
        budget.reserve(40)
    assert budget.settle(60, 20) == 0
    budget.reserve(70)


def _budget(limit: str, most: int, *, spent: int = 0) -> Budget:
    """A budget of tokens, or of as many millionths of a dollar at one for a token."""
    in_dollars = limit == "usd"
    return Budget(
        max_tokens=0 if in_dollars else most,
        max_usd=most / 1_000_000 if in_dollars else 0,
        usd_per_million=1.0,
        spent=Spending(tokens=spent, micro_usd=spent),
    )


limits = pytest.mark.parametrize("limit", ["tokens", "usd"])


@limits
@pytest.mark.parametrize("spent", [0, 1, 99, 100])
def test_budget_may_be_used_up_and_not_exceeded(limit: str, spent: int) -> None:
    left = 100 - spent
    with pytest.raises(BudgetExhausted, match=r"is used up"):
        _budget(limit, 100, spent=spent).reserve(left + 1)
    budget = _budget(limit, 100, spent=spent)
    assert budget.reserve(left) == left
    with pytest.raises(BudgetExhausted):
        budget.reserve(1)
    budget.settle(left, 0)
    budget.reserve(left)


@limits
def test_budget_counts_what_others_paid(limit: str) -> None:
    budget = _budget(limit, 100)
    budget.reserve(10)
    budget.take_note(Spending(tokens=70, micro_usd=70))
    with pytest.raises(BudgetExhausted):
        budget.reserve(31)
    budget.reserve(20)
    budget.take_note(Spending(tokens=5, micro_usd=5))
    with pytest.raises(BudgetExhausted):
        budget.reserve(11)
    budget.reserve(10)


@limits
def test_zero_is_no_limit(limit: str) -> None:
    _budget(limit, 0, spent=10**12).reserve(10**12)


@pytest.mark.parametrize(
    ("max_usd", "most"),
    [(0.007999, 7_999), (0.29, 290_000), (0.000001, 1), (0.0000001, 1), (20.0, 20_000_000)],
)
def test_dollars_are_counted_in_millionths(max_usd: float, most: int) -> None:
    """However small a limit is, it is one."""
    budget = Budget(max_tokens=0, max_usd=max_usd, usd_per_million=1.0, spent=Spending())
    with pytest.raises(BudgetExhausted):
        budget.reserve(most + 1)
    budget.reserve(most)


@pytest.mark.parametrize(
    ("fields", "section"), [({}, "embedding"), ({"section": "summary"}, "summary")]
)
@limits
def test_exhausted_budget_names_the_setting_to_raise(
    limit: str, fields: dict[str, str], section: str
) -> None:
    in_dollars = limit == "usd"
    budget = Budget(
        max_tokens=0 if in_dollars else 10,
        max_usd=0.00001 if in_dollars else 0,
        usd_per_million=1.0,
        spent=Spending(),
        **fields,
    )
    with pytest.raises(BudgetExhausted) as caught:
        budget.reserve(11)
    assert caught.value.hint == f"raise `{section}.max_{limit}` to go on"


def test_price_of_a_request_is_added_once_and_not_without_tokens() -> None:
    budget = Budget(
        max_tokens=0, max_usd=0, usd_per_million=3.0, usd_per_request=2.0, spent=Spending()
    )
    assert budget.reserve(5) == 2_000_015
    assert budget.settle(5, 2) == 2_000_006
    assert budget.settle(5, 0) == 0
    assert budget.reserve(0) == 0


def test_given_price_replaces_the_price_of_the_tokens() -> None:
    """A request may cost less than its tokens do elsewhere: what is left is counted by the given prices."""
    budget = Budget(max_tokens=0, max_usd=0.0001, usd_per_million=1.0, spent=Spending())
    assert budget.reserve(1_000, cost=60) == 60
    with pytest.raises(BudgetExhausted):
        budget.reserve(1, cost=41)
    assert budget.settle(1_000, 1_000, reserved_cost=60, cost=20) == 20
    assert budget.reserve(1, cost=80) == 80
    with pytest.raises(BudgetExhausted):
        budget.reserve(1, cost=1)


def test_prices_are_rounded_up() -> None:
    assert micro_usd(1, 0.02) == 1
    assert micro_usd(1_000_000, 0.13) == 130_000
    assert micro_usd(5, None) == 0


@pytest.mark.parametrize(
    "name",
    ["nomic-embed-text", "nomic-embed-text:latest", "nomic-ai/nomic-embed-text-v1.5",
     "text-embedding-nomic-embed-text-v1.5", "BAAI/bge-small-en-v1.5", "Qwen/Qwen3-Embedding-0.6B",
     "qwen3-embedding:0.6b", "nomic-ai/CodeRankEmbed", "google/embeddinggemma-300m"],
)  # fmt: skip
def test_models_are_known_by_all_their_names(name: str) -> None:
    assert find_model(name) is not None


def test_query_cache_is_exact(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path)) / "queries"
    QueryCache(folder).put("space", "json to xml", b"12345678")
    again = QueryCache(folder)
    assert again.get("space", "json to xml", size_bytes=8) == b"12345678"
    assert again.get("space", "xml to json", size_bytes=8) is None
    assert again.get("other", "json to xml", size_bytes=8) is None
    assert again.get("space", "json to xml", size_bytes=16) is None
    assert "json" not in "".join(file.name for file in folder.iterdir())


@pytest.mark.parametrize("place", ["code", "type"])
def test_account_without_credit_is_not_waited_for(place: str) -> None:
    """OpenAI says 429 then, as it does to who asks too often."""
    body = json.dumps({"error": {place: "insufficient_quota", "message": "no quota"}}).encode()
    error = of_status("openai", REQUEST, 429, {"retry-after": "1"}, body, now_s=0)
    assert isinstance(error, ProviderRefused)
    assert error.is_general
    assert "billing" in (error.hint or "")


def test_time_to_wait_is_read_where_google_tells_it() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}
    body = json.dumps({"error": {"code": 429, "message": "quota", "details": [info]}}).encode()
    error = of_status("google", REQUEST, 429, {}, body, now_s=0)
    assert isinstance(error, ProviderRateLimited)
    assert error.retry_after_s == 36.5


def test_key_that_google_does_not_know_ends_the_run() -> None:
    """Google says 400 then, as it does to a text that is at fault."""
    details = [{"reason": "API_KEY_INVALID", "domain": "googleapis.com"}]
    document = {"error": {"code": 400, "message": "API key not valid.", "details": details}}
    error = of_status("google", REQUEST, 400, {}, json.dumps(document).encode(), now_s=0)
    assert isinstance(error, ProviderUnauthorized)


def test_refusal_with_a_time_to_wait_is_a_limit_and_one_without_is_none() -> None:
    """GitHub says 403 to who asks too often."""
    slow = of_status("copilot", REQUEST, 403, {"retry-after": "60"}, b"", now_s=0)
    assert isinstance(slow, ProviderRateLimited)
    assert slow.retry_after_s == 60
    assert isinstance(of_status("copilot", REQUEST, 403, {}, b"", now_s=0), ProviderUnauthorized)
