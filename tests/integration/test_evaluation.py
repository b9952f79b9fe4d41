"""`codecairn eval`: questions are asked, reports compared, settings swept, limits kept or not."""

import json
from pathlib import Path

import pytest

from support.command import run
from support.graph_project import GRAPH_PROJECT
from support.repository import SMALL_PROJECT, Repository

QUESTIONS = [
    {"id": "tokens", "query": "verify a session token", "type": "where", "expected": ["shop/tokens.py"]},
    {"id": "definition", "query": "verify", "mode": "definition", "expected": ["shop/base.py::verify"]},
    {
        "id": "pack", "query": "verify", "mode": "context", "args": {"symbol": "verify"},
        "expected": {"filePath": "base.py", "expectedRoute": "definition", "graphNeighbor": "helper"},
    },
    {"id": "edit", "query": "Child.step", "mode": "edit-context", "expected": ["shop/base.py"]},
    {"id": "nowhere", "query": "bake a cake", "type": "none", "expected": ["kitchen.py"]},
]  # fmt: skip


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.write_all(GRAPH_PROJECT)
    repository.write("questions.json", json.dumps(QUESTIONS))
    repository.commit()
    return repository


def _limits(project: Repository, **limits: float) -> Path:
    return project.write("limits.json", json.dumps(limits))


def test_report_says_what_was_found_and_missed(project: Repository) -> None:
    outcome = run("eval", "run", "questions.json", "-o", "report.json", cwd=project.root)
    assert outcome.code == 0
    assert "nowhere: bake a cake" in outcome.out
    report = json.loads((project.root / "report.json").read_text())
    ranks = {row["id"]: row["rank"] for row in report["results"]}
    assert ranks.pop("nowhere") == 0
    assert set(ranks.values()) <= {1, 2, 3}
    assert report["metrics"]["hit@10"] == pytest.approx(4 / 5)
    assert report["metrics"]["route_accuracy"] == 1
    assert report["metrics"]["neighbour_recall"] == 1
    assert set(report["by_type"]) == {"where", "none"}
    assert report["commit"]


def test_limits_decide_the_exit_code(project: Repository) -> None:
    _limits(project, minHitAt10=0.8)
    kept = run("eval", "run", "questions.json", "--budget", "limits.json", cwd=project.root)
    assert (kept.code, "every limit is kept" in kept.out) == (0, True)
    _limits(project, minHitAt10=0.9)
    broken = run("eval", "run", "questions.json", "--budget", "limits.json", cwd=project.root)
    assert broken.code == 1
    assert "not kept: minHitAt10: hit@10 is 0.8, and must be at least 0.9" in broken.out


def test_reports_are_compared(project: Repository) -> None:
    run("eval", "run", "questions.json", "-o", "a.json", cwd=project.root)
    (project.root / "shop/tokens.py").unlink()
    run("eval", "run", "questions.json", "-o", "b.json", cwd=project.root)
    told = run("eval", "compare", "a.json", "b.json", cwd=project.root)
    assert told.code == 0
    assert "-> none  tokens: verify a session token" in told.out
    moved = run("eval", "diff", "a.json", "b.json", "--json", cwd=project.root).document["moved"]
    assert [(row["id"], row["after"]) for row in moved] == [("tokens", 0)]
    _limits(project, hitAt10MaxDrop=0.1)
    held = run("eval", "compare", "a.json", "b.json", "--budget", "limits.json", cwd=project.root)
    assert held.code == 1
    assert (
        "no question's rank changed"
        in run("eval", "diff", "a.json", "a.json", cwd=project.root).out
    )


def test_sweep_orders_combinations(project: Repository) -> None:
    outcome = run(
        "eval", "sweep", "questions.json", "--vary", "ranking=model,fusion", "--vary", "search.limit=5,10",
        "--json", cwd=project.root,
    )  # fmt: skip
    runs = outcome.document["runs"]
    assert len(runs) == 4
    scores = [each["metrics"]["mrr@10"] for each in runs]
    assert scores == sorted(scores, reverse=True)
    wrong = run("eval", "sweep", "questions.json", "--vary", "rankin=model", cwd=project.root)
    assert (wrong.code, "did you mean `ranking`?" in wrong.err) == (2, True)


def test_what_is_no_report_is_refused(project: Repository) -> None:
    project.write("a.json", "{}")
    outcome = run("eval", "compare", "a.json", "a.json", cwd=project.root)
    assert outcome.code == 2
    assert "is no report" in outcome.err
