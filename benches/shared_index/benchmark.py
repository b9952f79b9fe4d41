"""Whether a clone that pulled answers the public benchmark's questions as one that was indexed in place, byte by byte.

    python -m benches.shared_index.benchmark --data DATA --repos CHECKOUTS [--only NAME ...] [--out FILE]

`DATA` is the public benchmark and `CHECKOUTS` has its repositories at their revisions; each is committed to a git repository of
its own first, whole.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from benches.results import Figure, Results, default_folder
from benches.shared_index.__main__ import Person


def compare(folder: Path, checkout: Path, questions: list[str]) -> Iterator[Figure]:
    """The bytes of all answers, and whether they are equal."""
    origin = folder / "origin"
    shutil.copytree(checkout, origin, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for command in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "-m", "all"]):  # fmt: skip
        identity = ["-c", "user.name=b", "-c", "user.email=b@example.com"]
        subprocess.run(["git", *identity, *command], cwd=origin, check=True, timeout=300)
    owner, reader = (Person(folder, origin, name) for name in ("owner", "reader"))
    owner.cairn("remote", "init", str(folder / "shared"), "--name", "bench")
    owner.cairn("index", "--publish", "bench")
    owner.cairn("remote", "grant", str(folder / "grant"))
    reader.cairn("remote", "accept", str(folder / "grant"))
    pulled, _ = reader.cairn("pull")
    index = pulled["index"]
    assert isinstance(index, dict)
    expected, found = (person.answers(questions) for person in (owner, reader))
    note = f"{len(questions)} questions, {len(expected)} bytes; {index['parsed']} files parsed"
    yield Figure(measure="answers equal", value=float(expected == found), note=note)


def main() -> None:
    """Compare, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.shared_index.benchmark")
    for name in ("--data", "--repos"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    results = Results("Shared indexes of the public benchmark")
    specs: list[Mapping[str, str]] = json.loads((given.data / "repos.json").read_text("utf-8"))
    for spec in specs:
        name = spec["name"]
        if given.only and name not in given.only:
            continue
        rows = json.loads((given.data / "annotations" / f"{name}.json").read_text("utf-8"))
        with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
            questions = [row["query"] for row in rows]
            found = list(compare(Path(temporary), given.repos / spec["checkout"], questions))
        results.add(found, subject=name)
    equal = sum(figure.value for figure in results.figures)
    results.add(Figure(measure="repositories with equal answers", value=equal))
    results.write(given.out or default_folder() / "shared-index-benchmark.json")


if __name__ == "__main__":
    main()
