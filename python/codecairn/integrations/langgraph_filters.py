"""Filters of LangGraph's searches, and conditions on its namespaces."""

import operator
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from langgraph.store.base import ListNamespacesOp, MatchCondition

from codecairn.integrations.key_value_log import Name

_OPERATORS: Mapping[str, Callable[[Any, Any], object]] = MappingProxyType(
    {
        "$eq": operator.eq,
        "$ne": operator.ne,
        "$gt": operator.gt,
        "$gte": operator.ge,
        "$lt": operator.lt,
        "$lte": operator.le,
    }
)


def passes(value: Any, wanted: Any) -> bool:  # noqa: ANN401
    """Whether a member of a value matches a filter."""
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if not any(name.startswith("$") for name in wanted):
        inner = value if isinstance(value, Mapping) else {}
        return all(passes(inner.get(name), want) for name, want in wanted.items())
    for name, bound in wanted.items():
        if name not in _OPERATORS:
            message = f"a filter's operator that is not known: {name}"
            raise ValueError(message)
        if value is None and name not in {"$eq", "$ne"}:
            return False
        try:
            if not _OPERATORS[name](value, bound):
                return False
        except TypeError:  # a text is neither more nor less than a number
            return False
    return True


def namespaces(op: ListNamespacesOp, names: Iterable[Name]) -> list[tuple[str, ...]]:
    """The namespaces that an operation asks for, in order."""
    found = {name[:-1] for name in names}
    found = {
        each for each in found if all(_matches(one, each) for one in op.match_conditions or ())
    }
    return sorted({each[: op.max_depth] for each in found})[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, namespace: Name) -> bool:
    path = condition.path
    if not path or len(namespace) < len(path):
        return not path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(want in {"*", is_} for want, is_ in zip(path, part, strict=True))
