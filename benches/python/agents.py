"""How fast an agent's host is served: `python -m benches.python.agents FOLDER [OUT.json]`.

Each figure of the server is seen from an official client in another process: starting the program until `initialize` is
answered, listing the tools, and calls of each kind; starting also on a generated repository of 10,000 files, before and
after it is indexed. Hooks are whole processes. Machines are noisy, so the time that Python and the SDK take by themselves
is measured too.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from benches.python.hook_calls import PACKAGES, Version, figures
from benches.results import Figure, Results, default_folder, percentiles

CALLS = 200
STARTS = 7
MANY = 10_000
QUESTIONS = ("where are names looked up", "write a file whole", "parse arguments", "retry after")


def _sdk_alone_s() -> float:
    def once() -> float:
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "import mcp.server.lowlevel, mcp.server.stdio"], check=True
        )
        return time.perf_counter() - started

    return median(once() for _ in range(STARTS))


async def _session(folder: Path, home: str, *, calls: int) -> dict[str, list[float]]:
    arguments = ["-m", "codecairn", "mcp", str(folder), "-q"]
    server = StdioServerParameters(
        command=sys.executable,
        args=arguments,
        env={"CODECAIRN_HOME": home, "PATH": "/usr/bin:/bin"},
    )
    times: dict[str, list[float]] = {}

    async def timed(name: str, work: object) -> None:
        started = time.perf_counter()
        await work  # type: ignore[misc]
        times.setdefault(name, []).append(time.perf_counter() - started)

    started = time.perf_counter()
    async with (
        stdio_client(server) as (reading, writing),
        ClientSession(reading, writing) as client,
    ):
        await client.initialize()
        times["start to `initialize`"] = [time.perf_counter() - started]
        await timed("`tools/list`", client.list_tools())
        for at in range(calls):
            question = {"query": f"{QUESTIONS[at % len(QUESTIONS)]} {at}", "limit": 5}
            await timed("`codebase_search`", client.call_tool("codebase_search", question))
            name = {"name": "main"}
            await timed("`implementation_lookup`", client.call_tool("implementation_lookup", name))
            await timed("`call_graph`", client.call_tool("call_graph", name))
            await timed("`memory_search`", client.call_tool("memory_search", question))
    return times


def _generated(folder: Path) -> Path:
    """A repository of many small files."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for number in range(MANY):
        file = folder / f"part{number % 100}" / f"module{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"def part_{number}(value):\n    return value + {number}\n")
    return folder


def _starts(folder: Path, home: str) -> dict[str, list[float]]:
    """Starting and listing, several times."""
    found = [asyncio.run(_session(folder, home, calls=0)) for _ in range(STARTS)]
    return {
        name: [each[name][0] for each in found]
        for name in ("start to `initialize`", "`tools/list`")
    }


def _add(results: Results, name: str, times_s: list[float]) -> None:
    figures = percentiles(name.replace("`", ""), [each * 1000 for each in times_s], "ms")
    results.add(figures, subject="MCP")


def main() -> None:
    """Measure, print and write."""
    folder = Path(sys.argv[1]).resolve()
    results = Results("Agents")
    alone = Figure(measure="Python and the SDK alone, p50", value=_sdk_alone_s() * 1000, unit="ms")
    results.add(alone, subject="MCP")
    with tempfile.TemporaryDirectory() as home:
        starts = _starts(folder, home)
        for name, values in {**asyncio.run(_session(folder, home, calls=CALLS)), **starts}.items():
            _add(results, name, values)
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as many:
        generated = _generated(Path(many))
        for name, values in _starts(generated, home).items():
            _add(results, f"{name}, {MANY:,} files, not indexed", values)
        index = [sys.executable, "-m", "codecairn", "index", many, "-q"]
        subprocess.run(index, check=True, capture_output=True)
        for name, values in _starts(generated, home).items():
            _add(results, f"{name}, {MANY:,} files, indexed", values)
    with tempfile.TemporaryDirectory() as home:
        versions = {"this": Version(PACKAGES, folder, home)}
        results.add(figures(versions, count=CALLS), subject="hooks")
    notes = [f"{folder.name}, {CALLS} calls of each kind"]
    file = Path(sys.argv[2]) if sys.argv[2:] else default_folder() / "agents.json"
    results.write(file, notes=notes)


if __name__ == "__main__":
    main()
