"""The command `schema`, which prints the JSON schema of what commands print with `--json`."""

import click

from codecairn.cli.command import command
from codecairn.cli.output import Form, print_result


@command("schema")
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
def schema(words: tuple[str, ...]) -> None:
    """Print the JSON schema of a command's `--json` output.

    COMMAND is the command, such as `search` or `memory add`. Without one, the schema describes an object with the
    document of every command, and that of an error.
    """
    from codecairn.cli.json_documents import all_schemas, schema_of

    document = schema_of(" ".join(words)) if words else all_schemas()
    print_result(Form.JSON, document=lambda: document, documents=lambda: [document], lines=list)
