"""The one tool of codexfi: `memory`, with six modes."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codecairn.core.types.memory import Fact
from codecairn.errors import UsageError
from codecairn.mcp.compatibility.shared_format import (
    Document,
    iso,
    json_tool,
    number_of,
    own_fact,
    record_of,
    text_of,
)
from codecairn.mcp.tool import Values, parameter
from codecairn.workspace.workspace import Workspace

TYPES = (
    "project-brief",
    "architecture",
    "architecture-pattern",
    "tech-context",
    "project-config",
    "product-context",
    "session-summary",
    "progress",
    "active-context",
    "error-solution",
    "preference",
    "learned-pattern",
    "conversation",
)
"""Its types; all of them are ours, too."""

SCOPES = MappingProxyType(
    {"user": "What holds for you in every project", "project": "What holds in this project"}
)

_USUAL_TYPE = "learned-pattern"
_PROFILE = 100
_COMMANDS = (
    ("add", "Keep a memory, word for word", ("content", "type?", "scope?")),
    ("search", "Find memories by meaning and by words", ("query", "scope?", "limit?")),
    ("profile", "What is known of the user", ()),
    ("list", "The newest memories", ("scope?", "limit?")),
    ("forget", "Hide a memory", ("memoryId",)),
)


def _help(_workspace: Workspace, _values: Values) -> Document:
    return {
        "success": True,
        "message": "Memory of this project and of its user",
        "commands": [
            {"command": name, "description": text, "args": list(args)}
            for name, text, args in _COMMANDS
        ],
        "scopes": dict(SCOPES),
        "types": list(TYPES),
    }


def _add(workspace: Workspace, values: Values) -> Document:
    content = text_of(values, "content")
    if not content.strip():
        raise UsageError("content is required for add mode")
    scope = text_of(values, "scope") or "project"
    type_ = text_of(values, "type") or _USUAL_TYPE
    try:
        added = workspace.memory.add(content, type=type_, scope=scope, origin="agent")
    except UsageError as err:
        raise UsageError("Cannot store fully private content") from err
    message = f"Memory added to {scope} scope"
    return {"success": True, "message": message, "id": added.id, "scope": scope, "type": type_}


def _search(workspace: Workspace, values: Values) -> Document:
    query, scope = text_of(values, "query"), text_of(values, "scope")
    if not query.strip():
        raise UsageError("query is required for search mode")
    scopes = (scope,) if scope else ("user", "project", "branch", "session")
    found = workspace.memory.recall(
        query, limit=number_of(values, "limit", 10), scopes=scopes, kinds=("fact",)
    )
    results = []
    for each in found:
        fact = record_of(each)
        assert isinstance(fact, Fact)
        row: Document = {
            "id": fact.id,
            "content": fact.text,
            "similarity": round(each.evidence * 100),
        }
        results.append(row if scope else row | {"scope": _scope(fact)})
    whose = {"scope": scope} if scope else {}
    return {"success": True, "query": query, **whose, "count": len(results), "results": results}


def _profile(workspace: Workspace, _values: Values) -> Document:
    facts = workspace.memory.list(scopes=("user",), limit=_PROFILE)
    return {"success": True, "profile": {"memories": [_row(fact) for fact in facts]}}


def _list(workspace: Workspace, values: Values) -> Document:
    scope = text_of(values, "scope") or "project"
    scopes = ("user",) if scope == "user" else ("project", "branch", "session")
    facts = workspace.memory.list(scopes=scopes, limit=number_of(values, "limit", 20))
    rows = [_row(fact) for fact in facts]
    return {"success": True, "scope": scope, "count": len(rows), "memories": rows}


def _forget(workspace: Workspace, values: Values) -> Document:
    id_ = text_of(values, "memoryId")
    if not id_:
        raise UsageError("memoryId is required for forget mode")
    fact = own_fact(workspace.memory, id_)
    workspace.memory.forget(fact.id, reason="forgotten by an agent")
    return {"success": True, "message": f"Memory {fact.id} deleted"}


def _scope(fact: Fact) -> str:
    return "user" if fact.scope == "user" else "project"


def _row(fact: Fact) -> Document:
    metadata: Document = {"type": fact.type, "updatedAt": iso(fact.recorded_ms)}
    metadata |= {"tags": list(fact.tags)} if fact.tags else {}
    created = iso(fact.valid_from_ms)
    return {"id": fact.id, "content": fact.text, "createdAt": created, "metadata": metadata}


_MODES: Mapping[str, Callable[[Workspace, Values], Document]] = MappingProxyType(
    {
        "add": _add,
        "search": _search,
        "profile": _profile,
        "list": _list,
        "forget": _forget,
        "help": _help,
    }
)


def _memory(workspace: Workspace, values: Values) -> Document:
    return _MODES[text_of(values, "mode") or "help"](workspace, values)


TOOLS = (
    json_tool(
        "memory",
        "Remember things over sessions: add, search, profile, list and forget memories of this project and of its user.",
        _memory,
        (
            parameter("mode", "What to do; help if not given.", choices=tuple(_MODES)),
            parameter("content", "What to remember, for add."),
            parameter("query", "What to look for, for search."),
            parameter("type", "What sort of memory it is.", choices=TYPES),
            parameter(
                "scope",
                "Whose it is; project if not given, both for search.",
                choices=tuple(SCOPES),
            ),
            parameter("memoryId", "Which memory, for forget."),
            parameter(
                "limit",
                "How many at most: 10 for search, 20 for list.",
                value_type=int,
                minimum=1,
                maximum=1_000,
            ),
        ),
        failed=lambda message: {"success": False, "error": message},
        is_read_only=False,
        is_destructive=True,
    ),
)
