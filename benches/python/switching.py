"""Indexing after a switch of branches, in a repository made of the folder."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benches.python.flows import Bench
from benches.results import Figure, spread

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


def switch_figures(bench: Bench) -> Iterator[Figure]:
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
    unseen = "switch to a branch never seen"
    yield Figure(measure=unseen, value=new.wall_s, unit="s", note=note)
    yield Figure(measure=f"{unseen}, processor time", value=new.processor_s, unit="s")
    runs = []
    for branch in ("one", "two") * max(2, bench.repeats // 2):
        _git(folder, "switch", "--quiet", branch)
        runs.append(bench.run("index", "--json"))
    seen = "switch to a branch seen before"
    yield spread(seen, (run.wall_s for run in runs), "s", note=note)
    yield spread(f"{seen}, processor time", (run.processor_s for run in runs), "s")


def _sources(folder: Path) -> list[Path]:
    by_language = (sorted(folder.rglob(f"*.{ending}")) for ending in ("py", "c", "go", "php"))
    found = next(filter(None, by_language), [])
    return found[:: max(1, len(found) // FILES)]


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=os.environ | _AS_NOBODY, check=True)
