"""How soon Chromium paints the pages of `codecairn serve` with a large memory.

    python -m benches.python.page_paint [OUT.json]

The projects are those of `benches.python.page`. The first page after the start is painted by a new server each time; the others
by one server, each after it was shown once. The time is from the start of the navigation to the first contentful paint, as the
browser reports it; the note has the time to the end of the document.
"""

import argparse
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from benches.python.page import PAGES, PROJECTS, fill, serving
from benches.results import Figure, Results, default_folder, spread

REPEATS = 7

_TIMES = """() => new Promise(resolve => {
  const seen = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const page = performance.getEntriesByType("navigation")[0];
    if (paint && page.domContentLoadedEventEnd) resolve([paint.startTime, page.domContentLoadedEventEnd]);
    else setTimeout(seen, 10);
  };
  seen();
})"""


def painted(tab: Page, url: str) -> tuple[float, float]:
    """When a page was first painted and when all of it was read, in ms after the navigation began."""
    tab.goto(url)
    paint_ms, read_ms = tab.evaluate(_TIMES)
    return paint_ms, read_ms


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as started:
        program = shutil.which("chromium") or started.chromium.executable_path
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def _signed_in(browser: Browser, link: str) -> Iterator[Page]:
    """A tab of a browser that is signed in but has not been led on to the first page."""
    context = browser.new_context()
    try:
        context.request.get(link)
        tab = context.new_page()
        tab.goto("about:blank")
        yield tab
    finally:
        context.close()


def first_page(browser: Browser, root: Path, log: Path) -> Iterator[Figure]:
    """The first page of a server that has just started."""
    times = []
    for _ in range(REPEATS):
        with serving(root, log) as link, _signed_in(browser, link) as tab:
            times.append(painted(tab, link.partition("/open")[0] + "/"))
    yield from _figures("the first page after the start", times)


def later_pages(browser: Browser, root: Path, log: Path) -> Iterator[Figure]:
    """Each page after it was shown once."""
    with serving(root, log) as link, _signed_in(browser, link) as tab:
        address = link.partition("/open")[0]
        for name, path in (PAGES | {"map": "/code/map"}).items():
            times = [painted(tab, address + path) for _ in range(REPEATS + 1)]
            yield from _figures(name, times[1:])


def _figures(name: str, times: list[tuple[float, float]]) -> Iterator[Figure]:
    note = f"all of it after {median(read_ms for _, read_ms in times):.0f} ms"
    yield spread(f"first paint, {name}", [paint_ms for paint_ms, _ in times], "ms", note=note)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.page_paint")
    parser.add_argument(
        "out", nargs="?", type=Path, help="default: benches/runs/.../page-paint.json"
    )
    options = parser.parse_args()
    results = Results("First paint of the pages, with 100,000 events and 5,000 facts")
    with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
        folder = Path(temporary)
        os.environ["CODECAIRN_HOME"] = str(folder / "home")
        os.environ["CODECAIRN_HOOKS_BACKGROUND"] = "false"
        draw = random.Random(1)
        roots = [folder / f"project{number}" for number in range(PROJECTS)]
        for root in roots:
            fill(root, draw)
        with _chromium() as browser:
            results.add(first_page(browser, roots[0], folder / "log"), subject="paint")
            results.add(later_pages(browser, roots[0], folder / "log"), subject="paint")
    results.write(options.out or default_folder() / "page-paint.json")


if __name__ == "__main__":
    main()
