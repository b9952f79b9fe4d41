"""Score the code graph against definitions that language servers gave.

python -m benches.quality.graph --truth DIR --repos DIR [--part judge] [--only LANGUAGE] [--faults DIR] [--out FILE]
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from benches.quality.graph.judging import Edge, judge
from benches.quality.graph.records import Header, Truth, read_header, read_truth
from benches.quality.graph.reporting import Judged, by_outcome, faults, measured, table
from benches.results import Results
from codecairn.config.layers import load
from codecairn.workspace.workspace import Workspace


def main() -> None:
    """Index every project with truth, judge its edges and print."""
    options = _options()
    folder = options.truth / options.part
    judged: list[Judged] = []
    for file in sorted(folder.glob("*.jsonl")):
        if file.name.endswith(".unknown.jsonl"):
            continue
        header = read_header(file)
        if options.only and not {header.language, header.project} & set(options.only):
            continue
        root = (options.repos / header.project).resolve()
        if not root.is_dir():
            print(f"{header.project} is not checked out", file=sys.stderr)
            continue
        each = evaluate(header, read_truth(file), root)
        judged.append(each)
        if options.faults:
            options.faults.mkdir(parents=True, exist_ok=True)
            text = faults(each, root=root, limit=options.limit)
            (options.faults / f"{header.language}-{header.project}.txt").write_text(
                text, encoding="utf-8"
            )
    if not judged:
        raise SystemExit("no project with truth is checked out there")
    print(table(judged), by_outcome(judged), sep="\n\n")
    if options.out:
        results = Results("Code graph")
        results.add(measured(judged, part=options.part))
        results.write(options.out)


def evaluate(header: Header, truths: Sequence[Truth], root: Path) -> Judged:
    """Index one project and judge the edges of every file with truth."""
    edges = edges_of(root, sorted({truth.path for truth in truths}))
    return Judged(header=header, verdicts=judge(truths, edges))


def edges_of(root: Path, paths: Sequence[str]) -> Mapping[str, Sequence[Edge]]:
    """The edges of these files. The store lies in a temporary folder: checkouts are never written."""
    store = Path(tempfile.mkdtemp(prefix="codecairn-graph-"))
    try:
        config = load(None, arguments={}, environment={}, user_file=store / "no-config.toml")
        workspace = Workspace(root, config.settings, store=store / "store")
        try:
            workspace.index()
            graph = cast("Any", workspace).graph
            return {path: graph.edges(path) for path in paths}
        finally:
            workspace.close()
    finally:
        shutil.rmtree(store, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.quality.graph", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--truth", type=Path, required=True, help="folder that `benches.quality.graph.truth` wrote"
    )
    parser.add_argument(
        "--repos", type=Path, required=True, help="folder with one checkout for each project"
    )
    parser.add_argument(
        "--part",
        choices=("fit", "judge"),
        default="fit",
        help="the projects that resolution was built with, or those that were kept aside",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this language or project"
    )
    parser.add_argument("--out", type=Path, help="write precision and recall here, as JSON")
    parser.add_argument("--faults", type=Path, help="list what went wrong in this folder")
    parser.add_argument(
        "--limit", type=int, default=100, help="at most so many of each kind of fault"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
