"""A client that knows only Graphiti's tools: the same names, parameters and JSON, served from our memory."""

from mcp import ClientSession

from agents.conftest import Talker
from codecairn import Workspace
from support.json_client import JsonClient, Parameters, check_parameters
from support.repository import Repository

GRAPHITI: Parameters = {
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


def test_client_of_graphiti_finds_its_tools(talk: Talker, project: Repository) -> None:
    group = "opencode-shop__main"

    async def say(session: ClientSession) -> None:
        client = JsonClient(session)
        check_parameters((await session.list_tools()).tools, GRAPHITI)
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
                "add_memory", name="note", episode_body="Are orders shipped on Fridays?", uuid=own, group_id="other",
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
        drawn = await client.call(
            "search_memory_facts", query="what signs tokens", group_ids=["other"]
        )
        assert not any("HMAC" in each["fact"] for each in drawn["facts"])
        assert {each["group_id"] for each in facts["facts"]} == {group}
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
        client = JsonClient(session)
        (episode,) = (await client.call("get_episodes", group_ids=["any"]))["episodes"]
        assert episode["content"] == "Refunds take three days."
        assert "purge" in (await client.fail("delete_episode", uuid=episode["uuid"]))["error"]
        await client.call("clear_graph", group_ids=[episode["group_id"]])
        assert len((await client.call("get_episodes"))["episodes"]) == 1
        found = await client.call("search_memory_facts", query="how are invoices numbered")
        assert found["facts"][0]["fact"] == "Invoices are numbered by year"

    talk(say, str(project.root), "--tools", "graphiti")
