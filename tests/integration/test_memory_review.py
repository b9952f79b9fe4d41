"""`codecairn memory review`: what a person should look at, and what becomes of it."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.memory import review
from codecairn.memory.memory import Memory
from support.command import run
from support.repository import Repository


def _reasons(memory: Memory) -> list[tuple[str, str]]:
    return [(item.reason, item.fact.text) for item in review.to_review(memory, limit=10)]


def test_each_fact_to_look_at_is_settled(folder: Repository) -> None:
    folder.write("a.py", "def retry():\n    return 3\n")
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        memory = workspace.memory
        memory.add("retry gives up after three", symbols=["a.py::retry"])
        memory.add("The deploy day is Friday.")
        memory.add("The deploy day is Monday.")
        memory.record("s", "No new dependencies without asking me.", role="user")
        folder.write("a.py", "def retry():\n    return 5\n")
        workspace.index()
        assert _reasons(memory) == [
            ("contradicts", "The deploy day is Monday."),
            ("stale", "retry gives up after three"),
            ("provisional", "No new dependencies without asking me."),
        ]
        contradicts, stale, provisional = review.to_review(memory, limit=10)
        review.replace_others(memory, contradicts)
        review.keep(memory, stale)
        review.change(memory, provisional.fact, "No new dependencies without a review.")
        assert _reasons(memory) == []
        texts = {fact.text for fact in memory.list()}
        assert texts == {
            "The deploy day is Monday.",
            "retry gives up after three",
            "No new dependencies without a review.",
        }
        review.end(memory, memory.list()[0])
        assert len(memory.list()) == 2


def test_both_sides_of_a_contradiction_may_be_kept(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("The deploy day is Friday.")
        workspace.memory.add("The deploy day is Monday.")
        (item,) = review.to_review(workspace.memory, limit=10)
        review.keep(workspace.memory, item)
        assert _reasons(workspace.memory) == []
        assert len(workspace.memory.list()) == 2


@pytest.mark.parametrize("form", ["--json", "--jsonl"])
def test_the_command_lists_where_nobody_can_be_asked(folder: Repository, form: str) -> None:
    root = folder.root
    assert run("memory", "review", cwd=root).out.strip() == "nothing to review"
    run("memory", "add", "The deploy day is Friday.", cwd=root)
    run("memory", "add", "The deploy day is Monday.", cwd=root)
    shown = run("memory", "review", form, cwd=root).out
    assert '"contradicts"' in shown
    assert "Friday" in shown
    assert "may contradict" in run("memory", "review", cwd=root).out


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_a_person_is_asked_on_a_terminal_and_no_text_steers_it(folder: Repository) -> None:
    root = folder.root
    run("memory", "add", "The deploy day is Friday.", cwd=root)
    assert "Does the new one replace" in _on_terminal(
        root, b"n\n", "memory", "add", "The deploy day is \x1bcMonday."
    )
    shown = _on_terminal(root, b"r\n", "memory", "review")
    assert "1 of 1: keep, replace the older, change, end, skip, quit" in shown
    assert "\x1bc" not in shown
    (left,) = run("memory", "list", "--json", cwd=root).document["results"]
    assert "Monday" in left["text"]
    asked = _on_terminal(root, b"y\n", "memory", "add", "The deploy day is Tuesday.")
    assert "\x1bc" not in asked
    assert f"ended {left['id']}" in asked


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    ("typed", "shown", "left"),
    [
        (b"q\n", "1 of 1", {"The deploy day is Friday.", "The deploy day is Monday."}),
        (b"s\n", "skipped", {"The deploy day is Friday.", "The deploy day is Monday."}),
        (b"k\n", "kept", {"The deploy day is Friday.", "The deploy day is Monday."}),
        (b"e\n", "ended", {"The deploy day is Friday."}),
        (b"c\nWe ship daily.\n", "changed", {"The deploy day is Friday.", "We ship daily."}),
    ],
)
def test_answer_of_a_person_is_done_at_once(
    folder: Repository, typed: bytes, shown: str, left: set[str]
) -> None:
    root = folder.root
    for day in ("Friday", "Monday"):
        run("memory", "add", f"The deploy day is {day}.", cwd=root)
    assert shown in _on_terminal(root, typed, "memory", "review")
    listed = run("memory", "list", "--json", cwd=root).document["results"]
    assert {each["text"] for each in listed} == left


def _on_terminal(root: Path, typed: bytes, *arguments: str) -> str:
    """What a command shows on a terminal on which this is typed."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "codecairn", *arguments]
    with subprocess.Popen(command, cwd=root, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, typed)
        shown = b""
        # Linux reports the end of a terminal as an error.
        with contextlib.suppress(OSError):
            while part := os.read(ours, 4096):
                shown += part
        assert process.wait() == 0, shown
    os.close(ours)
    return shown.decode()
