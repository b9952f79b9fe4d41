"""Takes the pictures of the page in the browser that the documentation shows, and of all its pages for a look at them.

`python -m support.page_pictures FOLDER` (in `tests`) writes `page-NAME-LOOK.png` for every page and look.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import make_home
from support.page_projects import make_projects
from web.browsers import Visit, chromium
from web.conftest import Served, serving

LOOKS: Mapping[str, Mapping[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}

PAGES = {
    "now": "/",
    "sessions": "/now/sessions",
    "session": "/now/session?id=s-2",
    "memory": "/memory",
    "fact": "/memory/fact?id=FACT&query=how+are+tokens+verified",
    "review": "/memory/review",
    "transfer": "/memory/transfer",
    "purge": "/memory/purge",
    "code": "/code?q=verify+token",
    "explain": "/code?q=verify+token&explain=1",
    "file": "/code/file?path=shop/tokens.py",
    "symbol": "/code/symbol?name=verify_token",
    "map": "/code/map",
    "index": "/index",
    "worth": "/worth",
    "settings": "/settings",
    "checks": "/settings/checks",
    "preview": "/settings/preview?prompt=why+is+there+a+401+after+midnight",
}
"""Every page; FACT is the fact whose code has changed."""


def take(served: Served, folder: Path) -> Iterator[Path]:
    """Take all pictures."""
    with chromium() as browser:
        for look, options in LOOKS.items():
            link = served.link()
            visit = Visit(browser, link, **options)
            while served.link() == link:
                time.sleep(0.05)
            visit.open("/memory?q=we+verify+tokens")
            row = visit.page.locator('.rows a[href^="/memory/fact"]', has_text="We verify").first
            fact = (row.get_attribute("href") or "").partition("id=")[2].partition("&")[0]
            for name, path in PAGES.items():
                page = visit.open(path.replace("FACT", fact))
                page.wait_for_timeout(200)
                file = folder / f"page-{name}-{look}.png"
                page.screenshot(path=str(file), full_page=look == "narrow" and name == "memory")
                yield file


@contextmanager
def _projects() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        make_home(Path(folder) / "home", patch)
        patch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
        yield make_projects(Path(folder))[0].root


def main(folder: Path) -> None:
    """Make the projects, serve them, and take the pictures."""
    os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(Path.home() / ".cache/ms-playwright"))
    folder.mkdir(parents=True, exist_ok=True)
    with _projects() as root, serving(root, root.parent / "log") as served:
        list(take(served, folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
