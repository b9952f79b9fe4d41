"""How our graph is held beside its peers: their answers, and the shares that are compared."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benches.quality.graph.comparison import Share, candidate_shares, comparison, shares
from benches.quality.graph.judging import judge
from benches.quality.graph.peers import ask_codegraph
from benches.quality.graph.records import Header, Target, Truth
from benches.quality.graph.reporting import Judged
from codecairn.core.types.graph import Definition, Use

_SOURCE = """\
@cached
def load(path):
    return read(path)


text = (
    build()
    .load("a")
)
store.load("b")
"""
# Stands for codegraph: writes a database as it does, for the file above.
_PROGRAM = """\
#!{python}
import json, os, sqlite3, sys
folder = os.path.join(sys.argv[2], ".codegraph")
os.mkdir(folder)
base = sqlite3.connect(os.path.join(folder, "codegraph.db"))
base.execute("create table nodes (id, file_path, start_line, end_line, name, qualified_name)")
base.execute("create table edges (id, source, target, kind, metadata, line, col)")
base.execute("insert into nodes values ('f', 'm.py', 1, 10, 'm.py', 'm.py')")
base.execute("insert into nodes values ('load', 'm.py', 1, 3, 'load', 'm.load')")
base.execute("insert into nodes values ('store', 'm.py', 4, 4, 'store', 'm.store')")
rows = {rows}
for number, (target, kind, name, line, column) in enumerate(rows):
    metadata = json.dumps({{"refName": name}})
    base.execute("insert into edges values (?, 'f', ?, ?, ?, ?, ?)", (number, target, kind, metadata, line, column))
base.commit()
"""


def _truth(line: int, column: int, *, target: int = 2) -> Truth:
    return Truth(
        path="m.py",
        line=line,
        column=column,
        name="load",
        kind="method_call",
        targets=(Target(path="m.py", line=target, node="identifier<function_definition"),),
    )


def _program(folder: Path, rows: Sequence[tuple[str, str, str, int, int]]) -> Path:
    program = folder / "codegraph"
    program.write_text(_PROGRAM.format(python=sys.executable, rows=list(rows)), encoding="utf-8")
    program.chmod(0o755)
    return program


def _project(folder: Path) -> Path:
    root = folder / "project"
    root.mkdir()
    (root / "m.py").write_text(_SOURCE, encoding="utf-8")
    return root


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script with a first line")
def test_codegraph_answers_with_the_line_of_a_name_and_along_a_chain_of_calls(
    tmp_path: Path,
) -> None:
    rows = [("load", "calls", "build().load", 7, 4), ("load", "contains", "load", 10, 0)]
    sites = [_truth(8, 5), _truth(10, 6)]
    edges = ask_codegraph(_program(tmp_path, rows), _project(tmp_path), sites)
    [edge] = edges["m.py"]
    assert (edge.line, edge.column, edge.is_resolved) == (8, 5, True)
    assert [(each.path, each.line) for each in edge.targets] == [("m.py", 2)]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script with a first line")
def test_a_receiver_that_codegraph_names_is_no_answer_about_the_member(tmp_path: Path) -> None:
    rows = [("store", "calls", "store.load", 10, 0)]
    assert not ask_codegraph(_program(tmp_path, rows), _project(tmp_path), [_truth(10, 6)])


def _definition(line: int, *, path: str = "m.py") -> Definition:
    return Definition(
        path=path,
        line=line,
        column=4,
        start_line=line,
        end_line=line + 1,
        name="load",
        qualified_name="load",
        kind="function",
    )


def _use(line: int, how: str, *targets: Definition) -> Use:
    return Use(
        path="m.py",
        line=line,
        column=0,
        name="load",
        kind="call",
        how=how,
        is_resolved=how == "import",
        confidence=0.9,
        source=None,
        targets=targets,
    )


def _judged(truths: Sequence[Truth], uses: Sequence[Use], *, language: str = "python") -> Judged:
    header = Header(
        project="p",
        language=language,
        url="u",
        revision="r",
        sources=(".",),
        server="s",
        version="1",
        sites=len(truths),
        sampled=len(truths),
        inside=len(truths),
        external=0,
        unknown=0,
    )
    return Judged(header=header, verdicts=judge(truths, {"m.py": uses}))


def test_shares_count_facts_and_pool_the_projects_of_a_language() -> None:
    first = _judged([_truth(8, 0), _truth(10, 0)], [_use(8, "import", _definition(2))])
    second = _judged([_truth(8, 0)], [_use(8, "import", _definition(5))])
    found = shares([*first.verdicts, *second.verdicts])
    assert found["precision"] == Share(part=1, whole=2)
    assert found["recall"] == Share(part=1, whole=3)
    text = comparison({"ours": [first, second]})
    assert "| python | 3 | 0.500 / 0.333 |" in text
    assert "| all | 3 | 0.500 / 0.333 |" in text


def test_candidates_that_are_shown_are_counted_by_site_and_by_row() -> None:
    narrow = _use(8, "ambiguous", _definition(2), _definition(5))
    wide = _use(10, "ambiguous", *(_definition(line) for line in (2, 5, 6, 7)))
    judged = _judged([_truth(8, 0), _truth(10, 0)], [narrow, wide])
    found = candidate_shares(judged.verdicts)
    assert found["sites with a right candidate"] == Share(part=1, whole=1)
    assert found["right candidates"] == Share(part=1, whole=2)


def test_an_interval_is_wide_for_few_and_holds_the_share() -> None:
    low, high = Share(part=8, whole=10).interval()
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert Share(part=0, whole=0).interval() == (0.0, 1.0)
