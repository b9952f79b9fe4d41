"""Questions as people write them, scores by hand, and limits."""

import json
import re
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError, UsageError
from codecairn.evaluation.budgets import LIMITS, breaches, read_budget
from codecairn.evaluation.questions import Place, Question, Target, read_questions
from codecairn.evaluation.scores import Found, judged
from codecairn.evaluation.sweep import combinations

DOCS = Path(__file__).parents[2] / "docs"


def _file(folder: Path, content: object, name: str = "questions.json") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def _found(*places: str) -> list[Found]:
    rows = [place.split(":") for place in places]
    return [Found(path=path, name=name, start_line=1, end_line=9) for path, name in rows]


def test_simple_questions_are_read(tmp_path: Path) -> None:
    rows = [{"query": "a", "expected": ["x.py", "y.py:3-9", "z.py::Z.run", "w.py:7"]}]
    (question,) = read_questions(_file(tmp_path, rows))
    assert [target.places[0] for target in question.targets] == [
        Place(path="x.py"),
        Place(path="y.py", first=3, last=9),
        Place(path="z.py", symbol="Z.run"),
        Place(path="w.py", first=7, last=7),
    ]
    assert (question.id, question.mode) == ("1", "search")


def test_questions_of_the_other_tool_are_read(tmp_path: Path) -> None:
    row = {
        "id": "q", "query": "a", "queryType": "definition", "retrievalMode": "context",
        "args": {"symbol": "run", "fileType": ".py", "directory": "src"},
        "expected": {
            "filePath": "./src/a.py", "symbol": "run", "acceptableFiles": ["src/b.py"],
            "expectedRoute": "conceptual", "expectedOutcome": "found", "graphNeighbor": "stop",
        },
    }  # fmt: skip
    graded = {"gradedEvidence": [{"path": "a.py", "relevance": 3}, {"path": "b.py", "symbol": "b"}]}
    rows = {"queries": [row, {"id": "r", "query": "b", "expected": graded}]}
    first, second = read_questions(_file(tmp_path, rows))
    assert first.targets == (
        Target(places=(Place(path="src/a.py", symbol="run"), Place(path="src/b.py", symbol="run"))),
    )
    assert first.arguments == {"symbol": "run", "directory": "src", "glob": "*.py"}
    assert (first.route, first.neighbour, first.kind) == ("search", "stop", "definition")
    assert [target.relevance for target in second.targets] == [3, 1]


def test_a_line_a_question(tmp_path: Path) -> None:
    text = '{"query": "a", "expected": "x"}\n\n{"query": "b", "expected": "y"}\n'
    assert len(read_questions(_file(tmp_path, text, "q.jsonl"))) == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is no JSON"),
        ({"questions": []}, "holds no list"),
        ([], "holds no question"),
        (["x"], "question 1 is no object"),
        ([{"expected": "x"}], "`query` is missing"),
        ([{"query": "a"}], "`expected` is missing"),
        ([{"query": "a", "expected": []}], "must hold places"),
        ([{"query": "a", "expected": {}}], "names no file"),
        ([{"query": "a", "expected": "x", "mode": "guess"}], "is no mode"),
        ([{"query": "a", "expected": "x", "expcted": 1}], "unknown key `expcted`"),
        ([{"query": "a", "expected": {"gradedEvidence": [{"path": "a", "relevance": 9}]}}], "9"),
        ([{"query": "a", "expected": "x", "id": "i"}] * 2, "two questions are called `i`"),
        ([{"query": "a", "expected": 7}], "`expected` is missing"),
        ([{"query": "a", "expected": {"acceptableFiles": [""]}}], "`expected` names no file"),
        ([{"query": "a", "expected": {"filePath": 7}}], "`filePath` is no text"),
        ([{"query": "a", "expected": "x", "args": []}], "`args` is no object"),
        (
            [{"query": "a", "expected": {"gradedEvidence": [{"relevance": 1}]}}],
            "a piece of `gradedEvidence` has no `path`",
        ),
        (
            [{"query": "a", "expected": {"gradedEvidence": [{"path": "x", "relevance": True}]}}],
            "`relevance` is True",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        read_questions(_file(tmp_path, content))


def test_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="can't read"):
        read_questions(tmp_path / "nowhere.json")
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'[{"query": "caf\xe9", "expected": "x"}]')
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_questions(latin)
    with pytest.raises(UsageError, match="is no JSON lines"):
        read_questions(_file(tmp_path, '{"query": "a", "expected": "x"}\n{"query"', "cut.jsonl"))


def test_members_that_are_null_count_as_missing(tmp_path: Path) -> None:
    row = {"query": "a", "expected": {"filePath": "x", "symbol": None}, "args": {"fileType": None}}
    (question,) = read_questions(_file(tmp_path, [row]))
    assert question.targets == (Target(places=(Place(path="x", symbol=""),)),)


@pytest.mark.parametrize(
    ("place", "found", "is_covered"),
    [
        (Place(path="a/b.py"), ("src/a/b.py", "f", 1, 2), True),
        (Place(path="src/a/b.py"), ("a/b.py", "f", 1, 2), True),
        (Place(path="b.py"), ("ab.py", "f", 1, 2), False),
        (Place(path="b.py", symbol="run"), ("b.py", "Job.run", 1, 2), True),
        (Place(path="b.py", symbol="Job.run"), ("b.py", "Job.run", 1, 2), True),
        (Place(path="b.py", symbol="run"), ("b.py", "rerun", 1, 2), False),
        (Place(path="b.py", first=5, last=9), ("b.py", "", 9, 20), True),
        (Place(path="b.py", first=5, last=9), ("b.py", "", 10, 20), False),
    ],
)
def test_results_lie_at_a_place_or_not(
    place: Place, found: tuple[str, str, int, int], is_covered: bool
) -> None:
    assert place.covers(*found) is is_covered


def test_scores_are_those_made_by_hand() -> None:
    both = (
        Target(places=(Place(path="a"),), relevance=3),
        Target(places=(Place(path="b"),), relevance=1),
    )
    question = Question(id="q", query="q", kind="", mode="search", targets=both)
    assert judged(question, _found("a:x", "b:x")) == (1, pytest.approx(1.0))
    rank, gain = judged(question, _found("c:x", "c:x", "a:x"))
    assert rank == 2, "a repeated result takes up no rank"
    assert gain == pytest.approx((7 / 1.58496) / (7 + 1 / 1.58496), rel=1e-4)
    assert judged(question, _found(*(f"{n}:x" for n in range(10)), "a:x")) == (0, 0.0)
    assert judged(question, []) == (0, 0.0)


def test_limits_tell_what_is_not_kept(tmp_path: Path) -> None:
    limits = {"minHitAt5": 0.8, "mrrAt10MaxDrop": 0.05, "p95LatencyMaxMultiplier": 1.5}
    budget = read_budget(_file(tmp_path, {"thresholds": limits}))
    before = {"hit@5": 0.9, "mrr@10": 0.7, "latency_p95_ms": 10.0}
    good = {"hit@5": 0.8, "mrr@10": 0.66, "latency_p95_ms": 15.0}
    bad = {"hit@5": 0.79, "mrr@10": 0.64, "latency_p95_ms": 15.1}
    assert list(breaches(budget, good, before)) == []
    assert [each.key for each in breaches(budget, bad, before)] == list(limits)
    with pytest.raises(UsageError, match="something to compare with"):
        list(breaches(budget, good, None))
    with pytest.raises(UsageError, match="no question asks for"):
        list(breaches({"minRouteAccuracy": 1}, good, None))


_FIGURES = {
    **{f"hit@{depth}": 0.5 for depth in (1, 3, 5, 10)},
    **{f"latency_p{share}_ms": 20.0 for share in (50, 95, 99)},
    "mrr@10": 0.5,
    "ndcg@10": 0.5,
    "distinct_top3": 0.5,
    "tokens_most": 900.0,
    "neighbour_recall": 0.5,
    "route_accuracy": 0.5,
}


@pytest.mark.parametrize(
    ("key", "kept", "broken", "text"),
    [
        ("minHitAt1", 0.5, 0.51, "hit@1 is 0.5, and must be at least 0.51"),
        ("minHitAt3", 0.5, 0.51, "hit@3 is 0.5, and must be at least 0.51"),
        ("minHitAt5", 0.5, 0.51, "hit@5 is 0.5, and must be at least 0.51"),
        ("minHitAt10", 0.5, 0.51, "hit@10 is 0.5, and must be at least 0.51"),
        ("minMrrAt10", 0.5, 0.51, "mrr@10 is 0.5, and must be at least 0.51"),
        ("minNdcgAt10", 0.5, 0.51, "ndcg@10 is 0.5, and must be at least 0.51"),
        ("p50LatencyMaxMs", 20, 19, "latency_p50_ms is 20, and must be at most 19"),
        ("p95LatencyMaxMs", 20, 19, "latency_p95_ms is 20, and must be at most 19"),
        ("p99LatencyMaxMs", 20, 19, "latency_p99_ms is 20, and must be at most 19"),
        ("minRawDistinctTop3Ratio", 0.5, 0.51, "distinct_top3 is 0.5, and must be at least 0.51"),
        ("maxContextResponseTokensMax", 900, 899, "tokens_most is 900, and must be at most 899"),
        ("minGraphNeighborRecall", 0.5, 0.6, "neighbour_recall is 0.5, and must be at least 0.6"),
        ("minRouteAccuracy", 0.5, 0.6, "route_accuracy is 0.5, and must be at least 0.6"),
    ],
)
def test_limits_of_one_report_need_no_baseline(
    key: str, kept: float, broken: float, text: str
) -> None:
    assert list(breaches({key: kept}, _FIGURES, None)) == []
    (breach,) = breaches({key: broken}, _FIGURES, None)
    assert (breach.key, breach.text) == (key, text)


@pytest.mark.parametrize(
    ("key", "figure", "before", "kept", "broken", "text"),
    [
        ("hitAt1MaxDrop", "hit@1", 0.75, 0.25, 0.2, "below the baseline by at most 0.2"),
        ("hitAt3MaxDrop", "hit@3", 0.75, 0.25, 0.2, "below the baseline by at most 0.2"),
        ("hitAt5MaxDrop", "hit@5", 0.75, 0.25, 0.2, "below the baseline by at most 0.2"),
        ("hitAt10MaxDrop", "hit@10", 0.75, 0.25, 0.2, "below the baseline by at most 0.2"),
        ("mrrAt10MaxDrop", "mrr@10", 0.75, 0.25, 0.2, "below the baseline by at most 0.2"),
        ("ndcgAt10MaxDrop", "ndcg@10", 0.75, 0.25, 0.2, "below the baseline by at most 0.2"),
        ("p50LatencyMaxMultiplier", "latency_p50_ms", 10, 2, 1.5, "1.5 times the baseline at most"),
        ("p95LatencyMaxMultiplier", "latency_p95_ms", 10, 2, 1.5, "1.5 times the baseline at most"),
        ("p99LatencyMaxMultiplier", "latency_p99_ms", 10, 2, 1.5, "1.5 times the baseline at most"),
    ],
)
def test_limits_of_a_loss_are_about_the_baseline(
    key: str, figure: str, before: float, kept: float, broken: float, text: str
) -> None:
    baseline = {figure: before}
    assert list(breaches({key: kept}, _FIGURES, baseline)) == []
    (breach,) = breaches({key: broken}, _FIGURES, baseline)
    shown = f"{figure} is {_FIGURES[figure]:g}, and must be {text} (the baseline has {before:g})"
    assert (breach.key, breach.text) == (key, shown)
    for figures, needs in ((_FIGURES, None), (_FIGURES, {}), ({}, baseline)):
        with pytest.raises(UsageError, match=f"^`{key}`"):
            list(breaches({key: kept}, figures, needs))


def test_limits_may_be_under_thresholds_or_alone(tmp_path: Path) -> None:
    assert read_budget(_file(tmp_path, {"minHitAt5": 1})) == {"minHitAt5": 1}
    assert read_budget(_file(tmp_path, {"thresholds": {"minHitAt5": 0.5}})) == {"minHitAt5": 0.5}
    with pytest.raises(UsageError, match="unknown limit `thresholds`"):
        read_budget(_file(tmp_path, {"thresholds": 1}))
    with pytest.raises(UsageError, match="unknown limit `minHitAt6`") as unknown:
        read_budget(_file(tmp_path, {"minHitAt6": 1}))
    assert "minHitAt" in unknown.value.hint


@pytest.mark.parametrize("content", [{}, [], {"minHitAt4": 1}, {"minHitAt5": "x"}, {"minHitAt5": True}])  # fmt: skip
def test_limits_that_are_none_are_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(UsageError):
        read_budget(_file(tmp_path, content))


def test_grids_are_made_and_bounded() -> None:
    found = combinations(["ranking=model,fusion", "search.limit=5,10"])
    assert len(found) == 4
    assert found[0] == {"ranking": "model", "search.limit": 5}
    for wrong in ("ranking", "ranking=", "nothing=1", "ranking=x", "include=a,b"):
        with pytest.raises(UsageError):
            combinations([wrong])
    with pytest.raises(UsageError, match="combinations"):
        combinations([f"search.limit={','.join(map(str, range(1, 80)))}"])


def test_every_limit_stands_on_the_page() -> None:
    page = (DOCS / "how-to/evaluation.md").read_text(encoding="utf-8").partition("| limit |")[2]
    assert set(re.findall(r"`(\w+)`", page)) == set(LIMITS)
