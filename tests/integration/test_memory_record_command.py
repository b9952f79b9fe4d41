"""`codecairn memory record | end | events | notes`: what programs without hooks call."""

import json

from support.command import run
from support.repository import Repository


def test_session_is_recorded_looked_through_and_ended(folder: Repository) -> None:
    told = ("memory", "record", "s1", "We decided to use port 8443", "--role", "user")
    first = run(*told, "--key", "k1", cwd=folder.root)
    assert first.code == 0
    assert first.out.startswith("E1")
    assert "was known already" in run(*told, "--key", "k1", cwd=folder.root).out
    blocked = run("memory", "record", "s1", "x", "--privacy-tag", "block", cwd=folder.root)
    assert "forbids" in blocked.out
    assert run("memory", "end", "s1", cwd=folder.root).code == 0
    listed = run("memory", "events", "--session", "s1", "--json", cwd=folder.root)
    hooks = [row["hook"] for row in json.loads(listed.out)["results"]]
    assert hooks == ["session-end", ""]
    assert run("memory", "end", "nothing", cwd=folder.root).code == 2


def test_notes_are_written_read_and_deleted_by_key(folder: Repository) -> None:
    for text in ("first draft", "second draft"):
        assert run("memory", "notes", "write", "plan", text, cwd=folder.root).code == 0
    shown = run("memory", "notes", "read", "plan", cwd=folder.root).out
    assert "second draft" in shown
    assert "first draft" not in shown
    assert run("memory", "notes", "delete", "plan", cwd=folder.root).code == 0
    assert "nothing" in run("memory", "notes", cwd=folder.root).out
    missing = run("memory", "notes", "delete", "plan", cwd=folder.root)
    assert missing.code == 2
    assert "no note under `plan`" in missing.err
