"""What is printed of texts that go to a provider: estimates, reports, progress, and what was paid."""

import dataclasses
import io

import pytest

from codecairn.cli.embedding import (
    cost_rows,
    embedding_lines,
    embedding_rows,
    estimate_line,
    memory_embedding_words,
    provider_lines,
)
from codecairn.cli.index import preview_lines, report_lines
from codecairn.cli.output import Line, Printer
from codecairn.core.types.embedding import (
    EmbeddingEstimate,
    EmbeddingReport,
    EmbeddingStatus,
    OutsideState,
    ProviderEstimate,
    Spending,
)
from codecairn.core.types.indexing import IndexPreview, IndexReport
from codecairn.core.types.memory import MemoryEmbeddingStatus
from codecairn.core.types.status import Status
from codecairn.mcp.answers import index_answer, preview_answer, status_answer

WHERE = "https://api.example.com/v1"
ESTIMATE = EmbeddingEstimate(
    space="openai/m", destination=WHERE, texts=1200, tokens=90_000, usd=0.18
)
STATE = OutsideState(texts=1200, pending=200, failures=(), is_active=True)
STATUS = EmbeddingStatus(
    space="openai/m", destination=WHERE, state=STATE, max_tokens=0, max_usd=0.0
)
INDEX = Status(
    root="/r", store="/r/.codecairn", branch="", head="", format=1, generation=4, files=2, blobs=2,
    chunks=5, texts=5, vectors=4, pending=1, symbols=3, branches=(), languages=(),
    skipped=(("binary", 2),), coarse=0, unparsed=("a.java",), store_bytes=2000, segments=2,
    embedder="feature-hash", dimensions=256, indexed_at_ns=1, indexing="codecairn index", notes=("the disk is slow",),
)  # fmt: skip
REPORT = IndexReport(
    branch="main", files=3, added=1, modified=1, removed=0, renamed=1, unchanged=1, chunks=9,
    parsed=2, new_chunks=2, embedded=2, pending=1, skipped=0, size_bytes=1000, seconds=0.25, diagnostics=0,
)  # fmt: skip
PREVIEW = IndexPreview(
    branch="main", added=("a",), modified=(), removed=(), unchanged=0, size_bytes=9, chunks=2, texts=2, tokens=40,
)  # fmt: skip


def _text(*lines: Line) -> list[str]:
    stream = io.StringIO()
    Printer(stream).lines(lines)
    return stream.getvalue().splitlines()


def test_estimate_names_where_texts_go_and_what_that_costs() -> None:
    assert _text(estimate_line(ESTIMATE)) == [
        f"  1,200 texts to embed at {WHERE} as openai/m (about 90,000 tokens, about $0.1800)"
    ]
    free = dataclasses.replace(ESTIMATE, usd=None)
    assert _text(estimate_line(free))[0].endswith("at an unknown price)")
    each = ProviderEstimate(provider="voyage", model="v", usd=1.5, seconds=90.0)
    assert _text(*provider_lines((each,))) == ["    voyage (v): $1.50, 2 minutes at least"]


@pytest.mark.parametrize("usd", [0.18, None])
def test_preview_has_the_estimate_for_people_and_agents(usd: float | None) -> None:
    preview = dataclasses.replace(PREVIEW, embedding=dataclasses.replace(ESTIMATE, usd=usd))
    price = "an unknown price" if usd is None else "about $0.1800"
    assert f"1,200 texts to {WHERE}, {price}" in preview_answer(preview).text
    assert any(WHERE in line for line in _text(*preview_lines(preview, with_files=False)))
    assert WHERE not in preview_answer(PREVIEW).text


def test_report_says_what_was_embedded_what_failed_and_why_it_ended() -> None:
    spending = Spending(requests=3, texts=100, tokens=5000, micro_usd=10_000)
    report = EmbeddingReport(
        space="openai/m", destination=WHERE, embedded=98, failed=2, spending=spending,
        stopped="budget", detail="the budget of $1 is used up",
    )  # fmt: skip
    assert _text(*embedding_lines(report)) == [
        f"  98 texts embedded at {WHERE} as openai/m: 3 requests, 5,000 tokens, $0.0100",
        "  2 texts failed; the next run tries them again",
        "  stopped: the budget of $1 is used up",
    ]
    nothing = EmbeddingReport(space="openai/m", destination=WHERE)
    assert _text(*embedding_lines(nothing)) == [f"  0 texts embedded at {WHERE} as openai/m"]
    indexed = dataclasses.replace(REPORT, embedding=report)
    assert "embedding stopped: the budget of $1 is used up" in index_answer(indexed).text
    assert "  stopped: the budget of $1 is used up" in _text(*report_lines("/r", indexed, ()))
    assert "embedding" not in index_answer(REPORT).text


def test_status_says_how_far_a_provider_has_come_and_which_vectors_are_searched() -> None:
    assert embedding_rows(STATUS) == {
        "outside": f"openai/m at {WHERE}: 1,000 of 1,200 texts (searched)"
    }
    failing = OutsideState(
        texts=1200, pending=200, failures=("too long", "too long", "refused"), is_active=False
    )
    rows = embedding_rows(dataclasses.replace(STATUS, state=failing))
    assert rows["outside"].endswith("(the built-in model's are searched until they are complete)")
    assert rows["failed"] == "3 texts: too long; refused"


@pytest.mark.parametrize(
    ("max_usd", "max_tokens", "budget"),
    [
        (0.0, 0, ""),
        (5.0, 0, " of $5"),
        (0.0, 9000, " of 9,000 tokens"),
        (2.5, 1, " of $2.5 and 1 token"),
    ],
)
def test_status_says_what_was_paid_of_which_budget(
    max_usd: float, max_tokens: int, budget: str
) -> None:
    spent = (("openai/m", Spending(requests=1, tokens=100, micro_usd=20_000)),)
    embedding = dataclasses.replace(STATUS, max_usd=max_usd, max_tokens=max_tokens)
    status = dataclasses.replace(INDEX, spending=spent, embedding=embedding)
    assert cost_rows(status) == {"cost so far": f"1 request, 100 tokens, $0.0200{budget}"}
    assert cost_rows(INDEX) == {}


def test_memory_s_provider_in_words() -> None:
    status = MemoryEmbeddingStatus(
        space="openai/m", destination=WHERE, texts=10, embedded=7, pending=3, refused=1,
        tokens=400, micro_usd=30_000,
    )  # fmt: skip
    assert memory_embedding_words(status) == (
        f"openai/m at {WHERE}: 7 of 10 texts embedded, 3 pending, 1 refused, 400 tokens, $0.0300"
    )
    free = dataclasses.replace(status, refused=0, tokens=0, micro_usd=0)
    assert memory_embedding_words(free).endswith("3 pending")
    wrong = dataclasses.replace(status, problem="there is no key")
    assert memory_embedding_words(wrong) == "openai/m can't be used: there is no key"


def test_agents_are_given_what_is_not_indexed_and_what_leaves_the_machine() -> None:
    sends = dataclasses.replace(INDEX, outgoing=(f"texts to {WHERE}",))
    assert status_answer(sends).text.splitlines() == [
        "workspace /r, branch (none)",
        "2 files, 5 chunks, 3 symbols; 4 vectors of feature-hash",
        "1 texts wait for a vector",
        "not indexed: binary 2",
        "1 files cut by lines, as parsing would take too much time or memory",
        "the disk is slow",
        f"sends texts to {WHERE}",
        "codecairn index",
    ]
