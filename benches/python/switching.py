"""Indexing after a switch of branches, in a repository made of the folder."""

import os
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benches.python.flows import Bench, Row

FILES = 200
"""How many files differ between the two branches."""

_AS_NOBODY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "bench",
    "GIT_AUTHOR_EMAIL": "bench@localhost",
    "GIT_COMMITTER_NAME": "bench",
    "GIT_COMMITTER_EMAIL": "bench@localhost",
}


def switch_rows(bench: Bench) -> Iterator[Row]:
    """A branch that was never indexed, then to and fro between two that were."""
    folder = bench.folder
    if not _sources(folder):
        return
    _git(folder, "init", "--quiet", "--initial-branch", "one")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "one")
    bench.run("index", "--json")
    _git(folder, "switch", "--quiet", "--create", "two")
    changed = _sources(folder)[:FILES]
    for file in changed:
        file.write_bytes(b"# another branch\n" + file.read_bytes())
    _git(folder, "commit", "--quiet", "--all", "--message", "two")
    new = bench.run("index", "--json")
    note = f"{len(changed)} files differ"
    yield Row(
        what="index after a switch to a branch never seen",
        figure=f"{new.wall_s:.3f} s, {new.processor_s:.3f} s of processor time",
        note=note,
    )
    runs = []
    for branch in ("one", "two") * max(2, bench.repeats // 2):
        _git(folder, "switch", "--quiet", branch)
        runs.append(bench.run("index", "--json"))
    wall_s = statistics.median(run.wall_s for run in runs)
    processor_s = statistics.median(run.processor_s for run in runs)
    figure = f"{wall_s:.3f} s, {processor_s:.3f} s of processor time"
    yield Row(what="index after a switch to a branch seen before", figure=figure, note=note)


def _sources(folder: Path) -> list[Path]:
    by_language = (sorted(folder.rglob(f"*.{ending}")) for ending in ("py", "c", "go", "php"))
    found = next(filter(None, by_language), [])
    return found[:: max(1, len(found) // FILES)]


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=os.environ | _AS_NOBODY, check=True)
