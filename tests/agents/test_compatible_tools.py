"""Clients that know only the tools of another memory: the same names, parameters and JSON, served from ours."""

import json
import re
from typing import Any

import pytest
from mcp import ClientSession

from agents.conftest import Talker
from codecairn import Workspace
from support.repository import Repository

CODEX_MEM: dict[str, tuple[set[str], set[str]]] = {
    "mem_search": ({"query"}, {"project", "session_id", "since", "until", "include_private", "limit", "alpha"}),
    "mem_nl_search": ({"query"}, {"project", "session_id", "since", "until", "include_private", "limit", "alpha", "snippet_chars"}),
    "mem_timeline": ({"id"}, {"before", "after", "include_private", "snippet_chars"}),
    "mem_get_observations": ({"ids"}, {"compact", "include_private", "snippet_chars"}),
    "mem_ask": ({"question"}, {"project", "session_id", "search_limit", "detail_limit", "code_top_k", "code_module_limit", "repo_index_dir", "alpha", "include_private", "snippet_chars", "prompt_style", "mapping_fallback", "mapping_debug", "prompt_only"}),
    "mem_config_get": (set(), set()),
    "mem_config_set": (set(), {"channel", "viewer_refresh_sec", "beta_endless_mode"}),
    "mem_session_start": ({"session_id"}, {"project", "title", "content"}),
    "mem_user_prompt_submit": ({"session_id", "prompt"}, {"project", "title"}),
    "mem_post_tool_use": ({"session_id", "tool_name", "content"}, {"project", "title", "file_path", "exit_code", "tags", "privacy_tags", "compact", "compact_chars"}),
    "mem_stop": ({"session_id"}, {"project", "title", "content"}),
    "mem_session_end": ({"session_id"}, {"project", "skip_summary"}),
    "mem_summarize_session": ({"session_id"}, set()),
    "mem_export_session": ({"session_id"}, {"include_private", "anonymize", "max_events", "max_observations", "output_path", "indent"}),
}  # fmt: skip
"""Each tool's parameters: those it needs, and those it takes."""

GRAPHITI: dict[str, tuple[set[str], set[str]]] = {
    "add_memory": ({"name", "episode_body"}, {"group_id", "source", "source_description", "uuid", "reference_time", "excluded_entity_types", "custom_extraction_instructions", "previous_episode_uuids", "update_communities", "saga", "saga_previous_episode_uuid"}),
    "search_nodes": ({"query"}, {"group_ids", "max_nodes", "entity_types", "center_node_uuid"}),
    "search_memory_facts": ({"query"}, {"group_ids", "max_facts", "center_node_uuid", "edge_types", "valid_at_after", "valid_at_before", "invalid_at_after", "invalid_at_before"}),
    "get_episodes": (set(), {"group_ids", "max_episodes"}),
    "get_entity_edge": ({"uuid"}, set()),
    "delete_entity_edge": ({"uuid"}, set()),
    "delete_episode": ({"uuid"}, set()),
    "get_episode_entities": ({"episode_uuids"}, set()),
    "add_triplet": ({"source_node_name", "edge_name", "fact", "target_node_name"}, {"group_id", "source_node_uuid", "target_node_uuid"}),
    "summarize_saga": ({"saga_name"}, {"group_id"}),
    "clear_graph": (set(), {"group_ids"}),
    "get_status": (set(), set()),
}  # fmt: skip

EPISODE = {"uuid", "name", "content", "created_at", "source", "source_description", "group_id"}
EDGE = {
    "uuid", "group_id", "source_node_uuid", "target_node_uuid", "created_at", "name", "fact", "episodes", "expired_at",
    "valid_at", "invalid_at", "attributes",
}  # fmt: skip
NODE = {"uuid", "name", "labels", "created_at", "summary", "group_id", "attributes"}
FOUND = {
    "id", "item_type", "project", "session_id", "kind", "title", "created_at", "score", "lexical", "semantic",
    "token_estimate",
}  # fmt: skip


class Client:
    """Calls tools and reads their text as JSON, as the old clients do."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def call(self, tool: str, **arguments: object) -> Any:
        """The document of an answer."""
        answer = await self._session.call_tool(tool, arguments)
        assert not answer.is_error, answer.content[0].text  # type: ignore[union-attr]
        return self._document(answer)

    async def fail(self, tool: str, **arguments: object) -> Any:
        """The document of an answer that says what is wrong, of which the protocol is told as well."""
        answer = await self._session.call_tool(tool, arguments)
        assert answer.is_error
        return self._document(answer)

    def _document(self, answer: Any) -> Any:
        document = json.loads(answer.content[0].text)
        assert answer.structured_content == document
        return document


def _check_parameters(tools: Any, expected: dict[str, tuple[set[str], set[str]]]) -> None:
    assert [tool.name for tool in tools] == [*expected]
    for tool in tools:
        needed, taken = expected[tool.name]
        assert set(tool.input_schema.get("required", ())) == needed, tool.name
        assert needed | taken <= set(tool.input_schema["properties"]), tool.name


def test_client_of_codexfi_finds_its_tool_with_six_modes(talk: Talker, project: Repository) -> None:
    async def say(session: ClientSession) -> None:
        client = Client(session)
        (tool,) = (await session.list_tools()).tools
        assert tool.name == "memory"
        assert set(tool.input_schema["properties"]) == {
            "mode", "content", "query", "type", "scope", "memoryId", "limit",
        }  # fmt: skip
        assert len(tool.input_schema["properties"]["type"]["enum"]) == 13

        told = await client.call("memory")
        assert set(told) == {"success", "message", "commands", "scopes", "types"}
        assert set(told["commands"][0]) == {"command", "description", "args"}
        assert set(told["scopes"]) == {"user", "project"}
        assert len(told["types"]) == 13

        words = "The shop's tokens are signed with HMAC and live for an hour, exactly."
        added = await client.call("memory", mode="add", content=words, type="architecture")
        assert added == {
            "success": True, "message": "Memory added to project scope", "id": added["id"], "scope": "project",
            "type": "architecture",
        }  # fmt: skip
        mine = await client.call(
            "memory", mode="add", content="Prefers short answers", type="preference", scope="user"
        )
        assert mine["message"] == "Memory added to user scope"

        found = await client.call("memory", mode="search", query="how long do tokens live")
        assert set(found) == {"success", "query", "count", "results"}
        assert found["results"][0] == {
            "id": added["id"], "content": words, "similarity": found["results"][0]["similarity"], "scope": "project",
        }  # fmt: skip
        assert 0 <= found["results"][0]["similarity"] <= 100
        narrowed = await client.call("memory", mode="search", query="tokens", scope="project")
        assert narrowed["scope"] == "project"
        assert set(narrowed["results"][0]) == {"id", "content", "similarity"}

        profile = await client.call("memory", mode="profile")
        assert [row["content"] for row in profile["profile"]["memories"]] == [
            "Prefers short answers"
        ]
        listed = await client.call("memory", mode="list")
        assert {key: listed[key] for key in ("success", "scope", "count")} == {
            "success": True, "scope": "project", "count": 1,
        }  # fmt: skip
        assert set(listed["memories"][0]) == {"id", "content", "createdAt", "metadata"}
        assert listed["memories"][0]["metadata"]["type"] == "architecture"

        gone = await client.call("memory", mode="forget", memoryId=added["id"])
        assert gone == {"success": True, "message": f"Memory {added['id']} deleted"}
        assert (await client.call("memory", mode="list"))["count"] == 0

        for arguments, error in (
            ({"mode": "add"}, "content is required for add mode"),
            (
                {"mode": "add", "content": "<private>all of it</private>"},
                "Cannot store fully private content",
            ),
            ({"mode": "search"}, "query is required for search mode"),
            ({"mode": "forget"}, "memoryId is required for forget mode"),
            ({"mode": "forget", "memoryId": "f0000000000"}, "f0000000000"),
            ({"mode": "dance"}, "dance"),
        ):
            failed = await client.fail("memory", **arguments)
            assert failed["success"] is False
            assert error in failed["error"]

    talk(say, str(project.root), "--tools", "codexfi")


def test_client_of_codex_mem_finds_its_fourteen_tools(talk: Talker, project: Repository) -> None:
    secret = "ghp_" + "a1B2" * 9

    async def say(session: ClientSession) -> None:
        client = Client(session)
        tools = (await session.list_tools()).tools
        _check_parameters(tools, CODEX_MEM)
        ranges = {tool.name: tool.input_schema["properties"] for tool in tools}
        assert ranges["mem_search"]["limit"] | {"description": ""} == {
            "type": "integer", "minimum": 1, "maximum": 200, "description": "",
        }  # fmt: skip
        assert ranges["mem_post_tool_use"]["compact_chars"]["maximum"] == 20_000

        whose = {"session_id": "s1", "project": "shop"}
        begun = await client.call("mem_session_start", **whose, title="Tokens")
        assert begun == {"session_id": "s1", "event_kind": "session_start", "id": "E1"}
        said = f"We decided to sign tokens with HMAC. The key is {secret}"
        await client.call("mem_user_prompt_submit", **whose, prompt=said)
        used = await client.call(
            "mem_post_tool_use", **whose, tool_name="Bash", content="x = 1\n" * 2_000 + "1 failed", exit_code=1,
            file_path="shop/tokens.py", tags=["tests"], compact=True, compact_chars=600,
        )  # fmt: skip
        skipped = await client.call(
            "mem_post_tool_use", **whose, tool_name="Bash", content="x", privacy_tags=["no_mem"]
        )
        assert skipped["skipped"] is True
        hidden = await client.call(
            "mem_post_tool_use",
            **whose,
            tool_name="Bash",
            content="the salary of Ann",
            privacy_tags=["private"],
        )
        await client.call("mem_stop", **whose, content="Fixed the signature of tokens.")

        found = await client.call(
            "mem_search", query="what signs tokens", project="shop", alpha=0.7
        )
        assert set(found) == {
            "query", "stage", "filters", "auto_seeded", "db_counts", "results", "token_estimate_total",
        }  # fmt: skip
        assert {frozenset(row) for row in found["results"]} == {frozenset(FOUND)}
        assert {row["item_type"] for row in found["results"]} == {"event", "observation"}
        assert all(re.fullmatch(r"[EO]\d+", row["id"]) for row in found["results"])
        assert found["token_estimate_total"] == sum(
            row["token_estimate"] for row in found["results"]
        )
        scores = [row["score"] for row in found["results"]]
        assert scores == sorted(scores, reverse=True)
        assert not (await client.call("mem_search", query="what signs tokens", project="other"))[
            "results"
        ] or all(
            row["item_type"] == "observation"
            for row in (
                await client.call("mem_search", query="what signs tokens", project="other")
            )["results"]
        )

        asked = await client.call(
            "mem_nl_search", query="latest decision on tokens today", snippet_chars=40
        )
        assert asked["parsed"]["intent"] == "daily_qa", "`latest` is no test"
        assert all(len(row["snippet"]) <= 40 for row in asked["results"])

        around = await client.call("mem_timeline", id=used["id"], project="shop", before=1, after=1)
        assert set(around) == {"anchor", "before", "after"}
        assert around["anchor"]["id"] == used["id"]
        assert [row["id"] for row in around["before"]] == ["E2"], (
            "events of one second stay in order"
        )

        ids = [found["results"][0]["id"], used["id"], hidden["id"], "E999", "O999"]
        got = await client.call("mem_get_observations", ids=ids, project="shop")
        assert set(got) == {"count", "skipped_ids", "items"}
        assert got["count"] == 2
        assert got["skipped_ids"] == [hidden["id"], "E999", "O999"]
        compacted = got["items"][1]["content"]
        assert len(compacted) < 1_000
        assert "1 failed" in compacted, "the end of an output is always kept"
        shown = await client.call("mem_get_observations", ids=[hidden["id"]], include_private=True)
        assert shown["count"] == 1

        fused = await client.call("mem_ask", question="how are tokens verified")
        assert {
            "layer1_search", "layer3_observations", "repo_context", "token_estimate", "mapping_decision",
            "coverage_gate", "prompt_plan", "prompt_metrics", "suggested_prompt", "forced_next_input",
        } <= set(fused)  # fmt: skip
        assert "shop/tokens.py" in fused["suggested_prompt"]

        assert await client.call("mem_config_get") == {
            "channel": "stable", "viewer_refresh_sec": 3, "beta_endless_mode": False,
        }  # fmt: skip
        changed = await client.call("mem_config_set", channel="beta", beta_endless_mode=True)
        assert (changed["channel"], changed["beta_endless_mode"]) == ("beta", True)

        ended = await client.call("mem_session_end", **whose)
        assert ended["status"] == "ended"
        assert "tokens" in ended["summary"]["body"]
        await client.call("mem_summarize_session", session_id="s1")
        told = await client.call("mem_export_session", session_id="s1")
        assert told["schema"] == "codex-mem-session-export-v1"
        assert len(told["events"]) == 5, "neither what is private nor what was blocked"
        assert secret not in json.dumps(told)
        written = await client.call(
            "mem_export_session", session_id="s1", output_path="session.json", indent=0
        )
        assert written["events"] == 5

        assert (
            "session `nothing`"
            in (await client.fail("mem_summarize_session", session_id="nothing"))["error"]
        )
        assert "200 or less" in (await client.fail("mem_search", query="x", limit=201))["error"]
        outside = await client.fail(
            "mem_export_session", session_id="s1", output_path="../out.json"
        )
        assert "outside" in outside["error"]

    talk(say, str(project.root), "--tools", "codex-mem")
    assert json.loads((project.root / "session.json").read_text())["session_id"] == "s1"
    with Workspace.open(project.root) as workspace:
        assert {event.origin for event in workspace.memory.events()} == {"agent", "tool"}
        assert secret.encode() not in workspace.memory.path.read_bytes()


def test_client_of_graphiti_finds_its_tools(talk: Talker, project: Repository) -> None:
    group = "opencode-shop__main"

    async def say(session: ClientSession) -> None:
        client = Client(session)
        _check_parameters((await session.list_tools()).tools, GRAPHITI)
        assert (await client.call("get_status"))["status"] == "ok"

        decided = "We decided to sign tokens with HMAC because RSA was too slow."
        kept = await client.call(
            "add_memory", name="decision:1", episode_body=decided, group_id=group, source="text",
            source_description="session-event:decision", reference_time="2026-03-01T10:00:00Z",
        )  # fmt: skip
        assert set(kept) == {"message"}
        own = "11111111-2222-4333-8444-555555555555"
        for _ in range(2):
            await client.call(
                "add_memory", name="note", episode_body="Orders are shipped on Fridays.", uuid=own, group_id="other",
                saga="shipping",
            )  # fmt: skip

        for arguments in (
            {"group_id": group, "last_n": 5},
            {"group_ids": [group], "max_episodes": 5},
        ):
            episodes = await client.call("get_episodes", **arguments)
            assert set(episodes) == {"message", "episodes"}
            (episode,) = episodes["episodes"]
            assert set(episode) == EPISODE
            assert (episode["name"], episode["content"]) == ("decision:1", decided)
            assert episode["created_at"].startswith("2026-03-01T10:00:00")
        assert len((await client.call("get_episodes"))["episodes"]) == 2, "one uuid, one episode"

        facts = await client.call(
            "search_memory_facts", query="what signs tokens", group_ids=[group], max_facts=3
        )
        assert set(facts) == {"message", "facts"}
        assert {frozenset(edge) for edge in facts["facts"]} == {frozenset(EDGE)}
        edge = facts["facts"][0]
        assert "HMAC" in edge["fact"]
        assert edge["episodes"] == [episode["uuid"]]
        assert await client.call("get_entity_edge", uuid=edge["uuid"]) == edge
        shipped = await client.call("search_memory_facts", query="when are orders shipped")
        assert any("Fridays" in each["fact"] for each in shipped["facts"]), (
            "what gave no fact is found by its words"
        )
        elsewhere = await client.call(
            "search_memory_facts", query="when are orders shipped", group_ids=[group]
        )
        assert not any("Fridays" in each["fact"] for each in elsewhere["facts"])
        late = await client.call(
            "search_memory_facts", query="what signs tokens", valid_at_after="2030-01-01"
        )
        assert late == {"message": "No relevant facts found", "facts": []}

        made = await client.call(
            "add_triplet", source_node_name="Cart", edge_name="USES", fact="The cart uses the order service.",
            target_node_name="Order service", group_id=group,
        )  # fmt: skip
        assert set(made) == {"message", "nodes", "edges"}
        assert [node["name"] for node in made["nodes"]] == ["Cart", "Order service"]
        nodes = await client.call("search_nodes", query="cart and order service", group_ids=[group])
        assert {frozenset(node) for node in nodes["nodes"]} == {frozenset(NODE)}
        assert nodes["nodes"][0]["summary"] == "The cart uses the order service."

        gave = await client.call("get_episode_entities", episode_uuids=[episode["uuid"]])
        assert [each["fact"] for each in gave["edges"]] == [edge["fact"]]
        saga = await client.call("summarize_saga", saga_name="shipping", group_id="other")
        assert set(saga) == {"message", "uuid", "name", "summary"}

        await client.call("delete_entity_edge", uuid=made["edges"][0]["uuid"])
        assert not (await client.call("search_nodes", query="cart and order service"))["nodes"]
        await client.call("delete_episode", uuid=own)
        assert len((await client.call("get_episodes"))["episodes"]) == 1
        await client.call("clear_graph", group_ids=[group])
        assert await client.call("get_episodes") == {"message": "No episodes found", "episodes": []}
        assert not (await client.call("search_memory_facts", query="what signs tokens"))["facts"]

        for tool, arguments, error in (
            ("get_entity_edge", {"uuid": "nobody"}, "not found"),
            ("clear_graph", {}, "No group IDs specified for clearing"),
            ("add_memory", {"name": "x"}, "episode_body"),
            (
                "add_memory",
                {"name": "x", "episode_body": "y", "reference_time": "soon"},
                "no moment",
            ),
            ("get_episode_entities", {"episode_uuids": []}, "at least one"),
        ):
            failed = await client.fail(tool, **arguments)
            assert set(failed) == {"error"}
            assert error in failed["error"]

    talk(say, str(project.root), "--tools", "graphiti")


def test_what_hooks_recorded_is_found_and_not_removed(talk: Talker, project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.memory.record("hooked", "Refunds take three days.", role="user")
        workspace.memory.add("Invoices are numbered by year")

    async def say(session: ClientSession) -> None:
        client = Client(session)
        (episode,) = (await client.call("get_episodes", group_ids=["any"]))["episodes"]
        assert episode["content"] == "Refunds take three days."
        assert "purge" in (await client.fail("delete_episode", uuid=episode["uuid"]))["error"]
        await client.call("clear_graph", group_ids=[episode["group_id"]])
        assert len((await client.call("get_episodes"))["episodes"]) == 1
        found = await client.call("search_memory_facts", query="how are invoices numbered")
        assert found["facts"][0]["fact"] == "Invoices are numbered by year"

    talk(say, str(project.root), "--tools", "graphiti")


def test_sets_are_joined_by_commas_and_by_the_setting(
    talk: Talker, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def say(session: ClientSession) -> list[str]:
        return [tool.name for tool in (await session.list_tools()).tools]

    joined = talk(say, str(project.root), "--tools", "compact,codexfi")
    assert joined[-1] == "memory"
    assert len(joined) == 9
    monkeypatch.setenv("CODECAIRN_MCP_TOOLS", "graphiti")
    assert talk(say, str(project.root)) == [*GRAPHITI]
