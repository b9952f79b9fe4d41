"""What tools on the code graph say."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from codecairn.context.pack import Pack
from codecairn.mcp.answers import Answer, fitting_lines
from codecairn.operations.json_output import plain_document

MAX_ROWS = 100
"""Of one list in a document; how many more there are is told beside it."""


def told_by(lines: Callable[[Any], Iterable[str]]) -> Callable[[Any], Answer]:
    """Makes an answer of a result by its lines of text."""

    def answer(result: object) -> Answer:
        return Answer(
            text=fitting_lines(list(lines(result))), document=_short(plain_document(result))
        )

    return answer


def pack_answer(pack: Pack) -> Answer:
    """A pack as it is read; its budget bounds it."""
    return Answer(text=pack.text, document=plain_document(pack))


def _short(document: Mapping[str, object]) -> dict[str, object]:
    """The document with its longest lists cut."""
    cut = {
        key: value[:MAX_ROWS] if isinstance(value, list | tuple) else value
        for key, value in document.items()
    }
    more = {
        key: len(value) - MAX_ROWS
        for key, value in document.items()
        if isinstance(value, list | tuple) and len(value) > MAX_ROWS
    }
    return {**cut, "more": more} if more else cut
