"""`memory review`: lists the facts that a person should look at; on a terminal it asks what to do with each."""

import sys
from collections.abc import Iterator
from functools import partial

import click

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.memory import fact_lines
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.memory import review
from codecairn.memory.review import ReviewItem
from codecairn.operations.json_output import record_document
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.workspace.workspace import Workspace

_OPERATION = MAINTENANCE_OPERATIONS["review"]
_ACTIONS = ("keep", "replace the older", "change", "end", "skip", "quit")
_DONE = {"k": "kept", "r": "replaced the older", "c": "changed", "e": "ended", "s": "skipped"}


def _run(path: str | None, form: Form | None, *, quiet: bool, limit: int) -> None:
    with opened(path, command="memory review", quiet=quiet) as workspace:
        items: tuple[ReviewItem, ...] = _OPERATION.run(workspace, limit=limit)
        if items and form is None and not quiet and sys.stdin.isatty() and sys.stdout.isatty():
            _walk(workspace, items)
            return
    print_result(
        form,
        document=lambda: {"results": [_document(item) for item in items]},
        documents=lambda: [_document(item) for item in items],
        lines=lambda: _lines(items) if items else [(("nothing to review", "dim"),)],
    )


review_command = command("review")(takes(_OPERATION)(on_workspace(_run)))
"""`memory review`."""


def _walk(workspace: Workspace, items: tuple[ReviewItem, ...]) -> None:
    """Ask of each fact; what was answered stays done if the walk is broken off."""
    for at, item in enumerate(items, start=1):
        lines = partial(_lines, (item,))
        print_result(None, document=dict, documents=list, lines=lines, is_paged=False)
        actions = [each for each in _ACTIONS if item.others or each != "replace the older"]
        answer = click.prompt(
            f"{at} of {len(items)}: {', '.join(actions)}",
            type=click.Choice([action[0] for action in actions]),
            default="s",
            err=True,
        )
        if answer == "q":
            return
        _decide(workspace, item, answer)
        click.echo(f"  {_DONE[answer]}", err=True)


def _decide(workspace: Workspace, item: ReviewItem, answer: str) -> None:
    memory = workspace.memory
    if answer == "k":
        review.keep(memory, item)
    elif answer == "r":
        review.replace_others(memory, item)
    elif answer == "c":
        review.change(memory, item.fact, click.prompt("new words", err=True))
    elif answer == "e":
        review.end(memory, item.fact)


def _document(item: ReviewItem) -> dict[str, object]:
    return {
        "reason": item.reason,
        "fact": record_document(item.fact),
        "others": [record_document(other) for other in item.others],
    }


def _lines(items: tuple[ReviewItem, ...]) -> Iterator[Line]:
    for item in items:
        yield ((item.reason, "yellow"),)
        yield from fact_lines(item.fact, item.standing)
        for other in item.others:
            yield (("  may contradict", "dim"),)
            yield from fact_lines(other)
