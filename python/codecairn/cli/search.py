"""`search`, `peek`, `similar` and `define`."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened, opened_all
from codecairn.cli.output import Form, Line, note, print_result
from codecairn.cli.parameters import on_workspace, on_workspaces, takes
from codecairn.errors import UsageError
from codecairn.operations.index_operations import OPERATIONS
from codecairn.paths.relative import split_place
from codecairn.search.result_notes import LIKELY, confidence_line, freshness_notes

if TYPE_CHECKING:
    from codecairn.core.types.hits import SearchResult

Values = Any
"""The values of an operation's parameters, checked by click and passed on as they are."""


@command("search")
@takes(OPERATIONS["search"])
@on_workspaces
def search(
    path: str | None, form: Form | None, *, quiet: bool, several: tuple[str, ...], **values: Values
) -> None:
    with opened_all(path, several, command="search", quiet=quiet) as workspace:
        result = OPERATIONS["search"].run(workspace, **values)
    _print(result, form, quiet=quiet, explain=values["explain"])


@command("peek")
@takes(OPERATIONS["peek"])
@on_workspaces
def peek(
    path: str | None, form: Form | None, *, quiet: bool, several: tuple[str, ...], **values: Values
) -> None:
    with opened_all(path, several, command="peek", quiet=quiet) as workspace:
        result = OPERATIONS["peek"].run(workspace, **values)
    _print(result, form, quiet=quiet, with_text=False)


@command("similar")
@takes(OPERATIONS["similar"], without=("text",))
@on_workspace
def similar(
    path: str | None, form: Form | None, *, quiet: bool, place: str, **values: Values
) -> None:
    text = None
    if place == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        if not text.strip():
            raise UsageError(
                "standard input is empty", hint="pipe the code to look for into `similar -`"
            )
    else:
        place = _from_here(place)
    with opened(path, command="similar", quiet=quiet) as workspace:
        result = OPERATIONS["similar"].run(workspace, place=place, text=text, **values)
    _print(result, form, quiet=quiet)


@command("define")
@takes(OPERATIONS["define"])
@on_workspaces
def define(
    path: str | None, form: Form | None, *, quiet: bool, several: tuple[str, ...], **values: Values
) -> None:
    with opened_all(path, several, command="define", quiet=quiet) as workspace:
        result = OPERATIONS["define"].run(workspace, **values)
    _print(result, form, quiet=quiet)


def _from_here(place: str) -> str:
    """The place with its file made absolute, if there is such a file seen from the current folder."""
    file, line = split_place(place)
    candidate = Path(file)
    return f"{candidate.resolve()}:{line}" if candidate.is_file() else place


def _print(
    result: "SearchResult",
    form: Form | None,
    *,
    quiet: bool,
    with_text: bool = True,
    explain: bool = False,
) -> None:
    def document() -> Mapping[str, object]:
        from codecairn.operations.json_output import search_document

        return search_document(result, with_text=with_text, explain=explain)

    def documents() -> Iterable[Mapping[str, object]]:
        from codecairn.operations.json_output import hit_documents

        return hit_documents(result, with_text=with_text, explain=explain)

    def lines() -> Iterable[Line]:
        from codecairn.cli.hit_format import result_lines

        return result_lines(result, with_text=with_text, explain=explain)

    print_result(form, document=document, documents=documents, lines=lines)
    is_likely = result.confidence is not None and result.confidence >= LIKELY
    confidence = "" if is_likely or form is not None else confidence_line(result)
    for message in [*([confidence] if confidence else []), *freshness_notes(result)]:
        note(message, quiet=quiet)
