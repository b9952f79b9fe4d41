"""How long the pages of `codecairn serve` take with a large memory, and how soon an event is on an open page.

    python -m benches.python.page [OUT.json]

Ten projects have 100,000 events and 5,000 facts together. Pages are asked for over HTTP, as a browser does, without drawing them.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benches.results import Figure, Results, default_folder, spread
from codecairn import Workspace

PROJECTS, EVENTS, FACTS, SESSIONS = 10, 10_000, 500, 50
REPEATS = 9
ARRIVALS = 20
WORDS = (
    "token",
    "gateway",
    "retry",
    "cache",
    "parser",
    "queue",
    "schema",
    "port",
    "clock",
    "basket",
)

PAGES = {
    "now": "/",
    "now, of one host": "/?host=codex",
    "session": "/now/session?id=s20",
    "sessions": "/now/sessions",
    "facts": "/memory",
    "facts, the last page": "/memory?page=10",
    "facts, provisional": "/memory?state=provisional",
    "search": "/memory?q=token+gateway",
    "review": "/memory/review",
    "code": "/code?q=f1",
    "index": "/index",
    "settings": "/settings",
    "preview": "/settings/preview?prompt=token+gateway+retry",
    "checks": "/settings/checks",
}


def fill(root: Path, draw: random.Random) -> None:
    """Make a project, and import its events and facts."""
    root.mkdir()
    for number in range(20):
        (root / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    with Workspace.open(root) as workspace:
        workspace.index()
        memory = workspace.memory
        memory.record("s0", "hello", role="user", host="claude")
        memory.add("a fact to begin with")
        document = json.loads(memory.export())
        event, fact, session = (document[name][0] for name in ("events", "facts", "sessions"))
        now_ms = time.time_ns() // 1_000_000
        document["sessions"] = [
            {**session, "id": f"s{number}", "host": draw.choice(("claude", "codex"))}
            for number in range(SESSIONS)
        ]
        document["events"] = [
            {
                **event,
                "seq": number + 10,
                "key": f"{root.name}-{number}",
                "session": f"s{number * SESSIONS // EVENTS}",
                "ts_ms": now_ms - (EVENTS - number) * 1_000,
                "role": draw.choice(("user", "tool", "assistant")),
                "body": f"{' '.join(draw.choices(WORDS, k=14))} {number}",
            }
            for number in range(EVENTS)
        ]
        texts = [f"{' '.join(draw.choices(WORDS, k=10))} {number}" for number in range(FACTS)]
        document["facts"] = [
            {**fact, "id": f"f{draw.getrandbits(40):010x}", "text": text, "title": text[:60]}
            for text in texts
        ]
        memory.import_(json.dumps(document))


@contextmanager
def serving(root: Path, log: Path) -> Iterator[str]:
    """A server, and the link that signs in to it."""
    command = [sys.executable, "-m", "codecairn", "serve", "--port", "0"]
    with log.open("wb") as opened, subprocess.Popen(command, cwd=root, stderr=opened) as process:
        try:
            while (link := re.search(r"link: (\S+)\n", log.read_text())) is None:
                time.sleep(0.02)
            yield link[1]
        finally:
            process.terminate()


@contextmanager
def served(root: Path, log: Path) -> Iterator[tuple[str, urllib.request.OpenerDirector]]:
    """A server, its address, and a client that is signed in."""
    with serving(root, log) as link:
        client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        client.open(link).close()
        yield link.partition("/open")[0], client


def page_figures(address: str, client: urllib.request.OpenerDirector) -> Iterator[Figure]:
    """The first page after the start, and each page when it was shown before."""
    for name, path in PAGES.items():
        times_ms = []
        for _ in range(REPEATS + 1):
            started_s = time.perf_counter()
            client.open(address + path).read()
            times_ms.append((time.perf_counter() - started_s) * 1_000)
        if name == "now":
            yield Figure(measure="the first page after the start", value=times_ms[0], unit="ms")
        yield spread(name, times_ms[1:], "ms")


def arrival_figure(address: str, client: urllib.request.OpenerDirector, root: Path) -> Figure:
    """How long an event that another process recorded takes to an open page."""
    times_ms = []
    with client.open(f"{address}/now/stream") as stream, Workspace.open(root) as workspace:
        stream.readline()
        for number in range(ARRIVALS):
            workspace.memory.record("live", f"arrival {number}", role="user", host="claude")
            started_s = time.perf_counter()
            while f"arrival {number}".encode() not in stream.readline():
                pass
            times_ms.append((time.perf_counter() - started_s) * 1_000)
            time.sleep(0.3)
    return spread("an event on an open page", times_ms, "ms")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.page", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("out", nargs="?", type=Path, help="default: benches/runs/.../page.json")
    options = parser.parse_args()
    results = Results("The page in the browser, with 100,000 events and 5,000 facts")
    draw = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
        folder = Path(temporary)
        os.environ["CODECAIRN_HOME"] = str(folder / "home")
        os.environ["CODECAIRN_HOOKS_BACKGROUND"] = "false"
        roots = [folder / f"project{number}" for number in range(PROJECTS)]
        for root in roots:
            fill(root, draw)
        with served(roots[0], folder / "log") as (address, client):
            results.add(page_figures(address, client), subject="page")
            results.add([arrival_figure(address, client, roots[3])], subject="page")
    results.write(options.out or default_folder() / "page.json")


if __name__ == "__main__":
    main()
