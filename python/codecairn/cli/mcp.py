"""The command `mcp`, which starts a server of the Model Context Protocol."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codecairn.cli.command import WholeNumber, command, option
from codecairn.cli.output import note
from codecairn.mcp.client_roots import HostRoots
from codecairn.mcp.host_folders import folders_of_environment, is_placeholder
from codecairn.mcp.lazy_dispatcher import LazyToolDispatcher
from codecairn.mcp.tool_sets import SETS, named_sets
from codecairn.mcp.transports import serve_http, serve_stdio
from codecairn.paths.root import resolve_folder

if TYPE_CHECKING:
    from codecairn.mcp.dispatcher import ToolDispatcher

TOKEN_VARIABLE = "CODECAIRN_MCP_TOKEN"  # noqa: S105 - a name


@command("mcp")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@option("--tools", metavar="SET[,SET]...",
              setting="mcp.tools",
              help=f"Which tools to offer ({', '.join(SETS)}); every one costs tokens in every session.")  # fmt: skip
@option("--http", "port", type=WholeNumber(0, 65535), metavar="PORT",
              help="Listen on this port of the loopback address instead; 0 for any free one.")  # fmt: skip
@option("--allow", "allowed", metavar="FOLDER", multiple=True,
              type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Let agents add knowledge bases below this folder.")  # fmt: skip
@option("-q", "--quiet", is_flag=True, help="No notes on standard error.")
def mcp(
    paths: tuple[str, ...],
    *,
    tools: str | None,
    port: int | None,
    allowed: tuple[Path, ...],
    quiet: bool,
) -> None:
    """Serve an agent's host over standard input and output.

    It ends when the host closes them. PATH is the workspace, or several that are searched together; by default the folders
    that the host has open, else that of the current folder if it is a project. The index is brought up to date in the
    background. With `--http`, each request needs `Authorization: Bearer` with the token
    from CODECAIRN_MCP_TOKEN, or with the one that is generated and printed.
    """
    chosen = None if tools is None else named_sets(tools)
    folders = [resolve_folder(path) for path in paths if not is_placeholder(path)]
    roots = HostRoots()

    def make_dispatcher() -> "ToolDispatcher":
        return _dispatcher(folders, roots, chosen, allowed, quiet=quiet)

    with LazyToolDispatcher(make_dispatcher) as dispatcher:
        if port is None:
            serve_stdio(dispatcher, roots)
            return
        from codecairn.loopback.serving import new_secret

        given = os.environ.get(TOKEN_VARIABLE, "")
        token = given or new_secret()

        def show_address(address: str) -> None:
            click.echo(f"listening at {address}", err=True)
            if not given:
                click.echo(f"token: {token}", err=True)

        serve_http(dispatcher, port=port, token=token, on_listening=show_address)


def _dispatcher(
    folders: Sequence[Path],
    roots: HostRoots,
    chosen: tuple[str, ...] | None,
    allowed: tuple[Path, ...],
    *,
    quiet: bool,
) -> "ToolDispatcher":
    """The tools on the workspaces that the command line, the host or the working directory name."""
    from codecairn.config.layers import load
    from codecairn.mcp.dispatcher import ToolDispatcher
    from codecairn.mcp.workspace_scope import WorkspaceScope
    from codecairn.workspace.workspace import Workspace

    def open_workspace(root: Path) -> Workspace:
        return Workspace.open(
            root, writer="codecairn mcp", notify=lambda text: note(text, quiet=quiet)
        )

    scope = WorkspaceScope(
        given=folders,
        roots=roots,
        environment=folders_of_environment(os.environ),
        working_directory=resolve_folder(None),
        open_workspace=open_workspace,
    )
    known = scope.known_defaults()
    settings = known[0].settings if known else load(None).settings
    return ToolDispatcher(scope, chosen=chosen or named_sets(settings.mcp_tools), allowed=allowed)
