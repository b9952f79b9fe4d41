"""`hook`: what hosts call. They are served before the command line is loaded (`cli.main`); this is for people who ask."""

import click


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("agent")
@click.argument("event")
def hook(agent: str, event: str) -> None:
    """Serve one event of an agent's host: its JSON on standard input, the answer on standard output, always exit code 0.

    `codecairn install` tells hosts to call it. What went wrong is in `hooks/log` in your data folder.
    """
    from codecairn.hooks.command import main

    main([agent, event])
