"""The commands `uses`, `impact`, `context` and `edit-context`, which prepare a change."""

from typing import Any

import click

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.graph_screen import graph_command
from codecairn.cli.output import Form, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.graph import render, render_structure
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.json_output import plain_document


def _pack_command(name: str) -> click.Command:
    """A command whose operation packs a text under a token budget: opens the workspace, and shows the text."""
    operation = CHANGE_OPERATIONS[name]

    def run(path: str | None, form: Form | None, *, quiet: bool, **values: Any) -> None:  # noqa: ANN401
        with opened(path, command=name, quiet=quiet) as workspace:
            result = operation.run(workspace, **values)
        print_result(
            form,
            document=lambda: plain_document(result),
            documents=lambda: map(plain_document, result.sections),
            lines=lambda: ((line,) for line in result.text.splitlines()),
        )

    return command(name)(takes(operation)(on_workspace(run)))


uses = graph_command(CHANGE_OPERATIONS["uses"], render.uses_lines, lambda found: found.places)
impact = graph_command(
    CHANGE_OPERATIONS["impact"], render_structure.impact_lines, lambda found: found.dependents
)
context = _pack_command("context")
edit_context = _pack_command("edit-context")
