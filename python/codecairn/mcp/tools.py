"""The tools: each made from an operation, with what it says and in which sets it is offered."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from codecairn.engine import ProgressCallback
from codecairn.errors import UsageError
from codecairn.mcp import answers, memory_answers
from codecairn.mcp.answers import Answer
from codecairn.mcp.graph_tools import GRAPH_TOOLS
from codecairn.mcp.knowledge_tools import KNOWLEDGE_TOOLS
from codecairn.mcp.tool import SETS, Asked, Tool, ToolSet, Values, answered
from codecairn.memory_operations import MEMORY_OPERATIONS
from codecairn.operations import OPERATIONS, Doc, Parameter
from codecairn.types import SearchResult
from codecairn.workspace import Workspace
from codecairn.workspaces import Workspaces

__all__ = ["SETS", "TOOLS", "Tool", "ToolSet", "tools_of"]

TOOLS: Mapping[str, Tool]
"""Every tool by name."""


def tools_of(chosen: ToolSet) -> tuple[Tool, ...]:
    """The tools of a set, in the order in which they are listed."""
    if chosen == "compact":
        return tuple(tool for tool in TOOLS.values() if tool.is_compact)
    return tuple(
        tool for tool in TOOLS.values() if chosen == "all" or tool.group in {chosen, "both"}
    )


_SEARCH_HIDDEN = frozenset({"explain", "refresh", "since", "until", "author", "commit", "blame"})
_FLAG = Parameter(
    field="", doc=Doc(text=""), value_type=bool, is_list=False, is_required=False, default=False
)


def _flag(name: str, text: str) -> Parameter:
    return replace(_FLAG, field=name, doc=Doc(text=text))


def _similar(workspace: Asked, values: Values, _progress: ProgressCallback) -> Answer:
    if not values.get("text") and not values.get("place"):
        raise UsageError("nothing to compare with", hint="give `text`, or `place` as FILE:LINE")
    if not values.get("text") and isinstance(workspace, Workspaces):
        workspace = workspace.all[0]  # a place is one of the first workspace's
    result = OPERATIONS["similar"].run(workspace, **{"place": "", **values})
    assert isinstance(result, SearchResult)
    return answers.code_answer(result)


def _index(workspace: Workspace, values: Values, progress: ProgressCallback) -> Answer:
    if values.get("estimate"):
        return answers.preview_answer(workspace.preview())
    force = bool(values.get("force"))
    report = workspace.index(force=force, progress=progress)
    workspace.knowledge.index(force=force, progress=progress)
    return answers.index_answer(report)


def _health(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    problems = workspace.doctor(repair=bool(values.get("repair")))
    return answers.health_answer(problems, workspace.gc(dry_run=True))


def _code(name: str, operation: str, text: str, **options: Any) -> Tool:  # noqa: ANN401
    """A tool that searches."""
    answer = options.pop("answer", answers.code_answer)
    found = OPERATIONS[operation]
    options.setdefault("run", answered(found, answer))
    return Tool(
        name=name,
        group="code",
        text=text,
        operations=(found,),
        needs_index=True,
        searches_all=True,
        **options,
    )


def _memory(
    name: str,
    operation: str,
    text: str,
    answer: Callable[[Any], Answer],
    **options: Any,  # noqa: ANN401
) -> Tool:
    found = MEMORY_OPERATIONS[operation]
    fixed = options.pop("fixed", {})
    return Tool(
        name=name,
        group="memory",
        text=text,
        operations=(found,),
        run=answered(found, answer, **fixed),
        without=frozenset({*options.pop("without", ()), *fixed}),
        **options,
    )


_ALL = (
    _code(
        "codebase_search",
        "search",
        "Find the code that answers a question about this repository: where something is done, how it works, which "
        "code does X. Ask in words or with names; returns ranked code with paths and lines. Use it before grep unless "
        "you need every occurrence of an exact string.",
        without=frozenset({"explain", "refresh"}),
        is_compact=True,
    ),
    _code(
        "codebase_peek",
        "peek",
        "As `codebase_search`, but only the places, without code: cheap when you will read the files yourself.",
        answer=answers.places_answer,
        without=_SEARCH_HIDDEN,
    ),
    _code(
        "implementation_lookup",
        "define",
        "Where a symbol is defined, with its code: implementation before tests and re-exports.",
        without=_SEARCH_HIDDEN,
        is_compact=True,
    ),
    _code(
        "find_similar",
        "similar",
        "Code that looks like a given piece: duplicates, other implementations, examples to follow.",
        run=_similar,
        without=frozenset({"refresh", "author", "commit", "blame"}),
        optional=frozenset({"place"}),
    ),
    *GRAPH_TOOLS,
    *KNOWLEDGE_TOOLS,
    Tool(
        name="index_codebase",
        group="code",
        text="Bring the index up to date now. Searches do so by themselves; needed after large changes only.",
        run=_index,
        operations=(OPERATIONS["index"],),
        without=frozenset({"wait"}),
        extra=(_flag("estimate", "Only tell what it would do and cost."),),
        is_read_only=False,
    ),
    Tool(
        name="index_status",
        group="code",
        text="What is indexed here, and how far a running index is.",
        run=answered(OPERATIONS["status"], answers.status_answer),
    ),
    Tool(
        name="index_health_check",
        group="code",
        text="Whether the index is damaged, and what garbage it holds.",
        run=_health,
        extra=(_flag("repair", "Mend what can be mended."),),
        is_read_only=False,
        needs_index=True,
    ),
    Tool(
        name="index_skips",
        group="code",
        text="Files that are not indexed, and why.",
        run=answered(OPERATIONS["skips"], answers.skips_answer),
        needs_index=True,
    ),
    Tool(
        name="index_metrics",
        group="code",
        text="How often and how fast things were done with the index lately.",
        run=answered(OPERATIONS["metrics"], answers.metrics_answer),
        operations=(OPERATIONS["metrics"],),
        needs_index=True,
    ),
    Tool(
        name="index_logs",
        group="code",
        text="What was done with the index lately, by every process.",
        run=answered(OPERATIONS["logs"], answers.logs_answer),
        operations=(OPERATIONS["logs"],),
        needs_index=True,
    ),
    Tool(
        name="ask",
        group="both",
        text="What there is to know for a question, in one answer of limited size: what was decided and learned before, "
        "and the code, every line with its source. Begin a task with it.",
        run=answered(OPERATIONS["ask"], memory_answers.material_answer),
        operations=(OPERATIONS["ask"],),
        is_compact=True,
        needs_index=True,
    ),
    _memory(
        "memory_search",
        "search",
        "What was said, done and decided in this project before: decisions, preferences, errors and their solutions. "
        "Ask it before you decide something that may have been decided already.",
        memory_answers.recalled_answer,
        without=(
            "as_of",
            "with_history",
            "all_projects",
            "with_private",
            "session",
            "kinds",
            "detail",
            "everything",
        ),
        is_compact=True,
    ),
    _memory(
        "memory_add",
        "add",
        "Remember a decision, a preference, a rule or a solution for later sessions, in one self-contained sentence.",
        memory_answers.added_answer,
        without=("privacy_tags", "pin", "title", "subject", "predicate"),
        fixed={"origin": "agent"},
        is_compact=True,
        is_read_only=False,
    ),
    _memory(
        "memory_get",
        "get",
        "A remembered fact or event in full, by id.",
        memory_answers.records_answer,
        is_compact=True,
    ),
    _memory(
        "memory_timeline",
        "timeline",
        "What happened around an event, or around the newest event that a fact rests on.",
        memory_answers.timeline_answer,
        without=("with_private",),
    ),
    _memory(
        "memory_list",
        "list",
        "The facts that hold, the newest first.",
        memory_answers.facts_answer,
        without=("with_private", "all_projects"),
    ),
    _memory(
        "memory_update",
        "update",
        "Change a fact; its older version stays in its history.",
        memory_answers.fact_answer,
        without=("pin",),
        is_read_only=False,
    ),
    _memory(
        "memory_forget",
        "forget",
        "Hide a fact that is wrong or outdated.",
        memory_answers.fact_answer,
        is_read_only=False,
    ),
    _memory(
        "memory_context",
        "context",
        "What is put before an agent of a session: at its start, beside a prompt, after a compaction.",
        memory_answers.context_answer,
        is_read_only=False,
    ),
    _memory(
        "memory_session",
        "session",
        "The project's sessions, the newest first.",
        memory_answers.sessions_answer,
    ),
    _memory(
        "memory_status",
        "status",
        "How much is remembered.",
        memory_answers.memory_status_answer,
    ),
)

TOOLS = MappingProxyType({tool.name: tool for tool in _ALL})
