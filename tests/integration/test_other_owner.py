"""A checkout that belongs to another user: it is searched, and git's remedy is named where its history is needed."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.repository import SMALL_PROJECT, Repository


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away"
)
def test_a_checkout_of_another_user_is_searched_and_its_history_needs_git_s_consent(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    for path in [repository.root, *repository.root.rglob("*")]:
        os.lchown(path, 1000, 1000)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "codecairn", *words]
        return subprocess.run(
            command, cwd=repository.root, capture_output=True, text=True, check=False
        )

    assert "shop/tokens.py" in run("search", "verify token").stdout
    refused = run("impact", "HEAD")
    assert refused.returncode == 1
    (remedy,) = re.findall(r"`(git config --global [^`]+)`", refused.stderr)
    subprocess.run(shlex.split(remedy), check=True)
    assert run("impact", "HEAD").returncode == 0
