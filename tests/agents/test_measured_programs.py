"""Real agents are measured end to end, with a model that is played by a script: both sides, scores, transcripts, and the sheet."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agents.test_real_agents import AGENTS, TARGET
from benches.agents.programs.__main__ import RUNS
from benches.agents.programs.example_project import QUESTIONS, make

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("agent", AGENTS)
def test_program_answers_with_and_without_our_tools(agent: str, tmp_path: Path) -> None:
    programs = TARGET / "agents" / "node_modules" / ".bin"
    if not (programs / agent).exists():
        pytest.skip(f"`{agent}` is not installed: `make test-all` does")
    make(tmp_path / "shop")
    out, kept = tmp_path / "out.json", tmp_path / "kept"
    words = [
        str(QUESTIONS),
        str(tmp_path / "shop"),
        "--program",
        agent,
        "--scripted",
        "--first",
        "1",
    ]
    words += ["--out", str(out), "--transcripts", str(kept)]
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "benches.agents.programs", *words],
        cwd=ROOT, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(out.read_text())
    figures = {row["measure"]: row["value"] for row in document["figures"]}
    for side in ("with codecairn", "without"):
        for measure in ("ended", "all needed places named", "needed lines seen"):
            assert figures[f"{side}: {measure}"] == 100, f"{side}: {measure}\n{done.stderr}"
    assert figures["with codecairn: codecairn asked"] == 100
    assert figures["with codecairn: a file opened after its answer"] == 100
    assert figures["difference: needed lines seen"] == 0
    rows = json.loads((kept / RUNS).read_text())
    looks = {row["side"]: [look["name"] for look in row["looks"]] for row in rows}
    assert any("codecairn" in name for name in looks["with codecairn"])
    assert not any("codecairn" in name for name in looks["without"])
    without = (kept / "token.without.1.jsonl").read_text()
    assert "codecairn_" not in without
    assert "codecairn__" not in without
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept.iterdir()} == {0o600}
    assert len(json.loads((kept / "grading.json").read_text())) == 2
