"""The log of model costs: one line a call, without text, in a file next to the memory."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One call of a model.

    Attributes:
        ts_ms: When, in milliseconds since 1970.
        provider: Who was asked.
        model: Which model.
        purpose: For what: "normal", "summary", "init" or "contradiction"; of the memory's embedder "embedding" or "query".
        input_tokens: Tokens that went in, cached ones included.
        cached_tokens: Of these, tokens that the provider had cached.
        output_tokens: Tokens that came out.
        micro_usd: The price in millionths of a dollar; 0 where it is not known.
        duration_ms: How long it took.
        is_ok: Whether its answer could be used.
    """

    ts_ms: int
    provider: str
    model: str
    purpose: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    micro_usd: int
    duration_ms: int
    is_ok: bool

    @property
    def tokens(self) -> int:
        """All its tokens."""
        return self.input_tokens + self.output_tokens


class CostBook:
    """The file. Lines are appended whole, so that processes do not disturb each other; a torn one is passed over."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def note(self, cost: Cost) -> None:
        """Write a call down. One that can't be written is not worth failing for: the answer is paid for."""
        line = (json.dumps(asdict(cost)) + "\n").encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line)
            finally:
                os.close(handle)
        except OSError:
            return

    def costs(self) -> Iterator[Cost]:
        """All calls, the oldest first."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        for line in lines:
            try:
                cost = Cost(**json.loads(line))
            except (ValueError, TypeError, RecursionError):
                continue
            if _is_sound(cost):
                yield cost

    def spent(self) -> tuple[int, int]:
        """Tokens, and millionths of a dollar, over all calls."""
        into, out, micro_usd = self.spent_in_detail()
        return into + out, micro_usd

    def spent_in_detail(self) -> tuple[int, int, int]:
        """Tokens that went in, tokens that came out, and millionths of a dollar, over all calls."""
        costs = list(self.costs())
        return (
            sum(cost.input_tokens for cost in costs),
            sum(cost.output_tokens for cost in costs),
            sum(cost.micro_usd for cost in costs),
        )


def _is_sound(cost: Cost) -> bool:
    """Whether each field has its type and no number is negative: a damaged line must not lower what was spent."""
    values = [(getattr(cost, field.name), field.type) for field in fields(Cost)]
    return all(type(value) is kind and (kind is not int or value >= 0) for value, kind in values)
