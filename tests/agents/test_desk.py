"""Calls of tools without the protocol: the wait for the first index, errors, closing."""

import pytest

from codecairn import Workspace
from codecairn.errors import CodecairnError, UsageError
from codecairn.mcp.desk import Desk
from codecairn.mcp.tools import own_tools
from support.repository import Repository

QUESTION = {"query": "who verifies tokens"}


def test_call_before_the_first_index_says_how_far_it_is(project: Repository) -> None:
    with Workspace.open(project.root) as workspace, Desk([workspace], wait_s=0) as desk:
        early = desk.call("codebase_search", QUESTION)
        assert early.document["indexing"] == "starting"
        assert "Ask again" in early.text
        assert desk.call("index_status", {}).document["indexing"] == "starting"
        assert not desk.call("memory_search", {"query": "x"}).document["results"]


def test_call_waits_for_a_first_index_that_is_soon_made(project: Repository) -> None:
    with Workspace.open(project.root) as workspace, Desk([workspace], wait_s=60) as desk:
        desk.start()
        assert "shop/tokens.py" in desk.call("codebase_search", QUESTION).text


def test_existing_index_is_searched_at_once(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.index()
        with Desk([workspace], wait_s=60) as desk:
            desk.start()
            assert desk.call("codebase_peek", QUESTION).document["results"]


def test_closing_in_the_middle_of_the_first_index_leaves_a_sound_store(project: Repository) -> None:
    for number in range(2000):
        project.write(f"many/part{number}.py", f"def part_{number}():\n    return {number}\n")
    with Workspace.open(project.root) as workspace:
        desk = Desk([workspace], wait_s=0)
        desk.start()
        desk.close()
        assert workspace.index().files > 2000
        assert workspace.doctor() == ()


def test_unexpected_failure_is_an_answer_without_a_traceback(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        message = "out of luck"
        raise RuntimeError(message)

    with Workspace.open(project.root) as workspace:
        workspace.index()
        with Desk([workspace]) as desk:
            desk.start()
            monkeypatch.setattr(workspace, "search", fail)
            with pytest.raises(CodecairnError, match="RuntimeError: out of luck"):
                desk.call("codebase_search", QUESTION)


def test_agent_can_not_say_where_a_fact_comes_from(project: Repository) -> None:
    assert "origin" not in own_tools()["memory_add"].schema["properties"]  # type: ignore[operator]
    with Workspace.open(project.root) as workspace, Desk([workspace]) as desk:
        with pytest.raises(UsageError):
            desk.call("memory_add", {"text": "x", "origin": "user"})
        desk.call("memory_add", {"text": "Tokens live for an hour"})
        assert [fact.origin for fact in workspace.memory.list()] == ["agent"]
