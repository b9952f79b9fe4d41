"""The command `codecairn` and its subcommands, each loaded only when it is used."""

import errno
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType

import click

from codecairn.cli.command import Group, option
from codecairn.cli.output import OutputFailed, ReaderLeft
from codecairn.cli.terminal import add_display_options
from codecairn.version import VERSION

COMMANDS = MappingProxyType(
    {
        "search": "codecairn.cli.search:search",
        "ask": "codecairn.cli.ask:ask",
        "peek": "codecairn.cli.search:peek",
        "similar": "codecairn.cli.search:similar",
        "define": "codecairn.cli.search:define",
        "context": "codecairn.cli.changes:context",
        "edit-context": "codecairn.cli.changes:edit_context",
        "graph": "codecairn.cli.graph:graph",
        "uses": "codecairn.cli.changes:uses",
        "impact": "codecairn.cli.changes:impact",
        "visualize": "codecairn.cli.visualize:visualize",
        "index": "codecairn.cli.index:index",
        "watch": "codecairn.cli.watch:watch",
        "pull": "codecairn.cli.remote:pull",
        "remote": "codecairn.cli.remote:remote",
        "status": "codecairn.cli.health:status",
        "knowledge": "codecairn.cli.knowledge:knowledge",
        "doctor": "codecairn.cli.health:doctor",
        "gc": "codecairn.cli.health:gc",
        "metrics": "codecairn.cli.logs:metrics",
        "savings": "codecairn.cli.savings:savings",
        "logs": "codecairn.cli.logs:logs",
        "eval": "codecairn.cli.evaluation:evaluation",
        "memory": "codecairn.cli.memory:memory",
        "team": "codecairn.cli.team:team",
        "node": "codecairn.cli.node:node",
        "serve": "codecairn.cli.serve:serve",
        "install": "codecairn.cli.install:install",
        "uninstall": "codecairn.cli.install:uninstall",
        "mcp": "codecairn.cli.mcp:mcp",
        "call": "codecairn.cli.call:call",
        "hook": "codecairn.cli.hook:hook",
        "config": "codecairn.cli.config:config",
        "trust": "codecairn.cli.trust:trust",
        "schema": "codecairn.cli.schema:schema",
        "completion": "codecairn.cli.completion:completion",
        "man": "codecairn.cli.man:man",
    }
)
"""Each subcommand, in the order of the help, and where it is defined."""

SECTIONS = MappingProxyType(
    {
        "Search": ("search", "ask", "peek", "similar", "define", "context", "edit-context"),
        "Graph": ("graph", "uses", "impact", "visualize"),
        "Index": (
            "index", "watch", "pull", "remote", "status", "knowledge", "doctor", "gc", "metrics",
            "savings", "logs", "eval",
        ),
        "Memory": ("memory", "team", "node", "serve"),
        "Agents": ("install", "uninstall", "mcp", "call", "hook"),
        "Settings": ("config", "trust", "schema", "completion", "man"),
    }
)  # fmt: skip
"""The sections of the help, and the commands in each."""

SHORT_NAMES = MappingProxyType({"kb": "knowledge"})
"""Other names of subcommands, which no help lists."""

_OUTPUT_FAILURES = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, getattr(errno, "EDQUOT", -1)}


@contextmanager
def writing() -> Iterator[None]:
    """Give failures of standard output a name of their own, apart from those of other files."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as err:
        raise ReaderLeft from err
    except OSError as err:
        if (
            err.errno not in _OUTPUT_FAILURES or err.filename is not None
        ):  # a stream has no name here
            raise
        raise OutputFailed(err.strerror or str(err)) from err


class LazyGroup(Group):
    """A group whose subcommands are imported when they are asked for."""

    sections = SECTIONS

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; an output that can't be written leaves as an exception that click does not know."""
        with writing():
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart, which may already print the help."""
        with writing():
            return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The subcommands' names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The subcommand of this name."""
        place = COMMANDS.get(SHORT_NAMES.get(cmd_name, cmd_name))
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return add_display_options(command)


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if value and not ctx.resilient_parsing:
        click.echo(f"codecairn {VERSION}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def app() -> None:
    """Find code by meaning, by words and by name, in an index on your own machine.

    Exit codes: 0 done (also without hits), 1 the request failed, 2 the request was wrong, 130 interrupted.
    With `--json`, an error is a document on standard output, too: `{"error": {"kind", "message", "hint"}}`.
    """


def run(arguments: Sequence[str]) -> int:
    """Parse and run; the outcome is an exit code, failures are raised."""
    try:
        outcome = app.main(list(arguments), prog_name="codecairn", standalone_mode=False)
    except click.ClickException as err:
        err.show()  # the help of a group without a command
        return err.exit_code
    except click.Abort as err:
        raise KeyboardInterrupt from err
    return outcome if isinstance(outcome, int) else 0
