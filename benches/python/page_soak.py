"""Whether hours of live events make the server of `codecairn serve` or the tab of a browser grow.

    python -m benches.python.page_soak [--minutes 60] [--rate 10] [--out OUT.json]

*Now* is open in Chromium while another process records events in ten projects with 100,000 events. The memory of the server,
its own apart from mapped files, which the system takes back, the heap of the tab after a garbage collection, and its nodes are
reported once a tenth of the time has passed, and at the end.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benches.python.page import PROJECTS, WORDS, fill
from benches.results import Figure, Results, default_folder
from codecairn import Workspace

_AT_ONCE = 20
_LOOK_MS = 5_000


def soak(root: Path, log: Path, writer: Sequence[str], *, minutes: float) -> list[Figure]:
    """The memory of server and tab while `writer` runs."""
    found: list[Figure] = []
    with _open_tab(root, log) as (tab, server):
        with subprocess.Popen(writer) as process:
            began_s = time.monotonic()
            while process.poll() is None:
                tab.wait_for_timeout(_LOOK_MS)
                passed_min = (time.monotonic() - began_s) / 60
                if not found and passed_min >= minutes / 10:
                    found += _memory(tab, server, f"after {passed_min:.0f} minutes")
        found += _memory(tab, server, f"after {minutes:g} minutes")
        lines = tab.evaluate("document.querySelectorAll('#feed > li').length")
        found.append(Figure(measure="lines in the feed at the end", value=float(lines)))
    return found


def record_events(roots: Sequence[Path], *, minutes: float, rate: float) -> None:
    """Record events at an even rate, a few in each project in turn."""
    draw = random.Random(7)
    end_s = time.monotonic() + minutes * 60
    number = 0
    while time.monotonic() < end_s:
        with Workspace.open(roots[number % len(roots)]) as workspace:
            for _ in range(_AT_ONCE):
                body = " ".join(draw.choices(WORDS, k=14))
                workspace.memory.record("live", body, role="user", host="claude")
                time.sleep(1 / rate)
        number += 1


def _memory(tab: Page, server: int, when: str) -> list[Figure]:
    session = tab.context.new_cdp_session(tab)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {
        each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]
    }
    session.detach()
    status = Path(f"/proc/{server}/status").read_text()
    own_kib, mapped_kib = (
        int(re.findall(rf"Rss{kind}:\s+(\d+)", status)[0]) for kind in ("Anon", "File")
    )
    return [
        Figure(measure=f"server, memory of its own, {when}", value=own_kib / 1024, unit="MiB"),
        Figure(measure=f"server, mapped files, {when}", value=mapped_kib / 1024, unit="MiB"),
        Figure(measure=f"tab, heap, {when}", value=metrics["JSHeapUsedSize"] / 1e6, unit="MB"),
        Figure(measure=f"tab, nodes, {when}", value=float(metrics["Nodes"])),
    ]


@contextmanager
def _open_tab(root: Path, log: Path) -> Iterator[tuple[Page, int]]:
    """A tab that shows *Now*, and the process of its server."""
    command = [sys.executable, "-m", "codecairn", "serve", "--port", "0"]
    with log.open("wb") as opened, sync_playwright() as started:
        server = subprocess.Popen(command, cwd=root, stderr=opened)
        try:
            while (link := re.search(r"link: (\S+)\n", log.read_text())) is None:
                time.sleep(0.05)
            program = shutil.which("chromium") or started.chromium.executable_path
            browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
            tab = browser.new_page()
            tab.goto(link[1])
            tab.goto(link[1].partition("/open")[0] + "/")
            yield tab, server.pid
            browser.close()
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    """Measure, print and write; or be the process that records."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.page_soak")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--record", type=Path, nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.record:
        record_events(given.record, minutes=given.minutes, rate=given.rate)
        return
    with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
        folder = Path(temporary)
        os.environ["CODECAIRN_HOME"] = str(folder / "home")
        os.environ["CODECAIRN_HOOKS_BACKGROUND"] = "false"
        roots = [folder / f"project{number}" for number in range(PROJECTS)]
        draw = random.Random(1)
        for root in roots:
            fill(root, draw)
        pace = ["--minutes", str(given.minutes), "--rate", str(given.rate)]
        writer = [sys.executable, "-m", "benches.python.page_soak", *pace, "--record", *map(str, roots)]  # fmt: skip
        results = Results("The page in the browser, open for long")
        results.add(soak(roots[0], folder / "log", writer, minutes=given.minutes))
    notes = [f"{given.minutes:g} minutes with {given.rate:g} events a second"]
    results.write(given.out or default_folder() / "page-soak.json", notes=notes)


if __name__ == "__main__":
    main()
