"""The tools of Graphiti that add and remove."""

from collections.abc import Sequence

from codecairn.core.types.memory import Event, Fact
from codecairn.errors import UsageError
from codecairn.mcp.compatibility.graphiti_shapes import (
    LOOKED_AT,
    MAKER,
    edge_of,
    find,
    group_of,
    groups_of,
    in_utc,
    node_of,
    node_uuid,
    session_of,
)
from codecairn.mcp.compatibility.shared_format import LABEL, Document, labels_meta, text_of
from codecairn.mcp.tool import Values
from codecairn.memory.memory import Memory
from codecairn.memory.timestamps import moment_ms
from codecairn.workspace.workspace import Workspace


def add_memory(workspace: Workspace, values: Values) -> Document:
    """Keep an episode as an event, with the label of its group."""
    name, body, group = text_of(values, "name"), text_of(values, "episode_body"), group_of(values)
    moment = text_of(values, "reference_time")
    source = text_of(values, "source") or "text"
    own = text_of(values, "uuid")
    label = group or workspace.memory.status().project or "main"
    recorded = workspace.memory.record(
        session_of(label, text_of(values, "saga")),
        body,
        role="system" if source == "json" else "user",
        origin="agent",
        hook="add_memory",
        title=name,
        host=MAKER,
        key=f"{MAKER}:{label}:{own}" if own else None,
        ts_ms=moment_ms(in_utc(moment), now_ms=0) if moment else None,
        meta=labels_meta(
            label,
            uuid=own,
            name=name,
            source=source,
            source_description=text_of(values, "source_description"),
        ),
    )
    if not recorded.is_kept:
        raise UsageError(f"episode '{name}' may not be kept: it is private")
    return {"message": f"Episode '{name}' kept in group '{label}'"}


def delete_edge(workspace: Workspace, values: Values) -> Document:
    """Hide a fact, or remove an episode without extracted facts."""
    uuid = text_of(values, "uuid")
    record = find(workspace.memory, uuid)
    if isinstance(record, Event):
        _purge_episode(workspace.memory, record)
    else:
        workspace.memory.forget(record.id, reason="deleted by a client")
    return {"message": f"Entity edge with UUID {uuid} deleted successfully"}


def delete_episode(workspace: Workspace, values: Values) -> Document:
    """Remove an episode."""
    uuid = text_of(values, "uuid")
    record = find(workspace.memory, uuid)
    if not isinstance(record, Event):
        raise UsageError(f"node {uuid} is no episode")
    _purge_episode(workspace.memory, record)
    return {"message": f"Episode with UUID {uuid} deleted successfully"}


def _purge_episode(memory: Memory, event: Event) -> None:
    """An episode, and the facts that rest on nothing else."""
    if not event.meta.get(LABEL):
        raise UsageError(
            f"`{event.id}` was not added by these tools",
            hint="a person removes it by `codecairn memory purge`",
        )
    facts = memory.list(limit=LOOKED_AT, with_private=True)
    memory.purge(event.id, *(fact.id for fact in facts if fact.sources == (event.seq,)))


def add_triplet(workspace: Workspace, values: Values) -> Document:
    """Keep a fact between two things."""
    source, name = text_of(values, "source_node_name"), text_of(values, "edge_name")
    target, group = text_of(values, "target_node_name"), group_of(values)
    label = group or workspace.memory.status().project or "main"
    added = workspace.memory.add(
        text_of(values, "fact"),
        origin="agent",
        subject=source,
        predicate=f"{name} {target}",
        tags=(name,),
        meta=labels_meta(label),
    )
    (fact,) = workspace.memory.get(added.id)
    assert isinstance(fact, Fact)
    nodes = [
        node_of(workspace.memory, fact) | {"name": each, "uuid": node_uuid(label, each)}
        for each in (source, target)
    ]
    edge = edge_of(workspace.memory, fact) | {"name": name}
    edge |= {"source_node_uuid": nodes[0]["uuid"], "target_node_uuid": nodes[1]["uuid"]}
    return {
        "message": f"Triplet '{source} -[{name}]-> {target}' added",
        "nodes": nodes,
        "edges": [edge],
    }


def summarize_saga(workspace: Workspace, values: Values) -> Document:
    """Summarise the session of a saga."""
    memory, name = workspace.memory, text_of(values, "saga_name")
    label = group_of(values) or memory.status().project or "main"
    session = session_of(label, name)
    try:
        memory.session(session)
    except UsageError as err:
        raise UsageError(f"No saga named '{name}' found in group '{label}'") from err
    memory.upkeep.summarise(session)
    summaries = memory.list(types=("session-summary",), limit=LOOKED_AT)
    events = {event.seq for event in memory.events(session=session, limit=LOOKED_AT)}
    text = next((fact.text for fact in summaries if events.intersection(fact.sources)), "")
    return {
        "message": f"Saga '{name}' summarized successfully",
        "uuid": node_uuid(label, name),
        "name": name,
        "summary": text,
    }


def clear_graph(workspace: Workspace, values: Values) -> Document:
    """Remove for good what came in under some groups."""
    memory, groups = workspace.memory, groups_of(values)
    if not groups:
        raise UsageError("No group IDs specified for clearing")
    facts = memory.list(limit=LOOKED_AT, with_private=True, with_history=True)
    events = {event.seq for event in _labelled(memory, groups)}
    ids = [f"E{seq}" for seq in sorted(events)]
    for fact in facts:
        is_drawn = bool(fact.sources) and events.issuperset(fact.sources)
        if fact.meta.get(LABEL) in groups or is_drawn:
            ids.append(fact.id)
    if ids:
        memory.purge(*dict.fromkeys(ids))
    return {"message": f"Graph data cleared successfully for group IDs: {', '.join(groups)}"}


def _labelled(memory: Memory, groups: Sequence[str]) -> list[Event]:
    """All events that came in under these groups."""
    found: list[Event] = []
    before = None
    while True:
        page = memory.events(before=before, limit=LOOKED_AT, with_private=True)
        found += [event for event in page if event.meta.get(LABEL) in groups]
        if len(page) < LOOKED_AT:
            return found
        before = page[-1].seq
