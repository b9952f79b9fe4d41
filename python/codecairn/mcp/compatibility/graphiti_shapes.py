"""Graphiti's names for facts and events, and the JSON in which its clients read them."""

import re
import uuid as uuids

from codecairn.core.types.memory import Event, Fact
from codecairn.errors import UsageError
from codecairn.mcp.compatibility.shared_format import (
    Document,
    iso,
    label_of,
    own_fact,
    text_of,
    texts_of,
)
from codecairn.mcp.tool import Values
from codecairn.memory.memory import Memory

MAKER = "graphiti"
LOOKED_AT = 10_000
_UUID = re.compile(r"00000000-0000-8000-8000-([ef])([0-9a-f]{11})")


def uuid_of(id_: str) -> str:
    """What these clients call a fact (`f` and ten digits) or an event (`E12`)."""
    kind, number = ("e", int(id_[1:])) if id_.startswith("E") else ("f", int(id_[1:], 16))
    return f"00000000-0000-8000-8000-{kind}{number:011x}"


def find(memory: Memory, uuid: str) -> Fact | Event:
    """The fact or the event of this name: ours, or the one that its client gave it."""
    found = _UUID.fullmatch(uuid)
    if found is not None:
        number = int(found[2], 16)
        id_ = f"E{number}" if found[1] == "e" else f"f{number:010x}"
        if id_.startswith("f"):
            return own_fact(memory, id_)
        (record,) = memory.get(id_)
        return record
    for event in memory.events(limit=LOOKED_AT):
        if uuid and event.meta.get("uuid") == uuid:
            return event
    raise UsageError(f"node {uuid} not found")


def in_utc(moment: str) -> str:
    """A moment in words that we read; without a zone it is in UTC here."""
    has_zone = re.search(r"(?:Z|[+-]\d\d:?\d\d)$", moment) is not None
    return moment if has_zone or "T" not in moment else f"{moment}Z"


def groups_of(values: Values) -> tuple[str, ...]:
    """The groups that are asked for; none for all."""
    one = text_of(values, "group_id")
    return texts_of(values, "group_ids") or ((one,) if one else ())


def group_of(values: Values) -> str:
    """The one group that is asked for; empty if none is."""
    return next(iter(groups_of(values)), "")


def session_of(group: str, saga: str = "") -> str:
    """The session in which the episodes of a group, or of a saga of it, are kept."""
    return ":".join(part for part in (MAKER, group or "main", saga) if part)


def episode_of(memory: Memory, event: Event) -> Document:
    """An episode."""
    return {
        "uuid": event.meta.get("uuid") or uuid_of(event.id),
        "name": event.meta.get("name") or event.title or event.category,
        "content": event.body,
        "created_at": iso(event.ts_ms),
        "source": event.meta.get("source", "text"),
        "source_description": event.meta.get("source_description", event.hook),
        "group_id": label_of(memory, event),
    }


def edge_of(memory: Memory, record: Fact | Event) -> Document:
    """A fact; or an episode without extracted facts."""
    group = label_of(memory, record)
    return _of_fact(record, group) if isinstance(record, Fact) else _of_event(record, group)


def _of_fact(fact: Fact, group: str) -> Document:
    return {
        "uuid": uuid_of(fact.id),
        "group_id": group,
        "source_node_uuid": node_uuid(group, fact.subject or fact.title),
        "target_node_uuid": node_uuid(group, fact.predicate or fact.type),
        "created_at": iso(fact.recorded_ms),
        "name": edge_name(fact.type),
        "fact": fact.text,
        "episodes": [uuid_of(f"E{seq}") for seq in fact.sources],
        "expired_at": iso(fact.retracted_ms),
        "valid_at": iso(fact.valid_from_ms),
        "invalid_at": iso(fact.invalid_at_ms),
        "attributes": {"origin": fact.origin},
    }


def _of_event(event: Event, group: str) -> Document:
    return {
        "uuid": uuid_of(event.id),
        "group_id": group,
        "source_node_uuid": node_uuid(group, event.session),
        "target_node_uuid": node_uuid(group, event.id),
        "created_at": iso(event.ts_ms),
        "name": edge_name(event.category),
        "fact": event.body or event.title,
        "episodes": [uuid_of(event.id)],
        "expired_at": None,
        "valid_at": iso(event.ts_ms),
        "invalid_at": None,
        "attributes": {"origin": event.origin},
    }


def edge_name(type_: str) -> str:
    """A type as edges are named."""
    return type_.upper().replace("-", "_")


def node_of(memory: Memory, fact: Fact) -> Document:
    """What a fact is about."""
    group = label_of(memory, fact)
    name = fact.subject or fact.title
    return {
        "uuid": node_uuid(group, name),
        "name": name,
        "labels": ["Entity", fact.type],
        "created_at": iso(fact.valid_from_ms),
        "summary": fact.text,
        "group_id": group,
        "attributes": {"fact_uuid": uuid_of(fact.id)},
    }


def node_uuid(group: str, name: str) -> str:
    """What a node is called: the same whenever it is asked."""
    return str(uuids.uuid5(uuids.NAMESPACE_OID, f"{group}\n{name.lower()}"))
