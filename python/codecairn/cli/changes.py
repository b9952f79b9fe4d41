"""The commands `uses`, `impact`, `context` and `edit-context`, which prepare a change."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.graph import render, render_structure
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.json_output import plain_document


def _command(
    name: str,
    lines: Callable[[Any], Iterable[str]],
    rows: Callable[[Any], Sequence[object]],
) -> click.Command:
    """A command of an operation: opens the workspace, runs it, shows its result or the rows of it."""
    operation = CHANGE_OPERATIONS[name]

    def run(path: str | None, form: Form | None, *, quiet: bool, **values: Any) -> None:  # noqa: ANN401
        with opened(path, command=name, quiet=quiet) as workspace:
            result = operation.run(workspace, **values)
        print_result(
            form,
            document=lambda: plain_document(result),
            documents=lambda: map(plain_document, rows(result)),
            lines=lambda: ((line,) for line in lines(result)),
        )

    return command(name)(takes(operation)(on_workspace(run)))


uses = _command("uses", render.uses_lines, lambda found: found.places)
impact = _command("impact", render_structure.impact_lines, lambda found: found.dependents)
context = _command("context", lambda found: found.text.splitlines(), lambda found: found.sections)
edit_context = _command(
    "edit-context", lambda found: found.text.splitlines(), lambda found: found.sections
)
