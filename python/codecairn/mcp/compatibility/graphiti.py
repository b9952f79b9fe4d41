"""The tools of Graphiti's MCP server, without a graph database and without a model.

Episodes are events, edges are facts, nodes are the names that facts are about. An episode without an extracted fact is found by
its own words. Only records that came in by these tools are removed, never those of hooks or users.
"""

from collections.abc import Callable

from codecairn.core.types.memory import Event, Fact
from codecairn.errors import UsageError
from codecairn.mcp.compatibility.graphiti_shapes import (
    LOOKED_AT,
    edge_name,
    edge_of,
    episode_of,
    find,
    groups_of,
    in_utc,
    node_of,
)
from codecairn.mcp.compatibility.graphiti_writing import (
    add_memory,
    add_triplet,
    clear_graph,
    delete_edge,
    delete_episode,
    summarize_saga,
)
from codecairn.mcp.compatibility.shared_format import (
    DEEP,
    LABEL,
    Document,
    is_labelled,
    json_tool,
    number_of,
    record_of,
    text_of,
    texts_of,
)
from codecairn.mcp.tool import Tool, Values, parameter
from codecairn.memory.extract.event_window import is_own
from codecairn.memory.timestamps import moment_ms
from codecairn.operations.operation import Parameter
from codecairn.workspace.workspace import Workspace

_NO_GRAPH = "Taken, without effect: there is no graph of entities."


def _search_facts(workspace: Workspace, values: Values) -> Document:
    most, groups = number_of(values, "max_facts", 10), groups_of(values)
    bounds = {
        name: moment_ms(in_utc(text_of(values, name)), now_ms=0)
        for name in ("valid_at_after", "valid_at_before", "invalid_at_after", "invalid_at_before")
        if text_of(values, name)
    }
    types = {edge_name(each) for each in texts_of(values, "edge_types")}
    found = workspace.memory.recall(
        text_of(values, "query"),
        limit=most * DEEP,
        with_history=any(name.startswith("invalid") for name in bounds),
    )
    edges, told = [], set[int]()
    for each in found:
        record = record_of(each)
        is_told = isinstance(record, Event) and (record.seq in told or not record.meta.get(LABEL))
        edge = edge_of(workspace.memory, record)
        if (
            is_told
            or not is_labelled(workspace.memory, record, groups)
            or (types and edge["name"] not in types)
        ):
            continue
        if _is_within(record, bounds):
            edges.append(edge)
            told.update(record.sources if isinstance(record, Fact) else ())
    facts = edges[:most]
    message = "Facts retrieved successfully" if facts else "No relevant facts found"
    return {"message": message, "facts": facts}


def _is_within(record: Fact | Event, bounds: dict[str, int]) -> bool:
    valid = record.valid_from_ms if isinstance(record, Fact) else record.ts_ms
    invalid = record.invalid_at_ms if isinstance(record, Fact) else None
    for name, bound in bounds.items():
        moment = invalid if name.startswith("invalid") else valid
        if moment is None or (moment < bound if name.endswith("after") else moment > bound):
            return False
    return True


def _search_nodes(workspace: Workspace, values: Values) -> Document:
    most, groups = number_of(values, "max_nodes", 10), groups_of(values)
    labels = {each.lower() for each in texts_of(values, "entity_types")} - {"entity"}
    found = workspace.memory.recall(text_of(values, "query"), limit=most * DEEP, kinds=("fact",))
    nodes: dict[str, Document] = {}
    for each in found:
        fact = record_of(each)
        if (
            isinstance(fact, Fact)
            and is_labelled(workspace.memory, fact, groups)
            and (not labels or fact.type in labels)
        ):
            node = node_of(workspace.memory, fact)
            nodes.setdefault(node["uuid"], node)
    shown = list(nodes.values())[:most]
    message = "Nodes retrieved successfully" if shown else "No relevant nodes found"
    return {"message": message, "nodes": shown}


def _get_episodes(workspace: Workspace, values: Values) -> Document:
    most = number_of(values, "max_episodes", number_of(values, "last_n", 10))
    groups = groups_of(values)
    events = workspace.memory.events(limit=LOOKED_AT if groups else most * DEEP)
    told = (
        event
        for event in events
        if not is_own(event) and is_labelled(workspace.memory, event, groups)
    )
    episodes = [episode_of(workspace.memory, event) for event in told][:most]
    message = "Episodes retrieved successfully" if episodes else "No episodes found"
    return {"message": message, "episodes": episodes}


def _get_edge(workspace: Workspace, values: Values) -> Document:
    return edge_of(workspace.memory, find(workspace.memory, text_of(values, "uuid")))


def _episode_entities(workspace: Workspace, values: Values) -> Document:
    uuids_given = texts_of(values, "episode_uuids")
    if not uuids_given:
        raise UsageError("episode_uuids must contain at least one UUID")
    records = [find(workspace.memory, uuid) for uuid in uuids_given]
    numbers = {record.seq for record in records if isinstance(record, Event)}
    facts = [
        fact
        for fact in workspace.memory.list(limit=LOOKED_AT)
        if numbers.intersection(fact.sources)
    ]
    return {
        "message": f"Retrieved provenance for {len(uuids_given)} episode(s)",
        "nodes": [node_of(workspace.memory, fact) for fact in facts],
        "edges": [edge_of(workspace.memory, fact) for fact in facts],
    }


def _get_status(workspace: Workspace, _values: Values) -> Document:
    status = workspace.memory.status()
    counts = f"{status.facts:,} facts, {status.events:,} episodes"
    return {"status": "ok", "message": f"codecairn serves these tools from {status.path}: {counts}"}


def _tool(
    name: str,
    text: str,
    make: Callable[[Workspace, Values], Document],
    *parameters: Parameter,
    is_read_only: bool = True,
    is_destructive: bool = False,
) -> Tool:
    return json_tool(
        name,
        text,
        make,
        parameters,
        failed=lambda message: {"error": message},
        is_read_only=is_read_only,
        is_destructive=is_destructive,
    )


_NAME = parameter("name", "Of the episode.", is_required=True)
_QUERY = parameter("query", "What to look for.", is_required=True)
_UUID = parameter("uuid", "Which one.", is_required=True)
_GROUP = parameter("group_id", "The group; the project if not given.")
_GROUPS = parameter("group_ids", "Only these groups; all if not given.", is_list=True)
_CENTER = parameter("center_node_uuid", _NO_GRAPH)
_MOMENT = "Only facts of this time, in ISO 8601."


def _most(name: str) -> Parameter:
    return parameter(name, "How many at most; 10 if not given.", value_type=int, minimum=1)


TOOLS = (
    _tool(
        "add_memory",
        "Keep an episode: something said, done or decided.",
        add_memory,
        _NAME,
        parameter("episode_body", "Its text.", is_required=True),
        _GROUP,
        parameter("source", "What the text is.", choices=("text", "json", "message")),
        parameter("source_description", "Its origin."),
        parameter("uuid", "What to call it; given twice, it is kept once."),
        parameter("reference_time", "When it happened, in ISO 8601; now if not given."),
        parameter("saga", "A row of episodes that it belongs to."),
        parameter("excluded_entity_types", _NO_GRAPH, is_list=True),
        parameter("custom_extraction_instructions", _NO_GRAPH),
        parameter("previous_episode_uuids", _NO_GRAPH, is_list=True),
        parameter("update_communities", _NO_GRAPH, value_type=bool),
        parameter("saga_previous_episode_uuid", _NO_GRAPH),
        is_read_only=False,
    ),
    _tool(
        "search_nodes",
        "Find what facts are about.",
        _search_nodes,
        _QUERY,
        _GROUPS,
        _most("max_nodes"),
        parameter("entity_types", "Only these types of facts.", is_list=True),
        _CENTER,
    ),
    _tool(
        "search_memory_facts",
        "Find facts and episodes that answer a question.",
        _search_facts,
        _QUERY,
        _GROUPS,
        _most("max_facts"),
        _CENTER,
        parameter("edge_types", "Only facts of these names.", is_list=True),
        *(
            parameter(name, _MOMENT)
            for name in (
                "valid_at_after",
                "valid_at_before",
                "invalid_at_after",
                "invalid_at_before",
            )
        ),
    ),
    _tool(
        "get_episodes",
        "The newest episodes.",
        _get_episodes,
        _GROUPS,
        _most("max_episodes"),
        parameter("group_id", "As `group_ids`."),
        parameter("last_n", "As `max_episodes`.", value_type=int, minimum=1),
    ),
    _tool("get_entity_edge", "One fact.", _get_edge, _UUID),
    _tool(
        "delete_entity_edge",
        "Hide a fact.",
        delete_edge,
        _UUID,
        is_read_only=False,
        is_destructive=True,
    ),
    _tool(
        "delete_episode",
        "Remove an episode and the facts that rest on nothing else.",
        delete_episode,
        _UUID,
        is_read_only=False,
        is_destructive=True,
    ),
    _tool(
        "get_episode_entities",
        "What episodes gave.",
        _episode_entities,
        parameter("episode_uuids", "Which episodes.", is_list=True, is_required=True),
    ),
    _tool(
        "add_triplet",
        "Keep a fact between two things.",
        add_triplet,
        parameter("source_node_name", "The one.", is_required=True),
        parameter("edge_name", "What it has to do with the other.", is_required=True),
        parameter("fact", "The same as a sentence.", is_required=True),
        parameter("target_node_name", "The other.", is_required=True),
        _GROUP,
        parameter("source_node_uuid", _NO_GRAPH),
        parameter("target_node_uuid", _NO_GRAPH),
        is_read_only=False,
    ),
    _tool(
        "summarize_saga",
        "Summarise a row of episodes.",
        summarize_saga,
        parameter("saga_name", "Its name.", is_required=True),
        _GROUP,
        is_read_only=False,
    ),
    _tool(
        "clear_graph",
        "Remove for good what was added under some groups by these tools.",
        clear_graph,
        _GROUPS,
        is_read_only=False,
        is_destructive=True,
    ),
    _tool("get_status", "Whether these tools work.", _get_status),
)
