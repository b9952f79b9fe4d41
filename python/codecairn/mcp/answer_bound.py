"""Bounds what a tool returns: text for a model's context, and a document that programs read.

Tools bound their answers by token budgets and counts, which a call may set as high as it likes. This is the limit above them all.
"""

import json
import re
from dataclasses import replace
from typing import Any

from codecairn.mcp.answers import MAX_CHARACTERS, Answer

MAX_DOCUMENT_CHARACTERS = 4 * MAX_CHARACTERS
"""Of a document as JSON."""

TRUNCATED = "truncated"
"""The field of a document that has been cut."""


def bounded(answer: Answer, *, is_json: bool) -> Answer:
    """The answer, cut where it is too long; with `is_json` its text is its document, and stays JSON."""
    if is_json:
        document = _bounded_document(answer.document, MAX_CHARACTERS)
        if document is answer.document:
            return answer
        return replace(answer, text=_json(document), document=document)
    document = _bounded_document(answer.document, MAX_DOCUMENT_CHARACTERS)
    return replace(answer, text=bounded_text(answer.text), document=document)


def bounded_text(text: str) -> str:
    """A text of `MAX_CHARACTERS` at most, cut after a line, and a note of what is left out."""
    if len(text) <= MAX_CHARACTERS:
        return text
    shown = text[:MAX_CHARACTERS]
    last_line = shown.rfind("\n")
    shown = shown[:last_line] if last_line > MAX_CHARACTERS // 2 else shown
    fence = _open_fence(shown)
    left_out = (
        f"{len(text) - len(shown):,} more characters left out: ask for less, or narrow the question"
    )
    return f"{shown}{fence}\n{left_out}"


def _open_fence(text: str) -> str:
    """The line that ends a fence which the text leaves open; empty if there is none."""
    opened = ""
    for fence in re.findall(r"^(`{3,})", text, re.MULTILINE):
        if not opened:
            opened = fence
        elif len(fence) >= len(opened):
            opened = ""
    return f"\n{opened}" * bool(opened)


def _bounded_document(document: dict[str, object], max_characters: int) -> dict[str, object]:
    """The document without the second halves of its largest parts, as often as it takes."""
    if len(_json(document)) <= max_characters:
        return document
    cut: dict[str, object] = json.loads(_json(document))
    while len(_json(cut)) > max_characters:
        _halve_largest(cut)
    return cut | {TRUNCATED: True}


def _halve_largest(value: Any) -> None:  # noqa: ANN401 - a dict or a list of JSON
    """Halve the largest list or text in a value; of a list with one item, what is in the item."""
    names = list(value) if isinstance(value, dict) else range(len(value))
    largest = max(names, key=lambda name: len(_json(value[name])))
    part = value[largest]
    if isinstance(part, dict) or (isinstance(part, list) and len(part) == 1):
        _halve_largest(part)
    elif isinstance(part, list | str):
        value[largest] = part[: len(part) // 2]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
