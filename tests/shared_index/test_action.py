"""The steps of the action run as on a runner: a cache that begins empty, a push, and a reader."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.people import People, Person

ACTION = Path(__file__).parents[2] / ".github/actions/index/action.yml"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its steps are for bash")


def _inputs(given: dict[str, str]) -> dict[str, str]:
    document = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    usual = {name: each.get("default", "") for name, each in document["inputs"].items()}
    assert set(given) <= set(usual)
    return usual | given


def _run_action(runner: Person, temporary: Path, inputs: dict[str, str]) -> str:
    """Run every step but the installation, with the package under test in its place."""
    (temporary / "codecairn").mkdir(parents=True, exist_ok=True)
    link = temporary / "codecairn/bin"
    if not link.is_symlink():
        link.symlink_to(Path(sys.executable).parent)
    values, shown = _inputs(inputs), ""
    steps: list[dict[str, Any]] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"][
        "steps"
    ]
    for step in steps[1:]:
        if "if" in step:
            assert step["if"] == "inputs.publish == 'true'"
            if values["publish"] != "true":
                continue
        environment = {
            name: values[value.removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, value in step["env"].items()
        }
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=runner.root,
            env=os.environ
            | dict(runner.environment)
            | environment
            | {"RUNNER_TEMP": str(temporary)},
            capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        shown += done.stdout + done.stderr
    return shown


def test_runner_with_an_empty_cache_publishes_and_the_next_one_pulls(
    people: People, tmp_path: Path
) -> None:
    owner, cache = people.person("owner"), tmp_path / "cache"
    owner.done("remote", "init", str(tmp_path / "anywhere"), "--name", "shop")
    secret = people.grant(owner, "--publisher", "ci").read_text(encoding="utf-8")
    given = {"grant": secret, "folder": str(cache), "branch": "main"}
    first = people.person("first runner")
    shown = _run_action(first, tmp_path / "one", given)
    assert "nothing was pulled" in shown
    assert "published shop main" in shown
    second = people.person("second runner")
    shown = _run_action(second, tmp_path / "two", given)
    assert "0 parsed" in shown
    assert "already published" in shown
    for line in secret.splitlines():
        key = line.partition(":")[2].strip(' ",')
        assert len(key) < 40 or key not in shown


def test_reader_on_a_runner_publishes_nothing(
    owner: Person, people: People, tmp_path: Path, shared_folder: Path
) -> None:
    reader = people.person("runner")
    grant = people.grant(owner).read_text(encoding="utf-8")
    shown = _run_action(reader, tmp_path / "one", {"grant": grant, "publish": "false"})
    assert "pulled shop: main" in shown
    assert "published" not in shown
