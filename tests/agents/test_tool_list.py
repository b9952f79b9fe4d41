"""The list of tools as hosts get it: every session of an agent pays for it.

After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/agents/test_tool_list.py`, and read the difference.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation

from agents.conftest import PATIENCE_S
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.handshake import TEXT_ALONE
from codecairn.mcp.tool_sets import SETS
from codecairn.mcp.tool_table import tools_of
from codecairn.mcp.workspace_scope import WorkspaceScope
from codecairn.memory.excerpts import tokens
from support.command import command
from support.repository import Repository

SNAPSHOT = Path(__file__).parent / "tool_list.json"

MAX_TOKENS = 1_200
"""Of the compact set as a model sees it: names, descriptions and schemas of arguments."""


def _listed(*sets: str, has_output: bool = True) -> list[dict[str, Any]]:
    scope = WorkspaceScope()
    with ToolDispatcher(scope, chosen=sets, in_background=False, allowed=[Path()]) as dispatcher:
        return dispatcher.listed(has_output=has_output)


def _as_models_see(tool: dict[str, Any]) -> str:
    shown = {name: tool[name] for name in ("name", "description", "inputSchema")}
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def test_compact_set_is_that_of_the_snapshot_and_small() -> None:
    listed = _listed("compact")
    text = json.dumps(listed, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert text == SNAPSHOT.read_text(encoding="utf-8")
    assert sum(tokens(_as_models_see(tool)) for tool in listed) <= MAX_TOKENS


@pytest.mark.parametrize("tool", _listed(*SETS), ids=lambda tool: tool["name"])
def test_tool_has_a_title_hints_and_schemas(tool: dict[str, Any]) -> None:
    assert tool["title"]
    assert tool["title"] != tool["name"]
    assert len(tool["description"]) <= 300
    assert tool["outputSchema"]["type"] == tool["inputSchema"]["type"] == "object"
    assert tool["outputSchema"]["properties"]
    hints = {"readOnlyHint", "openWorldHint"}
    if not tool["annotations"]["readOnlyHint"]:
        hints |= {"destructiveHint", "idempotentHint"}
    assert set(tool["annotations"]) == hints


def test_what_removes_is_marked_and_what_reads_is_not() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in _listed(*SETS)}
    destructive = {name for name, each in hints.items() if each.get("destructiveHint")}
    assert {
        "memory_forget",
        "clear_graph",
        "delete_episode",
        "remove_knowledge_base",
    } <= destructive
    reading = {name for name, each in hints.items() if each["readOnlyHint"]}
    assert {"codebase_search", "ask", "memory_search", "pr_impact"} <= reading
    assert not reading & {"memory_add", "memory_admin", "index_codebase", "memory_record"}
    assert hints["pr_impact"]["openWorldHint"]


def test_examples_in_descriptions_are_calls_that_are_taken() -> None:
    tools = {tool.name: tool for tool in tools_of(("compact",))}
    shown = [tool for tool in tools.values() if "Example: " in tool.text]
    assert len(shown) >= 3
    for tool in shown:
        assert tool.values(json.loads(tool.text.partition("Example: ")[2]))


@pytest.mark.parametrize("before", [None, "prompts/list"])
@pytest.mark.parametrize("name", [*sorted(TEXT_ALONE), "another host"])
def test_host_that_shows_documents_to_its_model_is_owed_text_alone(
    name: str, before: str | None, project: Repository
) -> None:
    """Also where the SDK answers, which any request but `tools/list` brings about."""
    program, *rest = command("mcp", str(project.root))
    parameters = StdioServerParameters(command=program, args=rest, env=dict(os.environ))

    async def run() -> Any:
        async with (
            stdio_client(parameters) as (reading, writing),
            ClientSession(
                reading, writing, client_info=Implementation(name=name, version="1")
            ) as session,
        ):
            await session.initialize()
            if before is not None:
                await session.list_prompts()
            listed = await session.list_tools()
            return listed.tools, await session.call_tool("codebase_search", {"query": "tokens"})

    tools, answer = asyncio.run(asyncio.wait_for(run(), PATIENCE_S))
    has_documents = name not in TEXT_ALONE
    assert all((tool.output_schema is not None) == has_documents for tool in tools)
    assert (answer.structured_content is not None) == has_documents
    assert "shop/tokens.py" in answer.content[0].text
