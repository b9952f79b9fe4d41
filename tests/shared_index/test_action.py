"""The steps of the action run as on a runner: a cache that begins empty, a push, a reader, and a checkout that plants modules."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from codecairn.version import VERSION
from support.people import People, Person

ACTIONS = Path(__file__).parents[2] / ".github/actions"
ACTION = ACTIONS / "index/action.yml"

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


PLANTED = ("venv", "pip", "json", "ensurepip", "zipfile")
"""Modules of Python and pip that a step may import."""


def _plant(folder: Path, marker: Path) -> None:
    """Modules that leave a mark where they are imported or run."""
    for name in PLANTED:
        text = f"open({str(marker)!r}, 'a').write({name!r} + chr(10))\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def _small_wheel(folder: Path) -> Path:
    """A package of one file, which pip installs without a network."""
    file = folder / "small-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("small.py", "")
        wheel.writestr(
            "small-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1\n"
        )
        wheel.writestr(
            "small-1.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("small-1.dist-info/RECORD", "")
    return file


@pytest.mark.parametrize("action", ["index", "impact"])
def test_installation_runs_no_module_of_the_checkout(tmp_path: Path, action: str) -> None:
    checkout, temporary, marker = tmp_path / "checkout", tmp_path / "temporary", tmp_path / "marker"
    checkout.mkdir()
    temporary.mkdir()
    _plant(checkout, marker)
    document = yaml.safe_load((ACTIONS / action / "action.yml").read_text(encoding="utf-8"))
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", document["runs"]["steps"][0]["run"]],
        cwd=checkout,
        env=os.environ | {"RUNNER_TEMP": str(temporary), "PACKAGE": str(_small_wheel(tmp_path)), "PIP_NO_INDEX": "1"},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert not marker.exists(), marker.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert list((temporary / "codecairn").rglob("small.py"))


def test_publication_runs_no_module_of_the_checkout(people: People, tmp_path: Path) -> None:
    owner, cache = people.person("owner"), tmp_path / "cache"
    owner.done("remote", "init", str(tmp_path / "anywhere"), "--name", "shop")
    secret = people.grant(owner, "--publisher", "ci").read_text(encoding="utf-8")
    runner, marker = people.person("runner"), tmp_path / "marker"
    _plant(runner.root, marker)
    shown = _run_action(
        runner, tmp_path / "one", {"grant": secret, "folder": str(cache), "branch": "main"}
    )
    assert "published shop main" in shown
    assert not marker.exists(), marker.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("action", "package"), [("index", "codecairn[s3]"), ("impact", "codecairn")]
)
def test_action_installs_the_version_that_it_belongs_to(action: str, package: str) -> None:
    document = yaml.safe_load((ACTIONS / action / "action.yml").read_text(encoding="utf-8"))
    assert document["inputs"]["package"]["default"] == f"{package}=={VERSION}"
