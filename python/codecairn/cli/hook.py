"""The command `hook`. Calls by hosts are served before the command line is loaded (`cli.main`); this is its help."""

import click

from codecairn.cli.command import command, option


@command("hook", context_settings={"ignore_unknown_options": True})
@option("--wait", is_flag=True, help="Handle it without a deadline, to see its answer.")
@click.argument("agent")
@click.argument("event")
def hook(agent: str, event: str, *, wait: bool) -> None:
    """Handle one event of an agent's host.

    JSON on standard input, the answer on standard output, exit code always 0. `codecairn install` configures hosts to call it. Failures are in `hooks/log` in your data folder.
    """
    from codecairn.hooks.call import WAIT, main

    main([WAIT, agent, event] if wait else [agent, event])
