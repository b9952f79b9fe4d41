"""How long commands take from a cold start: `python -m benches.python.starts [OUT.json] [--against FOLDER]`.

Each command is a process of its own on a generated repository of 2,000 files, which is indexed. Processor time is compared,
as it hardly depends on what else runs. `--against` names the folder of another version's package, whose processes take turns
with those of this one. The extension is also loaded alone: with its pages in memory, and after they were dropped.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import codecairn
from benches.python.processes import Run, measure, python
from benches.results import Figure, Results, default_folder, spread

FILES = 2_000
STARTS = 15
PROGRAM = """
import sys
try:
    from codecairn.program import command
except ImportError:
    from codecairn.cli.main import command
command()
"""
LOAD = """
import ctypes, time
started = time.perf_counter()
ctypes.CDLL({file!r})
print((time.perf_counter() - started) * 1000)
"""
COMMANDS = {
    "an empty interpreter": python("pass"),
    "import Workspace": python("from codecairn import Workspace"),
    "--version": [*python(PROGRAM), "--version"],
    "search": [*python(PROGRAM), "search", "verify tokens"],
    "status": [*python(PROGRAM), "status"],
    "memory search": [*python(PROGRAM), "memory", "search", "tokens"],
}


def _generated(folder: Path) -> None:
    """A repository of many small files."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for number in range(FILES):
        file = folder / f"part{number % 40}" / f"module{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            f'def part_{number}(value):\n    """Verify token {number}."""\n    return value\n'
        )


def command_figures(versions: dict[str, Path]) -> Iterator[Figure]:
    """Processor and wall times of each command, by version, in turns."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        _generated(Path(folder))

        def run(command: list[str], version: str) -> Run:
            """Each version has stores of its own."""
            environment = {
                "CODECAIRN_HOME": f"{home}/{version}",
                "PYTHONPATH": str(versions[version]),
            }
            environment["PYTHONDONTWRITEBYTECODE"] = ""
            return measure(command, cwd=Path(folder), environment=environment)

        for version in versions:
            run([*python(PROGRAM), "index", "-q"], version)
            for command in COMMANDS.values():
                run(command, version)
        runs: dict[tuple[str, str], list[Run]] = {}
        for _ in range(STARTS):
            for name, command in COMMANDS.items():
                for version in versions:
                    runs.setdefault((name, version), []).append(run(command, version))
    for (name, version), of_command in runs.items():
        measured = f"{name}, {version}" if len(versions) > 1 else name
        times = [each.processor_s * 1000 for each in of_command]
        yield spread(f"{measured}: processor", times, "ms")
        yield spread(f"{measured}: wall", [each.wall_s * 1000 for each in of_command], "ms")


def extension_figures(package: Path) -> Iterator[Figure]:
    """How long the loader takes for the extension, its size, and the entries that it relocates."""
    file = next((package / "codecairn").glob("_native.*"))
    command = python(LOAD.format(file=str(file)))

    def load() -> float:
        return float(measure(command, cwd=package, environment={}).out)

    yield Figure(measure="extension: size", value=file.stat().st_size / 1e6, unit="MB")
    yield spread("extension: load, pages in memory", [load() for _ in range(STARTS)], "ms")
    cold = []
    for _ in range(STARTS):
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
        cold.append(load())
    yield spread("extension: load, pages dropped before", cold, "ms")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.starts")
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--against", type=Path, help="the folder of another version's package")
    options = parser.parse_args()
    package = Path(codecairn.__file__).parents[1]
    versions = {"this": package}
    if options.against is not None:
        versions = {"other": options.against.resolve(), **versions}
    results = Results("Cold starts of commands")
    results.add(command_figures(versions))
    if sys.platform == "linux":
        results.add(extension_figures(package))
    notes = [f"{FILES:,} files, {STARTS} starts of each command, versions in turns"]
    results.write(options.out or default_folder() / "starts.json", notes=notes)


if __name__ == "__main__":
    main()
