"""A real Chromium on the page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def chromium() -> Iterator[Any]:
    """A Chromium; tests of the page fail where there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        program = started.chromium.executable_path
        if not Path(program).is_file():
            program = shutil.which("chromium") or shutil.which("google-chrome") or ""
        assert program, "no Chromium is installed"
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


class Visit:
    """A signed-in visit: what was requested of others, and what went wrong."""

    def __init__(self, browser: Any, link: str, **options: Any) -> None:
        size = {"width": 1280, "height": 800}
        context = browser.new_context(**{"viewport": size, "reduced_motion": "reduce", **options})
        self.context = context
        self.page = context.new_page()
        self.address = link.partition("/open")[0]
        self.foreign: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self._log(message.type, message.text))
        self.page.goto(link)
        self.page.wait_for_url(f"{self.address}/")

    def open(self, path: str) -> Any:
        """Go to a page of the server."""
        self.page.goto(self.address + path)
        return self.page

    def _note(self, request: Any) -> None:
        if not request.url.startswith(self.address):
            self.foreign.append(request.url)

    def _log(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.errors.append(text)
