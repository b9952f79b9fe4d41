"""Score the code graph, and its peers, against definitions that language servers gave.

python -m benches.quality.graph --truth DIR --repos DIR [--part judge] [--only NAME] [--codegraph PROGRAM] [--faults DIR] [--out FILE]
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from benches.quality.graph.comparison import compared, comparison
from benches.quality.graph.judging import Edge, judge
from benches.quality.graph.peers import ask_codegraph, search_names
from benches.quality.graph.records import Header, Truth, read_header, read_truth
from benches.quality.graph.reporting import Judged, by_outcome, faults, measured, table
from benches.results import Results
from codecairn.config.layers import load
from codecairn.errors import UsageError
from codecairn.workspace.workspace import Workspace

OURS = "codecairn"


def main() -> None:
    """Index every project with truth, judge its edges and print."""
    options = _options()
    tools: dict[str, list[Judged]] = {}
    for header, truths, root in _projects(options):
        for tool, judged in evaluate(header, truths, root, codegraph=options.codegraph).items():
            tools.setdefault(tool, []).append(judged)
        if options.faults:
            options.faults.mkdir(parents=True, exist_ok=True)
            text = faults(tools[OURS][-1], root=root, limit=options.limit)
            file = options.faults / f"{header.language}-{header.project}.txt"
            file.write_text(text, encoding="utf-8")
    if not tools:
        raise SystemExit("no project with truth is checked out there")
    ours = tools[OURS]
    print(table(ours), by_outcome(ours), comparison(tools), sep="\n\n")
    if options.out:
        results = Results("Code graph")
        results.add(measured(ours, part=options.part))
        results.add(compared(tools, part=options.part))
        results.write(options.out, projects=[asdict(each.header) for each in ours])


def evaluate(
    header: Header, truths: Sequence[Truth], root: Path, *, codegraph: Path | None = None
) -> dict[str, Judged]:
    """Index one project and judge what each tool answers at the sites of its truth, ours first.

    The store lies in a temporary folder: checkouts are never written.
    """
    store = Path(tempfile.mkdtemp(prefix="codecairn-graph-"))
    try:
        config = load(None, arguments={}, environment={}, user_file=store / "no-config.toml")
        workspace = Workspace(root, config.settings, store=store / "store")
        try:
            workspace.index()
            graph = cast("Any", workspace).graph
            paths = sorted({truth.path for truth in truths})
            edges: dict[str, Mapping[str, Sequence[Edge]]] = {
                OURS: {path: _edges(graph, path) for path in paths},
                "name search": search_names(graph, truths),
            }
        finally:
            workspace.close()
    finally:
        shutil.rmtree(store, ignore_errors=True)
    if codegraph is not None:
        edges["codegraph"] = ask_codegraph(codegraph, root, truths)
    return {
        tool: Judged(header=header, verdicts=judge(truths, each)) for tool, each in edges.items()
    }


def _edges(graph: Any, path: str) -> Sequence[Edge]:  # noqa: ANN401
    """The edges of a file; none if the index leaves it out, as it does what `.gitignore` names."""
    try:
        edges: Sequence[Edge] = graph.edges(path)
    except UsageError:
        return ()
    return edges


def _projects(options: argparse.Namespace) -> Iterator[tuple[Header, list[Truth], Path]]:
    for file in sorted((options.truth / options.part).glob("*.jsonl")):
        if file.name.endswith(".unknown.jsonl"):
            continue
        header = read_header(file)
        if options.only and not {header.language, header.project} & set(options.only):
            continue
        root = (options.repos / header.project).resolve()
        if root.is_dir():
            yield header, read_truth(file), root
        else:
            print(f"{header.project} is not checked out", file=sys.stderr)


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
    parser.add_argument(
        "--codegraph", type=Path, metavar="PROGRAM", help="ask this codegraph about the same sites"
    )
    parser.add_argument("--out", type=Path, help="write precision and recall here, as JSON")
    parser.add_argument("--faults", type=Path, help="list what went wrong in this folder")
    parser.add_argument(
        "--limit", type=int, default=100, help="at most so many of each kind of fault"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
