"""The command `serve`, which shows the page."""

import os
import threading
from contextlib import suppress
from html import escape
from pathlib import Path

import click

from codecairn.cli.command import WholeNumber, command, option
from codecairn.cli.output import note
from codecairn.errors import BadWorkspace
from codecairn.graph.visual.output import can_open, open_page
from codecairn.loopback.serving import ADDRESS, listen
from codecairn.loopback.serving import serve as serve_app
from codecairn.paths import user
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.root import forbidden_reason, has_project_marker, resolve_folder
from codecairn.trust.store_trust import workspace_root

DEFAULT_PORT = 8477


@command("serve")
@option("--port", type=WholeNumber(0, 65535), default=DEFAULT_PORT, metavar="PORT",
              help="Listen on this port of the loopback address; 0 for any free one.")  # fmt: skip
@option("--open", "is_opened", is_flag=True, help="Open the page in a browser.")
@option("--read-only", "is_read_only", is_flag=True, help="Refuse all changes.")
@option("--path", metavar="PATH", help="The project that is shown first. [default: here]")
@option("-q", "--quiet", is_flag=True, help="No notes on standard error.")
def serve(*, port: int, is_opened: bool, is_read_only: bool, path: str | None, quiet: bool) -> None:
    """Show what agents do and remember on a page in a browser.

    It is served on this machine alone, until Ctrl-C. A link lets one browser in, once; the next one is printed when
    it was used.
    """
    from codecairn.web.app import make_app
    from codecairn.web.sessions import Sessions

    with listen(port) as listening:
        port = listening.getsockname()[1]
        sessions = Sessions(port)
        page = _OpeningPage(port)

        def link() -> str:
            return f"http://{ADDRESS}:{port}/open?token={sessions.new_link()}"

        def on_link_used() -> None:
            page.remove()
            note(f"a browser was let in; the next link: {link()}", quiet=quiet)

        app = make_app(
            port=port,
            here=_here(path),
            is_read_only=is_read_only,
            sessions=sessions,
            on_link_used=on_link_used,
        )
        click.echo(f"serving at http://{ADDRESS}:{port}; Ctrl-C ends it", err=True)
        click.echo(f"link: {link()}", err=True)
        if is_opened:
            # Some browsers are waited for until they end, and the page must be served meanwhile.
            threading.Thread(
                target=_open, args=(page, link(), quiet), name="browser", daemon=True
            ).start()

        def on_exit() -> None:
            page.remove()
            app.stop()

        try:
            with suppress(KeyboardInterrupt):
                serve_app(app, listening, on_exit=on_exit)
        finally:
            page.remove()
            app.close()


def _open(page: "_OpeningPage", link: str, quiet: bool) -> None:  # noqa: FBT001 - a thread's
    """Open the page in a browser, if there is a desktop or a browser is named."""
    if not (can_open() or os.environ.get("BROWSER")) or not page.open(link):
        note("no browser was found; open the link", quiet=quiet)


def _here(path: str | None) -> Path | None:
    """The workspace of a folder that is named; of the current folder only if it is a project."""
    if path is not None:
        return workspace_root(resolve_folder(path))
    with suppress(BadWorkspace):
        root = workspace_root(resolve_folder(None))
        if forbidden_reason(root, home=user.home_folder()) is None and has_project_marker(root):
            return root
    return None


class _OpeningPage:
    """The file that leads a browser to the link: every user of the machine can list what a command line holds."""

    def __init__(self, port: int) -> None:
        self._file = user.data_folder() / f"serve-{port}.html"

    def open(self, link: str) -> bool:
        """Write the file and open it; `False` if there is no browser."""
        target = escape(link, quote=True)
        page = (
            '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0;url={target}"><title>codecairn</title>'
            f'<p><a href="{target}">Open codecairn</a>'
        )
        user.make_data_folder()
        write_atomically(self._file, page.encode())
        return open_page(self._file)

    def remove(self) -> None:
        """Remove the file, whose link was used or ends with the server."""
        with suppress(OSError):
            self._file.unlink()
