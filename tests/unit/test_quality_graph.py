"""The judge of the code graph, judged, and what it reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from benches.quality.graph.grammar import Site
from benches.quality.graph.judging import Outcome, figures, judge
from benches.quality.graph.places import Place, byte_column, utf16_column
from benches.quality.graph.records import (
    Header,
    Target,
    Truth,
    from_record,
    read_truth,
    to_record,
    write_lines,
)
from benches.quality.graph.reporting import Judged, by_outcome, faults, table
from benches.quality.graph.sampling import is_test, sample
from benches.quality.graph.scip import ScipIndex, fields, varints
from benches.quality.graph.written import WrittenAnswers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    path: str
    line: int
    qualified_name: str = "m.f"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edge:
    line: int
    column: int = 0
    kind: str = "call"
    how: str = "import"
    confidence: float = 0.9
    is_resolved: bool = True
    targets: Sequence[_Target] = ()
    declared: tuple[int, int] | None = None


_HEADER = Header(
    project="p",
    language="python",
    url="https://example.org/p",
    revision="1",
    sources=(".",),
    server="pyright",
    version="pyright 1",
    sites=9,
    sampled=8,
    inside=5,
    external=2,
    unknown=1,
)


def _truth(line: int, *targets: tuple[str, int]) -> Truth:
    return Truth(
        path="a.py",
        line=line,
        column=0,
        name="f",
        kind="call",
        targets=tuple(Target(path=path, line=number) for path, number in targets),
    )


def _edge(line: int, *targets: tuple[str, int], is_resolved: bool = True) -> _Edge:
    found = tuple(_Target(path=path, line=number) for path, number in targets)
    return _Edge(line=line, is_resolved=is_resolved, targets=found)


def _local(line: int, declared: int) -> _Edge:
    return _Edge(line=line, how="local", is_resolved=False, declared=(declared, 4))


@pytest.mark.parametrize(
    ("truth", "edges", "outcome"),
    [
        (_truth(1, ("b.py", 7)), [_edge(1, ("b.py", 7))], Outcome.RIGHT),
        (_truth(1, ("b.py", 7), ("b.py", 9)), [_edge(1, ("b.py", 9))], Outcome.RIGHT),
        (_truth(1, ("b.py", 7)), [_edge(1, ("b.py", 8))], Outcome.WRONG),
        (_truth(1), [_edge(1, ("b.py", 7))], Outcome.INVENTED),
        (
            _truth(1, ("b.py", 7)),
            [_edge(1, ("c.py", 7), ("b.py", 7), is_resolved=False)],
            Outcome.CANDIDATE,
        ),
        (_truth(1, ("b.py", 7)), [_edge(1, ("c.py", 7), is_resolved=False)], Outcome.ASTRAY),
        (_truth(1, ("b.py", 7)), [_edge(2, ("b.py", 7))], Outcome.MISSING),
        (_truth(1, ("b.py", 7)), [_edge(1)], Outcome.MISSING),
        (_truth(1), [_edge(1, ("c.py", 7), is_resolved=False)], Outcome.OUTSIDE),
        (_truth(1), [], Outcome.OUTSIDE),
        (_truth(4, ("a.py", 3)), [_local(4, 3)], Outcome.RIGHT),
        (_truth(4, ("a.py", 3)), [_local(4, 2)], Outcome.WRONG),
        (_truth(4, ("b.py", 3)), [_local(4, 3)], Outcome.WRONG),
        (_truth(4), [_local(4, 3)], Outcome.INVENTED),
    ],
)
def test_each_site_has_the_outcome_that_its_edge_earns(
    truth: Truth, edges: list[_Edge], outcome: Outcome
) -> None:
    (verdict,) = judge([truth], {"a.py": edges})
    assert verdict.outcome is outcome


def test_the_surest_of_several_edges_at_a_name_speaks_for_it() -> None:
    edges = [_edge(1, ("c.py", 1), is_resolved=False), _edge(1, ("b.py", 7)), _edge(1)]
    (verdict,) = judge([_truth(1, ("b.py", 7))], {"a.py": edges})
    assert verdict.outcome is Outcome.RIGHT


def test_an_edge_of_another_file_says_nothing() -> None:
    (verdict,) = judge([_truth(1, ("b.py", 7))], {"b.py": [_edge(1, ("b.py", 7))]})
    assert verdict.outcome is Outcome.MISSING


def test_precision_counts_what_is_called_resolved_and_recall_what_lies_inside() -> None:
    truths = [_truth(1, ("b.py", 1)), _truth(2, ("b.py", 2)), _truth(3), _truth(4, ("b.py", 4))]
    edges = [_edge(1, ("b.py", 1)), _edge(2, ("b.py", 9), ("b.py", 8)), _edge(3, ("b.py", 3))]
    counted = figures(judge(truths, {"a.py": edges}))
    assert (counted.sites, counted.external, counted.inside, counted.resolved) == (4, 1, 3, 3)
    assert counted.precision == pytest.approx(1 / 3)
    assert counted.recall == pytest.approx(1 / 3)
    assert counted.targets_per_resolved == pytest.approx(4 / 3)


def test_nothing_resolved_has_no_precision_rather_than_an_error() -> None:
    counted = figures(judge([_truth(1)], {}))
    assert (counted.precision, counted.recall, counted.targets_per_resolved) == (0, 0, 0)


def test_truth_reads_as_it_was_written(tmp_path: Path) -> None:
    truths = [_truth(1, ("b.py", 7), ("ü.py", 9)), _truth(2)]
    write_lines(tmp_path / "python.jsonl", map(to_record, truths))
    assert read_truth(tmp_path / "python.jsonl") == truths
    assert [from_record(to_record(each)).is_external for each in truths] == [False, True]


def test_the_report_shows_the_figures_and_the_lines_that_failed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f()\ng()\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def f(): ...\n", encoding="utf-8")
    truths = [_truth(1, ("b.py", 1)), _truth(2)]
    edges = [_edge(1, ("b.py", 1)), _edge(2, ("b.py", 1))]
    judged = Judged(header=_HEADER, verdicts=judge(truths, {"a.py": edges}))
    assert "0.500 (1/2) | 1.000 (1/1)" in table([judged])
    assert "| resolved to the right definition | 1 |" in by_outcome([judged])
    listed = faults(judged, root=tmp_path, limit=5)
    assert "a.py:2:0 call f\n    g()\n    right: outside" in listed
    assert "b.py:1 m.f" in listed


@pytest.mark.parametrize(
    ("node", "is_local"),
    [
        ("identifier<typed_parameter<parameters<function_definition", True),
        ("identifier<expression_list<short_var_declaration<statement_list", True),
        ("identifier<variable_declarator<lexical_declaration<statement_block", True),
        ("identifier<variable_declarator<lexical_declaration<export_statement", False),
        ("identifier<function_definition<module", False),
    ],
)
def test_what_only_a_function_knows_is_told_apart(node: str, *, is_local: bool) -> None:
    target = Target(path="b.py", line=1, node=node)
    truth = Truth(path="a.py", line=1, column=0, name="f", kind="call", targets=(target,))
    assert truth.is_local is is_local


def _sites(path: str, number: int) -> list[Site]:
    return [
        Site(place=Place(path=path, line=line, column=0), name="f", kind="call")
        for line in range(1, number + 1)
    ]


def test_a_sample_is_the_same_each_time_and_lies_all_over_the_project() -> None:
    sites = _sites("big.py", 1000) + [
        each for number in range(20) for each in _sites(f"small{number}.py", 10)
    ]
    taken = sample(sites, size=40)
    assert taken == sample(sites[::-1], size=40)
    assert len(taken) == 40
    from_big = sum(each.place.path == "big.py" for each in taken)
    assert from_big <= 8


def test_tests_are_no_more_of_a_sample_than_of_the_project_and_no_more_than_half() -> None:
    source = [each for number in range(50) for each in _sites(f"src/{number}.py", 8)]
    few = [each for number in range(50) for each in _sites(f"tests/{number}.py", 2)]
    many = [each for number in range(50) for each in _sites(f"tests/{number}.py", 80)]

    def tests_of(sites: list[Site]) -> int:
        return sum(is_test(each.place.path) for each in sample(sites, size=50))

    assert tests_of(source + few) <= 10
    assert tests_of(source + many) == 25


def test_columns_are_turned_between_bytes_and_utf16() -> None:
    line = "é😀x".encode()
    assert [utf16_column(line, column) for column in (0, 2, 6)] == [0, 1, 3]
    assert [byte_column(line, column) for column in (0, 1, 3, 9)] == [0, 2, 6, 7]


def test_a_scip_index_tells_where_a_name_is_defined(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("é = f()\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def f(): ...\n", encoding="utf-8")
    used = _message((1, bytes([0, 4, 5])), (2, b"p f()."))
    foreign = _message((1, bytes([0, 0, 1])), (2, b"q g()."))
    defined = _message((1, bytes([0, 4, 5])), (2, b"p f()."), (3, 1))
    index = _message(
        (2, _message((1, b"a.py"), (2, used), (2, foreign))),
        (2, _message((2, defined), (1, b"b.py"))),
    )
    (tmp_path / "index.scip").write_bytes(index)
    scip = ScipIndex(tmp_path / "index.scip", root=tmp_path)
    call = Place(path="a.py", line=1, column=5)
    assert scip.definitions(call) == [Place(path="b.py", line=1, column=4)]
    assert scip.definitions(Place(path="a.py", line=1, column=0)) == []
    assert scip.definitions(Place(path="a.py", line=1, column=6)) is None


@pytest.mark.parametrize("used", ["p X.", "p X.apply().", "p X#copy().", "p X.unapply(+1)."])
def test_what_the_compiler_writes_for_a_class_stands_where_the_class_does(
    tmp_path: Path, used: str
) -> None:
    (tmp_path / "a.scala").write_text("class X\nX\n", encoding="utf-8")
    defined = _message((1, bytes([0, 6, 7])), (2, b"p X#"), (3, 1))
    occurrence = _message((1, bytes([1, 0, 1])), (2, used.encode()))
    index = _message((2, _message((1, b"a.scala"), (2, defined), (2, occurrence))))
    (tmp_path / "index.scip").write_bytes(index)
    scip = ScipIndex(tmp_path / "index.scip", root=tmp_path)
    call = Place(path="a.scala", line=2, column=0)
    assert scip.definitions(call) == [Place(path="a.scala", line=1, column=6)]


def test_numbers_of_several_bytes_are_read_whole() -> None:
    assert varints(bytes([0xAC, 0x02, 0x05])) == [300, 5]
    assert list(fields(_message((3, 300)))) == [(3, 300)]


def _message(*given: tuple[int, int | bytes]) -> bytes:
    encoded = b""
    for number, value in given:
        if isinstance(value, bytes):
            encoded += bytes([number << 3 | 2]) + _varint(len(value)) + value
        else:
            encoded += bytes([number << 3]) + _varint(value)
    return encoded


def _varint(number: int) -> bytes:
    low, high = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(high) if high else bytes([low])


def test_answers_written_beforehand_are_given_back(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    inside = {"path": "a.rb", "line": 3, "column": 4, "targets": [["b.rb", 9, 6], ["b.rb", 2, 8]]}
    outside = {"path": "a.rb", "line": 5, "column": 0, "targets": []}
    write_lines(file, [inside, outside])
    answers = WrittenAnswers(file, version="ruby 3")
    assert answers.version == "ruby 3"
    assert answers.definitions(Place(path="a.rb", line=3, column=4)) == [
        Place(path="b.rb", line=2, column=8),
        Place(path="b.rb", line=9, column=6),
    ]
    assert answers.definitions(Place(path="a.rb", line=5, column=0)) == []
    assert answers.definitions(Place(path="a.rb", line=6, column=0)) is None
