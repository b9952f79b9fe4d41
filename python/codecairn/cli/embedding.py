"""Text about remote embedding: the estimate before it, the report after it, and its status."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from codecairn.cli.output import Line
from codecairn.core.text_format import amount, dollars, duration

if TYPE_CHECKING:
    from codecairn.core.types.embedding import (
        EmbeddingEstimate,
        EmbeddingReport,
        EmbeddingStatus,
        ProviderEstimate,
        Spending,
    )
    from codecairn.core.types.memory import MemoryEmbeddingStatus
    from codecairn.core.types.status import Status

_REASONS_SHOWN = 5


def estimate_line(estimate: "EmbeddingEstimate") -> Line:
    """What embedding outside would take."""
    price = "at an unknown price" if estimate.usd is None else f"about {dollars(estimate.usd)}"
    return (
        f"  {amount(estimate.texts, 'text')} to embed at {estimate.destination} as {estimate.space} "
        f"(about {amount(estimate.tokens, 'token')}, {price})",
    )


def provider_lines(estimates: "tuple[ProviderEstimate, ...]") -> Iterator[Line]:
    """What providers would charge, and how long they would take."""
    for estimate in estimates:
        yield (
            f"    {estimate.provider} ({estimate.model}): {dollars(estimate.usd)}, "
            f"{duration(estimate.seconds)} at least",
        )


def embedding_lines(report: "EmbeddingReport") -> Iterator[Line]:
    """What a run had embedded outside."""
    yield (
        f"  {amount(report.embedded, 'text')} embedded at {report.destination} as {report.space}"
        f"{_cost(report.spending)}",
    )
    if report.failed:
        yield (f"  {amount(report.failed, 'text')} failed; the next run tries them again",)
    if report.stopped:
        yield (("  stopped: ", "yellow"), report.detail)


def embedding_rows(status: "EmbeddingStatus") -> dict[str, str]:
    """How far embedding outside has come, as rows of `status`."""
    state = status.state
    done = state.texts - state.pending
    use = (
        "searched"
        if state.is_active
        else "the built-in model's are searched until they are complete"
    )
    rows = {
        "outside": f"{status.space} at {status.destination}: "
        f"{done:,} of {amount(state.texts, 'text')} ({use})"
    }
    if state.failures:
        reasons = "; ".join(dict.fromkeys(state.failures[:_REASONS_SHOWN]))
        rows["failed"] = f"{amount(len(state.failures), 'text')}: {reasons}"
    return rows


def memory_embedding_words(status: "MemoryEmbeddingStatus") -> str:
    """The provider that embeds the memory, how far it has come, and what it has cost."""
    if status.problem:
        return f"{status.space} can't be used: {status.problem}"
    cost = f", {amount(status.tokens, 'token')}" if status.tokens else ""
    cost += f", {dollars(status.micro_usd / 1e6)}" if status.micro_usd else ""
    refused = f", {status.refused:,} refused" if status.refused else ""
    return (
        f"{status.space} at {status.destination}: {status.embedded:,} of {amount(status.texts, 'text')} embedded, "
        f"{status.pending:,} pending{refused}{cost}"
    )


def cost_rows(status: "Status") -> dict[str, str]:
    """What was paid so far, and of which budget, as rows of `status`."""
    if not status.spending:
        return {}
    budgets = []
    if status.embedding is not None and status.embedding.max_usd:
        budgets.append(f"${status.embedding.max_usd:g}")
    if status.embedding is not None and status.embedding.max_tokens:
        budgets.append(amount(status.embedding.max_tokens, "token"))
    of_budget = f" of {' and '.join(budgets)}" if budgets else ""
    return {"cost so far": _cost(status.spent).removeprefix(": ") + of_budget}


def _cost(spending: "Spending") -> str:
    if not spending.requests:
        return ""
    return (
        f": {amount(spending.requests, 'request')}, {amount(spending.tokens, 'token')}, "
        f"{dollars(spending.usd)}"
    )
