"""`ask`."""

from typing import Any

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.json_output import answer_document, plain_document


@command("ask")
@takes(OPERATIONS["ask"])
@on_workspace
def ask(path: str | None, form: Form | None, *, quiet: bool, **values: Any) -> None:  # noqa: ANN401
    with opened(path, command="ask", quiet=quiet) as workspace:
        answer = OPERATIONS["ask"].run(workspace, **values)
    print_result(
        form,
        document=lambda: answer_document(answer),
        documents=lambda: [plain_document(piece) for piece in answer.pieces],
        lines=lambda: ((line,) for line in answer.text.splitlines()),
    )
