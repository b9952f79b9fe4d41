"""Workflows run pinned code with the least rights, and one tag makes one release."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

GITHUB = Path(__file__).parents[2] / ".github"

WORKFLOWS = {path.name: path for path in sorted(GITHUB.glob("workflows/*.yml"))}
ACTIONS = {path.parent.name: path for path in sorted(GITHUB.glob("actions/*/action.yml"))}

WRITING = {
    ("impact-comment.yml", "comment"): {"pull-requests"},
    ("release.yml", "attest"): {"attestations", "id-token"},
    ("release.yml", "github"): {"contents"},
    ("release.yml", "pypi"): {"id-token"},
}
"""All that any job may write."""


def _read(path: Path) -> dict[Any, Any]:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def _jobs(workflow: str) -> dict[str, dict[str, Any]]:
    return _read(WORKFLOWS[workflow])["jobs"]  # type: ignore[no-any-return]


def _steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    return job.get("steps", [])  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", [*WORKFLOWS.values(), *ACTIONS.values()], ids=str)
def test_every_action_is_pinned_to_a_commit_with_its_version(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        found = re.match(r"\s*(?:- )?uses: (.*)", line)
        if found and not found[1].startswith("$/.github/"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", found[1]), line


def test_one_action_has_one_commit_everywhere() -> None:
    commits: dict[str, set[str]] = {}
    for path in [*WORKFLOWS.values(), *ACTIONS.values()]:
        for action, commit in re.findall(
            r"uses: ([\w./-]+)@(\S+ # \S+)", path.read_text(encoding="utf-8")
        ):
            commits.setdefault(action, set()).add(commit)
    assert {action: found for action, found in commits.items() if len(found) > 1} == {}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_jobs_have_a_time_limit_and_only_the_rights_that_are_listed(workflow: str) -> None:
    assert _read(WORKFLOWS[workflow])["permissions"] == {}
    for name, job in _jobs(workflow).items():
        assert "timeout-minutes" in job or "uses" in job, name
        writing = {key for key, right in job.get("permissions", {}).items() if right == "write"}
        assert writing == WRITING.get((workflow, name), set()), name


def test_jobs_that_can_write_run_no_code_of_the_project() -> None:
    for workflow, name in WRITING:
        for step in _steps(_jobs(workflow)[name]):
            script = step.get("run", "")
            assert not re.search(r"\bpip3?\b|\bmake\b|codecairn ", script), (workflow, name)


@pytest.mark.parametrize("path", [*WORKFLOWS.values(), *ACTIONS.values()], ids=str)
def test_scripts_take_values_from_the_environment_alone(path: Path) -> None:
    document = _read(path)
    jobs = document["jobs"] if "jobs" in document else {"": document["runs"]}
    for job in jobs.values():
        for step in _steps(job):
            assert "${{" not in step.get("run", ""), step


def test_release_needs_every_step_before_it_publishes() -> None:
    jobs = _jobs("release.yml")
    order = ["notes", "wheels", "sbom", "attest", "pypi", "github"]
    assert list(jobs) == order
    for before, after in pairwise(order):
        assert jobs[after]["needs"] == [before]
    assert _read(WORKFLOWS["release.yml"])[True] == {"push": {"tags": ["v*"]}}
    assert jobs["pypi"]["environment"]["name"] == "pypi"
    assert not [name for name, job in jobs.items() if "if" in job]


def test_only_the_release_starts_with_a_tag() -> None:
    for name in WORKFLOWS:
        trigger = _read(WORKFLOWS[name])[True]
        push = trigger.get("push") if isinstance(trigger, dict) else None
        assert ("tags" in (push or {})) == (name == "release.yml"), name


def test_release_is_built_without_caches() -> None:
    for workflow in ("release.yml", "wheels.yml"):
        text = WORKFLOWS[workflow].read_text(encoding="utf-8")
        assert "rust-cache" not in text
        assert 'sccache: "true"' not in text
        assert "cache: pip" not in text
