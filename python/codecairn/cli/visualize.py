"""`visualize`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from codecairn.cli.command import WholeNumber, command, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, note, print_result
from codecairn.cli.parameters import on_workspace
from codecairn.clock import SystemClock
from codecairn.core.text_format import amount, size
from codecairn.errors import UsageError
from codecairn.graph.visual.builder import DEFAULT_MAX_NODES, GraphPage, make_page
from codecairn.graph.visual.output import PAGE_NAME, can_open, open_page, write_page

STANDARD_OUTPUT = "-"


@command("visualize")
@click.argument("folder", metavar="[PATH]", required=False)
@option(
    "--max-nodes",
    type=WholeNumber(1),
    default=DEFAULT_MAX_NODES,
    metavar="N",
    help="The maximum number of symbols; the least important are left out.",
)
@option(
    "--output",
    metavar="FILE",
    help="Where to write the page, or `-` for standard output. [default: in the store]",
)
@option(
    "--open/--no-open",
    "is_opened",
    default=None,
    help="Open the page in a browser. [default: on a terminal with a desktop]",
)
@on_workspace
def visualize(
    folder: str | None,
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    max_nodes: int,
    output: str | None,
    is_opened: bool | None,
) -> None:
    """Show the code graph as one HTML page that needs no network.

    It shows modules, symbols and their uses, communities, activity in git of the last 90 days, hotspots and cycles.
    """
    if folder is not None and path is not None:
        raise UsageError("PATH and `--path` name the same thing", hint="give one of them")
    if output == STANDARD_OUTPUT and (form is not None or is_opened):
        raise UsageError(
            "`--output -` leaves no room for anything beside the page",
            hint="name a file, or leave out `--json`, `--jsonl` and `--open`",
        )
    with opened(path if folder is None else folder, command="visualize", quiet=quiet) as workspace:
        survey = workspace.graph.engine().survey()
        page = make_page(survey, workspace.root, clock=SystemClock(), max_nodes=max_nodes)
        place = workspace.store / PAGE_NAME
    if output == STANDARD_OUTPUT:
        sys.stdout.write(page.html)
        return
    file = place if output is None else Path(output)
    write_page(page.html, file)
    print_result(
        form,
        document=lambda: _document(page, file),
        documents=lambda: [_document(page, file)],
        lines=lambda: _lines(page, file),
    )
    wants = is_opened if is_opened is not None else form is None and _is_watched()
    if wants and not open_page(file):
        note("no browser was found: open the file yourself", quiet=quiet)


def _is_watched() -> bool:
    return sys.stdout.isatty() and can_open()


def _document(page: GraphPage, file: Path) -> dict[str, object]:
    return {
        "file": str(file),
        "size_bytes": len(page.html.encode()),
        "symbols": page.symbols,
        "links": page.links,
        "left_out": {
            "unlinked": page.unlinked,
            "unimportant": page.unimportant,
            "links": page.left_out_links,
        },
        "has_history": page.has_history,
    }


def _lines(page: GraphPage, file: Path) -> Iterator[Line]:
    shown = f"{amount(page.symbols, 'symbol')}, {amount(page.links, 'link')}"
    yield ("wrote ", (str(file), "bold"), f": {shown}, {size(len(page.html.encode()))}")
    left_out = [
        words
        for number, words in (
            (page.unimportant, amount(page.unimportant, "less important symbol")),
            (page.unlinked, amount(page.unlinked, "symbol") + " that nothing links to others"),
            (page.left_out_links, amount(page.left_out_links, "rarer link")),
        )
        if number
    ]
    if left_out:
        more = "; `--max-nodes` shows more" if page.unimportant else ""
        yield (f"  left out: {', '.join(left_out)}{more}",)
    if not page.has_history:
        yield ("  no git history was found: activity and hotspots are empty",)
