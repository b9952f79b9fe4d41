"""Items of the OpenAI Agents SDK: how they are stored, and their text for people and agents."""

import copy
import re
from collections.abc import Mapping
from typing import Any

_TEXTS = ("output", "content", "text", "result", "message")
"""The members of an item's parts that may have its text."""

_IDS = ("id", "call_id")
_ID = re.compile(
    r"(call|chatcmpl|ci|ctc|cu|fc|fs|ig|lsh|mcp|mcpl|mcpr|msg|rs|toolu|ws)(_[A-Za-z0-9_]{1,80})"
)
"""Ids by which items name each other. They are no secrets, but look like some: they are kept in pieces, which are too short
for the name of a secret, or else what follows one would be taken for its value."""


def in_pieces(item: Any) -> dict[str, Any]:  # noqa: ANN401
    """The item with ids as lists of their pieces."""
    return {name: _pieces(value) if name in _IDS else value for name, value in item.items()}


def whole(item: Mapping[str, Any]) -> Any:  # noqa: ANN401 - an item
    """The item again, as a copy that may be changed."""
    item = copy.deepcopy(item)
    return {name: _joined(value) if name in _IDS else value for name, value in item.items()}


def event_of(item: Mapping[str, Any]) -> dict[str, object]:
    """What people and agents see of an item."""
    kind, role = item.get("type", "message"), item.get("role", "system")
    if kind == "function_call":
        command = str(item.get("arguments", ""))
        return {"role": "tool", "tool": str(item.get("name", "")), "command": command}
    if kind == "function_call_output":
        return {"role": "tool", "tool": "output", "body": _text_of(item.get("output"))}
    text = _text_of(item.get("content")) or _text_of(item.get("summary"))
    who = role if role in {"user", "assistant"} else "system"
    return {"role": who, "body": text} if text else {"role": "system", "title": str(kind)}


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text_of, value)))
    texts = (_text_of(value.get(name)) for name in _TEXTS) if isinstance(value, dict) else ()
    return next(filter(None, texts), "")


def _pieces(value: object) -> object:
    found = _ID.fullmatch(value) if isinstance(value, str) else None
    return [found[1], *re.findall(r".{1,2}", found[2])] if found else value


def _joined(value: object) -> object:
    return "".join(value) if isinstance(value, list) else value
