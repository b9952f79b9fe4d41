"""What a stream can show: its size, whether it takes colours, and what the user asked for on the command line."""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

import click

from codecairn.cli.command import OneOf, Option

if TYPE_CHECKING:
    from rich.console import Console

COLORS = ("auto", "always", "never")
PIPED_HEIGHT = 40
"""The lines of an answer that is made to fit where nothing has a height: in a pipe or a file."""

_NO_PAGER = "codecairn.no_pager"


class Screen:
    """Where an answer is shown.

    Attributes:
        width: How many cells a line has; `None` where lines have no limit.
        height: How many lines it has.
        is_terminal: Whether a person reads it at once.
        is_colored: Whether escape sequences are printed to it.
    """

    def __init__(
        self, *, width: int | None, height: int, is_terminal: bool, is_colored: bool
    ) -> None:
        self.width = width
        self.height = height
        self.is_terminal = is_terminal
        self.is_colored = is_colored

    @classmethod
    def of(cls, stream: TextIO) -> "Screen":
        """What a stream can show now."""
        is_terminal, is_colored = stream.isatty(), has_color(stream)
        if not is_terminal:
            return cls(width=None, height=PIPED_HEIGHT, is_terminal=False, is_colored=is_colored)
        import shutil

        size = shutil.get_terminal_size()
        return cls(
            width=max(size.columns, 1),
            height=max(size.lines, 1),
            is_terminal=True,
            is_colored=is_colored,
        )


def has_color(stream: TextIO, environment: Mapping[str, str] | None = None) -> bool:
    """Whether escape sequences are printed to a stream.

    `--color` decides, then `NO_COLOR`, then `FORCE_COLOR` and `CLICOLOR_FORCE`, then `CLICOLOR=0`; else a terminal has
    colours unless `TERM` is `dumb`.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    given = os.environ if environment is None else environment
    if given.get("NO_COLOR"):
        return False
    if any(given.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if given.get("CLICOLOR") == "0":
        return False
    return stream.isatty() and not is_dumb(given)


def is_dumb(environment: Mapping[str, str]) -> bool:
    """Whether the terminal takes no escape sequences."""
    return environment.get("TERM", "").lower() in ("dumb", "unknown")


def wants_pager() -> bool:
    """Whether a long answer on standard output is shown in a pager, which waits for keys: agents run commands without any."""
    context = click.get_current_context(silent=True)
    is_refused = context is not None and context.meta.get(_NO_PAGER, False)
    has_terminal = sys.stdout.isatty() and os.isatty(0)
    return has_terminal and not is_refused and not is_dumb(os.environ)


def make_console(stream: TextIO, screen: Screen) -> "Console":
    """A console of rich that goes by what is decided here, and reads no variable on its own."""
    from rich.console import Console

    return Console(
        file=stream,
        highlight=False,
        soft_wrap=True,
        tab_size=4,
        width=screen.width,
        height=screen.height,
        color_system="standard" if screen.is_colored else None,
        force_terminal=screen.is_terminal or screen.is_colored,
        no_color=not screen.is_colored,
    )


def add_display_options(command: click.Command) -> click.Command:
    """Give a command, or the commands of a group, `--color` and `--no-pager`, unless it has them."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_display_options(each)
    elif _OPTIONS[0] not in command.params:
        command.params += _OPTIONS
    return command


def _set_color(ctx: click.Context, _param: click.Parameter, value: str) -> None:
    if value != "auto":
        ctx.color = value == "always"


def _set_pager(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    if value:
        ctx.meta[_NO_PAGER] = True


def _option(*names: str, **attributes: Any) -> Option:  # noqa: ANN401 - what click takes
    return Option(names, is_eager=True, expose_value=False, **attributes)


_OPTIONS: tuple[click.Parameter, ...] = (
    _option(
        "--color",
        type=OneOf(COLORS),
        default="auto",
        metavar="WHEN",
        callback=_set_color,
        help="Whether to print colours; by default on a terminal, unless `NO_COLOR` is set.",
    ),
    _option(
        "--no-pager",
        is_flag=True,
        callback=_set_pager,
        help="Print an answer that is longer than the screen as it is.",
    ),
)
