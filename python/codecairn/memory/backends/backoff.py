"""Exponential backoff with jitter, as opencode-graphiti has it: a second doubled with each failure, a quarter more or less."""

import random

_FIRST_MS = 1_000
_MAX_MS = 900_000
_JITTER = 0.25


def backoff_ms(failures: int, *, draw: float | None = None) -> int:
    """Milliseconds to wait after so many failures in a row, 15 minutes at most.

    Args:
        failures: How many, 1 or more.
        draw: A number from 0 to 1 in the place of a random one.
    """
    whole = min(_FIRST_MS * 2.0 ** (max(failures, 1) - 1), _MAX_MS)
    share = random.random() if draw is None else draw  # noqa: S311 - no secret
    return round(whole * (1 - _JITTER + 2 * _JITTER * share))
