"""Clients that know only the tools of another memory: the same names, parameters and JSON, served from ours."""

import json
import re
from typing import Any

import pytest
from mcp import ClientSession

from agents.conftest import Talker
from codecairn import Workspace
from codecairn.mcp.dispatcher import ToolDispatcher
from support.json_client import JsonClient, Parameters, check_parameters
from support.repository import Repository

CODEX_MEM: Parameters = {
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

FOUND = {
    "id", "item_type", "project", "session_id", "kind", "title", "created_at", "score", "lexical", "semantic",
    "token_estimate",
}  # fmt: skip


def test_client_of_codexfi_finds_its_tool_with_six_modes(talk: Talker, project: Repository) -> None:
    async def say(session: ClientSession) -> None:
        client = JsonClient(session)
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
        client = JsonClient(session)
        tools = (await session.list_tools()).tools
        check_parameters(tools, CODEX_MEM)
        ranges = {tool.name: tool.input_schema["properties"] for tool in tools}
        assert ranges["mem_search"]["limit"] | {"description": ""} == {
            "type": "integer", "minimum": 1, "maximum": 200, "description": "",
        }  # fmt: skip
        assert ranges["mem_post_tool_use"]["compact_chars"]["maximum"] == 20_000

        whose = {"session_id": "s1", "project": "shop"}
        begun = await client.call("mem_session_start", **whose, title="Tokens")
        assert begun == {"session_id": "s1", "event_kind": "session_start", "id": "E1"}
        said = f"We decided to sign tokens with HMAC because of the licence. The key is {secret}"
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
        other = await client.call("mem_search", query="what signs tokens", project="other")
        assert other["results"] == [], "neither what was labelled nor what was drawn from it"

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


def test_sets_are_joined_by_commas_and_by_the_setting(
    talk: Talker, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def say(session: ClientSession) -> list[str]:
        return [tool.name for tool in (await session.list_tools()).tools]

    joined = talk(say, str(project.root), "--tools", "compact,codexfi")
    assert joined[-1] == "memory"
    assert len(joined) == 9
    monkeypatch.setenv("CODECAIRN_MCP_TOOLS", "graphiti")
    assert talk(say, str(project.root))[0] == "add_memory"


def test_changed_settings_hold_in_the_server_that_runs(talk: Talker, project: Repository) -> None:
    """On the beta channel an endless session keeps 2,000 bytes of an output instead of 4,000."""
    output = "".join(f"line {number} of the output\n" for number in range(1_000))

    async def say(session: ClientSession) -> None:
        client = JsonClient(session)

        async def kept() -> int:
            used = await client.call(
                "mem_post_tool_use", session_id="s1", tool_name="Bash", content=output
            )
            found = await client.call("mem_get_observations", ids=[used["id"]])
            return len(found["items"][0]["content"])

        assert 2_500 < await kept() <= 4_500
        await client.call("mem_config_set", channel="beta", beta_endless_mode=True)
        assert await kept() <= 2_500
        shown = await client.call("mem_config_get")
        assert (shown["channel"], shown["beta_endless_mode"]) == ("beta", True)
        await client.call("mem_config_set", beta_endless_mode=False)
        assert await kept() > 2_500

    talk(say, str(project.root), "--tools", "codex-mem")


def test_setting_that_the_environment_decides_is_shown_as_it_holds(
    talk: Talker, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_MEMORY_CHANNEL", "stable")

    async def say(session: ClientSession) -> Any:
        return await JsonClient(session).call("mem_config_set", channel="beta")

    assert talk(say, str(project.root), "--tools", "codex-mem")["channel"] == "stable"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mem_search", {"query": "who feeds the birds"}),
        ("mem_nl_search", {"query": "who feeds the birds"}),
        ("mem_timeline", {"id": "E1"}),
        ("mem_get_observations", {"ids": ["E1", "E2"]}),
        ("mem_export_session", {"session_id": "s1"}),
        ("memory_search", {"query": "who feeds the birds"}),
        ("memory_list", {}),
        ("memory_timeline", {"id": "E1"}),
    ],
)
def test_private_records_are_given_on_request_alone(
    project: Repository, tool: str, arguments: dict[str, object]
) -> None:
    flag = "include_private" if tool.startswith("mem_") else "private"
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], chosen=["all", "codex-mem"], in_background=False) as dispatcher,
    ):
        for bird, tags in (("heron", ()), ("stork", ("private",))):
            text = f"We decided that Ann feeds the {bird} among the birds."
            workspace.memory.record("s1", text, role="assistant", privacy_tags=tags)
            workspace.memory.add(f"Ann feeds the {bird}", type="rule", privacy_tags=tags)
        exported = dispatcher.call("memory_session", {"action": "export", "id": "s1"}).text
        assert "heron" in exported
        assert "stork" not in exported
        usual = dispatcher.call(tool, arguments)
        told = usual.text + str(usual.document)
        assert "heron" in told
        assert "stork" not in told
        asked = dispatcher.call(tool, arguments | {flag: True})
        told = asked.text + str(asked.document)
        assert "heron" in told
        assert "stork" in told
