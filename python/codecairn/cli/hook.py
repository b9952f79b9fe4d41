"""The command `hook`. Calls by hosts are served before the command line is loaded (`cli.main`); this is its help."""

import click


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.option("--wait", is_flag=True, help="Serve it without a deadline, to see what it would say.")
@click.argument("agent")
@click.argument("event")
def hook(agent: str, event: str, *, wait: bool) -> None:
    """Serve one event of an agent's host: its JSON on standard input, the answer on standard output, always exit code 0.

    `codecairn install` tells hosts to call it. What went wrong is in `hooks/log` in your data folder.
    """
    from codecairn.hooks.command import WAIT, main

    main([WAIT, agent, event] if wait else [agent, event])
