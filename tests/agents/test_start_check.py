"""The start of a server and of hooks, by programs that fail in their own ways."""

import os
from pathlib import Path

import pytest

from codecairn.hosts.start_check import start_hook, start_server

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")


def script(folder: Path, text: str) -> str:
    """A program that is this shell script."""
    file = folder / "program"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("exit 3", "ended with code 3"),
        ("echo 'no such module' >&2; exit 1", "no such module"),
        ("echo 'not json'; echo '{\"id\": 1, \"result\": {}}'", "did not do its work"),
        ("sleep 60", "no answer within 0.5 s"),
    ],
)
def test_server_that_does_not_answer_is_told_apart(text: str, detail: str, tmp_path: Path) -> None:
    found = start_server([script(tmp_path, f"exec 2>&2; {text}")], timeout_s=0.5)
    assert not found.is_working
    assert detail in found.detail


def test_missing_program_is_no_error(tmp_path: Path) -> None:
    found = start_server([str(tmp_path / "gone")])
    assert (found.is_working, found.detail) == (
        False, "it can't be started: No such file or directory",
    )  # fmt: skip


def test_hook_that_answers_and_records_nothing_does_not_work(tmp_path: Path) -> None:
    """The launcher of a lost installation does this, so that no agent fails."""
    found = start_hook(script(tmp_path, "echo '{}'"))
    assert not found.is_working
