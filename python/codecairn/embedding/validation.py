"""Validates a provider's response, and encodes vectors for the core."""

import math
import sys
from array import array
from collections.abc import Sequence

from codecairn.embedding.base import Answer
from codecairn.embedding.plan import Plan
from codecairn.errors import ProviderBroken


def checked(answer: Answer, plan: Plan, *, count: int) -> list[bytes]:
    """The vectors as float32, little-endian, cut to the dimensions that were asked for.

    Raises:
        ProviderBroken: If they are too many or too few, of other dimensions, or not finite.
    """
    if len(answer.vectors) != count:
        raise ProviderBroken(
            f"{plan.provider} answered with {len(answer.vectors)} vectors for {count} texts",
            provider=plan.provider,
            status=200,
        )
    return [as_bytes(_fitting(vector, plan), provider=plan.provider) for vector in answer.vectors]


def as_bytes(vector: Sequence[float], *, provider: str) -> bytes:
    """A vector as float32, little-endian.

    Raises:
        ProviderBroken: If a value is not finite.
    """
    try:
        packed = array("f", vector)
    except (OverflowError, TypeError):
        packed = array("f", [math.inf])
    if not all(map(math.isfinite, packed)):
        raise ProviderBroken(
            f"{provider} answered with a vector that holds a value that is not finite",
            provider=provider,
            status=200,
        )
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def pooled(vectors: Sequence[bytes], weights: Sequence[int]) -> bytes:
    """One vector for a text that was embedded in parts: the mean of their directions by weight."""
    if len(vectors) == 1:
        return vectors[0]
    total: list[float] = []
    for packed, weight in zip(vectors, weights, strict=True):
        values = array("f")
        values.frombytes(packed)
        if sys.byteorder == "big":
            values.byteswap()
        length = math.sqrt(sum(value * value for value in values)) or 1.0
        share = weight / length
        if total:
            total = [sum_ + value * share for sum_, value in zip(total, values, strict=True)]
        else:
            total = [value * share for value in values]
    return as_bytes(total, provider="pooling")


def _fitting(vector: Sequence[float], plan: Plan) -> Sequence[float]:
    found = len(vector)
    if found == plan.dimensions:
        return vector
    if found > plan.dimensions and plan.facts.shorter and plan.asked_dimensions is None:
        return vector[: plan.dimensions]
    raise ProviderBroken(
        f"{plan.provider} answered with vectors of {found} dimensions, not {plan.dimensions}",
        hint=f"set `embedding.dimensions` to {found}, or check `embedding.model`",
        provider=plan.provider,
        status=200,
        is_general=True,
    )
