"""`call`: one call of a tool, for programs that speak neither MCP nor Python."""

from collections.abc import Iterator

import click

from codecairn.cli.command import OneOf, command, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.standard_input import read_stdin
from codecairn.errors import UsageError
from codecairn.integrations.functions import STYLES, Functions, Style, schemas
from codecairn.mcp.tool_sets import SETS
from codecairn.mcp.tool_table import own_tools


@command("call")
@click.argument("name", required=False, metavar="TOOL")
@click.argument("arguments", required=False, default="{}", metavar="JSON")
@option(
    "--schemas",
    "style",
    type=OneOf([*STYLES]),
    help="Print the tools' schemas in the format of a provider.",
)
@option(
    "--tools",
    "chosen",
    metavar="SET[,SET]...",
    default="compact",
    help=f"The tool sets to print: {', '.join(SETS)}.",
)
@option("--path", metavar="PATH", help="A folder inside the workspace. [default: here]")
@option("--json", "form", flag_value=Form.JSON, type=click.UNPROCESSED, help="Print one JSON document.")  # fmt: skip
def call(
    name: str | None,
    arguments: str,
    style: Style | None,
    chosen: str,
    path: str | None,
    form: Form | None,
) -> None:
    """Call a tool of the MCP server, or print the tools' schemas.

    JSON holds the arguments; `-` reads them from standard input.
    """
    if style is not None:
        found = schemas(style, chosen=chosen)
        print_result(Form.JSON, document=lambda: {"tools": found}, documents=list, lines=lambda: ())
        return
    if name is None:
        raise UsageError("which tool?", hint=f"one of {', '.join(own_tools())}, or `--schemas`")
    with opened(path, command="call", quiet=True) as workspace:
        given = read_stdin("the arguments of the tool as JSON") if arguments == "-" else arguments
        answer = Functions(workspace, chosen="all").answer(name, given)

    def lines() -> Iterator[Line]:
        yield from ((line,) for line in answer.text.splitlines())

    print_result(
        form,
        document=lambda: {"text": answer.text, "result": answer.document},
        documents=list,
        lines=lines,
    )
