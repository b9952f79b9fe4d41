"""The shape of what every command prints with `--json`, from which `codecairn schema` makes JSON schemas."""

from codecairn.cli.json_memory_documents import MEMORY_SHAPES
from codecairn.cli.json_team_documents import TEAM_SHAPES
from codecairn.context.answer import Piece
from codecairn.context.pack import Pack
from codecairn.core.store_log import Entry
from codecairn.core.types.graph import CallPath, Hierarchy, Neighbours, Uses
from codecairn.core.types.graph_analysis import Communities, Cycles, Hubs, Impact, UnusedSymbols
from codecairn.core.types.hits import Contribution
from codecairn.core.types.indexing import Crash, IndexPreview, IndexReport, Skip
from codecairn.core.types.maintenance import GarbageReport, Problem
from codecairn.core.types.provenance import BaseState, KnowledgeBase
from codecairn.core.types.status import Status
from codecairn.errors import UsageError
from codecairn.evaluation.budgets import Breach
from codecairn.evaluation.reports import Moved
from codecairn.evaluation.scores import Answered
from codecairn.hosts.installation_check import Check
from codecairn.operations.json_schema import (
    DIALECT,
    ByName,
    Either,
    Many,
    Object,
    Schema,
    SchemaBuilder,
    Shape,
)
from codecairn.replication.types import Publication, Pull, RemoteStatus
from codecairn.workspace.knowledge.bases import KnowledgeIndexed
from codecairn.workspace.metrics import Metrics
from codecairn.workspace.savings import Savings

Figures = dict[str, float]

ERROR = Object({"error": Object({"kind": str, "message": str, "hint": str})})
"""What is printed in place of a result if there is none."""

_LINES = Object({"start_line": int, "end_line": int})

_SPAN = Object(
    {
        "start_line": int,
        "end_line": int,
        "kind": str,
        "name": str,
        "probability": float,
        "shown": Many(_LINES),
    },
    {"text": str},
    name="ShownSpan",
)

_BLAME = Object(
    {
        "commit": str,
        "author": str,
        "email": str,
        "date": str,
        "summary": str,
        "commits": int,
        "is_boundary": bool,
    },
    name="LastChange",
)

_HIT = Object(
    {
        "path": str,
        "start_line": int,
        "end_line": int,
        "kind": str,
        "name": str,
        "language": str,
        "score": float,
        "confidence": float | None,
        "stale": bool,
    },
    {
        "base": str,
        "blame": _BLAME,
        "text": str,
        "spans": Many(_SPAN),
        "contributions": tuple[Contribution, ...],
    },
    name="Result",
)

_SEARCH = Object(
    {
        "query": str,
        "branch": str,
        "stale": tuple[str, ...],
        "unchecked": int | None,
        "confidence": float | None,
        "results": Many(_HIT),
    },
    name="SearchResults",
)

_ASPECT = Object({"name": str, "is_covered": bool, "sources": tuple[str, ...]})

_PREVIEW = Object(
    {
        "added": Either([int, tuple[str, ...]]),
        "modified": Either([int, tuple[str, ...]]),
        "removed": Either([int, tuple[str, ...]]),
    },
    of=IndexPreview,
)

_CHANGE = Object({"path": str, "what": tuple[str, ...], "change": str}, name="FileChange")
_HOST_PROBLEM = Object({"message": str, "hint": str})
_HOST = Object(
    {
        "agent": str,
        "title": str,
        "changes": Many(_CHANGE),
        "next": str,
        "problem": Either([_HOST_PROBLEM, type(None)]),
    },
    name="Host",
)
_HOST_CHECKS = Object(
    {
        "agents": Many(Object({"agent": str, "title": str, "checks": tuple[Check, ...]})),
    },
    name="HostChecks",
)
_HOSTS = Object(
    {
        "dry_run": bool,
        "agents": Many(_HOST),
        "not_found": tuple[str, ...],
        "outgoing": tuple[str, ...],
    }
)
_REMOVED = Object(
    {
        "dry_run": bool,
        "changes": Many(_CHANGE),
        "removed": Many(Object({"path": str, "what": str})),
    }
)

_GRANT = Object(
    {
        "remote": str,
        "repository": str,
        "url": str,
        "branch": str,
        "may_publish": bool,
        "publishers": tuple[str, ...],
    },
    name="Grant",
)

_REPORT = {
    "format": int,
    "codecairn": str,
    "made_ns": int,
    "branch": str,
    "commit": str,
    "settings": dict[str, object],
    "questions": int,
    "metrics": Figures,
    "by_type": dict[str, Figures],
    "results": tuple[Answered, ...],
}

_SETTING = Object(
    {
        "key": str,
        "value": object,
        "default": object,
        "type": str,
        "source": str,
        "variable": str,
        "doc": str,
    },
    name="Setting",
)

SHAPES: dict[str, Shape] = {
    "search": _SEARCH,
    "ask": Object(
        {
            "question": str,
            "profile": str,
            "token_budget": int,
            "tokens": int,
            "pieces": tuple[Piece, ...],
            "coverage": Many(_ASPECT),
            "unknown_words": tuple[str, ...],
            "searches": int,
            "notes": tuple[str, ...],
        }
    ),
    "peek": _SEARCH,
    "similar": _SEARCH,
    "define": _SEARCH,
    "context": Pack,
    "edit-context": Pack,
    "graph callers": Neighbours,
    "graph callees": Neighbours,
    "graph path": CallPath,
    "graph hierarchy": Hierarchy,
    "graph communities": Communities,
    "graph unused": UnusedSymbols,
    "graph cycles": Cycles,
    "graph hubs": Hubs,
    "uses": Uses,
    "impact": Impact,
    "visualize": Object(
        {
            "file": str,
            "size_bytes": int,
            "symbols": int,
            "links": int,
            "left_out": Object({"unlinked": int, "unimportant": int, "links": int}),
            "has_history": bool,
        }
    ),
    "index": Either(
        [
            Object(
                sometimes={
                    "skips": tuple[Skip, ...],
                    "knowledge": tuple[KnowledgeIndexed, ...],
                    "published": Publication,
                },
                of=IndexReport,
            ),
            _PREVIEW,
        ]
    ),
    "watch": Object({"paths": tuple[str, ...] | None}, {"base": str}, of=IndexReport),
    "pull": Pull,
    "remote init": _GRANT,
    "remote grant": Object({"file": str, "may_publish": bool}),
    "remote accept": _GRANT,
    "remote status": RemoteStatus,
    "remote remove": _GRANT,
    "status": Object(sometimes={"skips": tuple[Skip, ...]}, of=Status),
    "knowledge add": Object({"base": KnowledgeBase, "index": IndexReport}),
    "knowledge list": Object({"bases": tuple[BaseState, ...]}),
    "knowledge remove": KnowledgeBase,
    "doctor": Either(
        [
            Object(
                {
                    "problems": tuple[Problem, ...],
                    "unparsed": tuple[str, ...],
                    "crashed": tuple[Crash, ...],
                }
            ),
            _HOST_CHECKS,
        ]
    ),
    "gc": GarbageReport,
    "metrics": Metrics,
    "savings": Savings,
    "logs": Object({"entries": tuple[Entry, ...]}),
    "eval run": Object({**_REPORT, "breaches": tuple[Breach, ...]}),
    "eval compare": Object(
        {
            "metrics": ByName(Object({"before": float, "after": float})),
            "moved": tuple[Moved, ...],
            "only_before": tuple[str, ...],
            "only_after": tuple[str, ...],
            "breaches": tuple[Breach, ...],
        }
    ),
    "eval diff": Object({"moved": tuple[Moved, ...]}),
    "eval sweep": Object(
        {
            "by": str,
            "runs": Many(Object({"settings": dict[str, object], "metrics": Figures})),
        }
    ),
    **MEMORY_SHAPES,
    **TEAM_SHAPES,
    "install": Either([_HOSTS, _HOST_CHECKS]),
    "uninstall": Either([_HOSTS, _REMOVED]),
    "call": Object({"text": str, "result": Either([dict[str, object], type(None)])}),
    "config get": Object({"key": str, "value": object}),
    "config list": Object({"settings": Many(_SETTING), "ignored": tuple[str, ...]}),
    "config path": Object({"files": Many(Object({"name": str, "path": str, "exists": bool}))}),
    "config import": Object(
        {
            "written": Many(Object({"key": str, "value": object, "file": str})),
            "knowledge": tuple[KnowledgeBase, ...],
            "left_out": Many(Object({"key": str, "reason": str})),
        }
    ),
    "trust": Either(
        [
            Object({"root": str, "is_trusted": bool, "is_store_used": bool}),
            Object({"workspaces": Many(Object({"root": str}))}),
        ]
    ),
}
"""By command, in the order of the help."""


def schema_of(command: str) -> Schema:
    """The schema of one command's document.

    Raises:
        UsageError: If there is no such command, or it prints no JSON.
    """
    if command not in SHAPES:
        from codecairn.core.nearest import did_you_mean

        hint = did_you_mean(command, SHAPES) or f"give one of {', '.join(SHAPES)}"
        raise UsageError(f"no command `{command:.100}` prints JSON", hint=hint)
    builder = SchemaBuilder()
    schema = builder.schema(SHAPES[command])
    title = {"$schema": DIALECT, "title": f"codecairn {command} --json"}
    return {**title, **schema, "$defs": builder.definitions}


def all_schemas() -> Schema:
    """One schema of all documents: of an object that has the document of each command, and of an error."""
    builder = SchemaBuilder()
    return {
        "$schema": DIALECT,
        "title": "Documents of codecairn by command",
        "type": "object",
        "properties": {
            "error": builder.schema(ERROR),
            **{name: builder.schema(shape) for name, shape in SHAPES.items()},
        },
        "$defs": builder.definitions,
    }
