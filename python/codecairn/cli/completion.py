"""`completion`: a script that lets a shell complete codecairn's commands and options."""

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from codecairn.cli.app import app
from codecairn.cli.command import OneOf, command

_SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


@command("completion")
@click.argument("shell", type=OneOf(list(_SHELLS)), metavar="SHELL")
def completion(shell: str) -> None:
    """Print a completion script for a shell.

    \b
    bash:  codecairn completion bash > ~/.local/share/bash-completion/completions/codecairn
    zsh:   codecairn completion zsh > "${fpath[1]}/_codecairn"
    fish:  codecairn completion fish > ~/.config/fish/completions/codecairn.fish
    """  # noqa: D301 - click reads the backspace
    complete = _SHELLS[shell](app, {}, "codecairn", "_CODECAIRN_COMPLETE")
    click.echo(complete.source_template % complete.source_vars())
