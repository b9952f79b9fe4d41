"""Calls of tools without the protocol: the wait for the first index, errors, closing."""

from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import CodecairnError, UsageError
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.tool_table import own_tools
from support.repository import Repository

FOLDER = {"folder": "../documents"}

QUESTION = {"query": "who verifies tokens"}


def test_call_before_the_first_index_says_how_far_it_is(project: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=0) as dispatcher,
    ):
        early = dispatcher.call("codebase_search", QUESTION)
        assert early.document["indexing"] == "starting"
        assert "Ask again" in early.text
        assert dispatcher.call("index_status", {}).document["indexing"] == "starting"
        assert not dispatcher.call("memory_search", {"query": "x"}).document["results"]


def test_call_waits_for_a_first_index_that_is_soon_made(project: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=60) as dispatcher,
    ):
        dispatcher.start()
        assert "shop/tokens.py" in dispatcher.call("codebase_search", QUESTION).text


def test_existing_index_is_searched_at_once(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.index()
        with ToolDispatcher([workspace], wait_s=60) as dispatcher:
            dispatcher.start()
            assert dispatcher.call("codebase_peek", QUESTION).document["results"]


def test_closing_in_the_middle_of_the_first_index_leaves_a_sound_store(project: Repository) -> None:
    for number in range(2000):
        project.write(f"many/part{number}.py", f"def part_{number}():\n    return {number}\n")
    with Workspace.open(project.root) as workspace:
        dispatcher = ToolDispatcher([workspace], wait_s=0)
        dispatcher.start()
        dispatcher.close()
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
        with ToolDispatcher([workspace]) as dispatcher:
            dispatcher.start()
            monkeypatch.setattr(workspace, "search_quoted", fail)
            with pytest.raises(CodecairnError, match="RuntimeError: out of luck"):
                dispatcher.call("codebase_search", QUESTION)


def test_agent_can_not_say_where_a_fact_comes_from(project: Repository) -> None:
    assert "origin" not in own_tools()["memory_add"].schema["properties"]  # type: ignore[operator]
    with Workspace.open(project.root) as workspace, ToolDispatcher([workspace]) as dispatcher:
        with pytest.raises(UsageError):
            dispatcher.call("memory_add", {"text": "x", "origin": "user"})
        dispatcher.call("memory_add", {"text": "Tokens live for an hour"})
        assert [fact.origin for fact in workspace.memory.list()] == ["agent"]


def test_settings_say_how_long_a_call_waits_for_the_first_index(project: Repository) -> None:
    settings = {"index.first_wait_ms": 0}
    with (
        Workspace.open(project.root, settings=settings) as workspace,
        ToolDispatcher([workspace]) as dispatcher,
    ):
        assert "Ask again" in dispatcher.call("codebase_search", QUESTION).text, (
            "no process builds the index here"
        )
    settings = {"index.first_wait_ms": 3_600_000}
    with (
        Workspace.open(project.root, settings=settings) as workspace,
        ToolDispatcher([workspace]) as dispatcher,
    ):
        dispatcher.start()
        assert "shop/tokens.py" in dispatcher.call("codebase_search", QUESTION).text


@pytest.fixture
def documents(project: Repository) -> Repository:
    """A folder next to the project."""
    made = Repository(project.root.parent / "documents")
    made.write("refunds.md", "# Refunds\n\nHow refunds are paid: by transfer.\n")
    return made


def test_agent_adds_folders_only_where_that_was_allowed(
    project: Repository, documents: Repository, tmp_path: Path
) -> None:
    with Workspace.open(project.root) as workspace:
        with ToolDispatcher([workspace], chosen=("all",), in_background=False) as dispatcher:
            assert dispatcher.tool("list_knowledge_bases")
            assert dispatcher.tool("add_knowledge_base") is None
            assert dispatcher.tool("remove_knowledge_base") is None
            with pytest.raises(UsageError, match="may not read"):
                dispatcher.call("add_knowledge_base", FOLDER)
        (tmp_path / "allowed").mkdir()
        (tmp_path / "allowed" / "link").symlink_to(documents.root)
        allowed = [tmp_path / "allowed"]
        with ToolDispatcher(
            [workspace], chosen=("all",), in_background=False, allowed=allowed
        ) as dispatcher:
            for given in ("../documents", str(documents.root), "../allowed/link", "../allowed/.."):
                with pytest.raises(UsageError, match="may not read"):
                    dispatcher.call("add_knowledge_base", {"folder": given})
        assert workspace.knowledge.bases() == ()


def test_agent_adds_searches_and_removes_a_base(project: Repository, documents: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher(
            [workspace], chosen=("all",), in_background=False, allowed=[documents.root]
        ) as dispatcher,
    ):
        assert "added documents" in dispatcher.call("add_knowledge_base", FOLDER).text
        assert "documents: " in dispatcher.call("list_knowledge_bases", {}).text
        found = dispatcher.call("codebase_search", {"query": "how are refunds paid", "limit": 1})
        assert f"{documents.root.as_posix()}/refunds.md:1-3" in found.text
        assert "[documents]" in found.text
        narrowed = dispatcher.call("codebase_search", {"query": "refunds", "in": "workspace"})
        assert "[documents]" not in narrowed.text
        assert "knowledge base documents" in dispatcher.call("index_status", {}).text
        dispatcher.call("remove_knowledge_base", {"name": "documents"})
        assert "no knowledge bases" in dispatcher.call("list_knowledge_bases", {}).text


def test_base_that_the_user_added_is_searched_by_a_running_server(
    project: Repository, documents: Repository
) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], in_background=False) as dispatcher,
    ):
        dispatcher.call("codebase_search", QUESTION)
        with Workspace.open(project.root) as elsewhere:
            elsewhere.knowledge.add(str(documents.root))
        found = dispatcher.call("codebase_search", {"query": "how are refunds paid"})
        assert "[documents]" in found.text


def test_search_that_names_no_workspace_looks_into_all(
    project: Repository, folder: Repository
) -> None:
    folder.write("orchard.py", "def pick_apples():\n    return 12\n")
    with (
        Workspace.open(project.root) as first,
        Workspace.open(folder.root) as second,
        ToolDispatcher([first, second], chosen=("all",), in_background=False) as dispatcher,
    ):
        found = dispatcher.call("codebase_search", {"query": "pick apples"}).text
        assert f"{folder.root.as_posix()}/orchard.py:1-2" in found
        assert "[folder]" in found
        assert (
            "orchard.py" in dispatcher.call("implementation_lookup", {"name": "pick_apples"}).text
        )
        named = {"query": "pick apples", "workspace": str(project.root)}
        assert "orchard.py" not in dispatcher.call("codebase_search", named).text
        alike = dispatcher.call("find_similar", {"text": "def pick_apples():\n    return 12"}).text
        assert "orchard.py" in alike
        placed = dispatcher.call("find_similar", {"place": "shop/tokens.py:5"}).text
        assert "[folder]" not in placed


def test_filters_by_commits_take_the_names_that_other_tools_give_them(
    project: Repository,
) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], in_background=False) as dispatcher,
    ):
        asked = {**QUESTION, "blameAuthor": "ann", "blameSha": "HEAD", "blameSince": "1 day ago"}
        found = dispatcher.call("codebase_search", asked)
        assert "Ann Author" in found.text
        assert found.document["results"][0]["blame"]["author"] == "Ann Author"  # type: ignore[index]
        assert (
            dispatcher.call("codebase_search", {**QUESTION, "blameAuthor": "bob"}).document[
                "results"
            ]
            == []
        )


def test_page_of_the_graph_is_made_in_the_store(project: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=60) as dispatcher,
    ):
        dispatcher.start()
        made = dispatcher.call("index_visualize", {"max_nodes": 50})
        file = workspace.store / "graph.html"
    assert made.document["file"] == str(file)
    assert "<html" in file.read_text(encoding="utf-8")
