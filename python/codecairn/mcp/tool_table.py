"""The table of tools: each made from an operation, with its description and its sets."""

from collections.abc import Iterable, Sequence
from typing import Any

from codecairn.core.engine import ProgressCallback
from codecairn.core.types.hits import SearchResult
from codecairn.errors import UsageError
from codecairn.mcp import answers, memory_answers
from codecairn.mcp.answers import Answer
from codecairn.mcp.graph_tools import GRAPH_TOOLS
from codecairn.mcp.knowledge_tools import KNOWLEDGE_TOOLS
from codecairn.mcp.memory_tools import MEMORY_TOOLS
from codecairn.mcp.tool import Asked, Tool, Values, answered, parameter
from codecairn.mcp.tool_sets import COMPATIBLE_SETS
from codecairn.operations.index_operations import OPERATIONS
from codecairn.workspace.workspace import Workspace

__all__ = ["Tool", "own_tools", "tools_of"]


def own_tools() -> dict[str, Tool]:
    """Every tool of our own by name."""
    from codecairn.mcp.memory_maintenance_tools import MAINTENANCE_TOOLS

    return {tool.name: tool for tool in (*_FREQUENT, *MAINTENANCE_TOOLS)}


def tools_of(sets: Sequence[str]) -> tuple[Tool, ...]:
    """The tools of some sets, in the order in which they are listed."""
    offered: dict[str, Tool] = {}
    for name in sets:
        for tool in _of_set(name):
            known = offered.get(tool.name)
            if known is None or known.is_short:
                offered[tool.name] = tool
    return tuple(offered.values())


def _of_set(name: str) -> Iterable[Tool]:
    if name in COMPATIBLE_SETS:
        from codecairn.mcp.compatibility import compatible_tools

        return compatible_tools(name)
    if name == "compact":
        return (tool.short() for tool in _FREQUENT if tool.is_compact)
    tools = _FREQUENT if name == "code" else own_tools().values()
    return (tool for tool in tools if name == "all" or tool.group in {name, "both"})


_SEARCH_HIDDEN = frozenset({"explain", "refresh", "since", "until", "author", "commit", "blame"})


DEFAULT_TOKENS = 1_000
"""The token budget of the code in an answer to an agent that names none."""


def _search(workspace: Asked, values: Values, _progress: ProgressCallback) -> Answer:
    given = values if "context_lines" in values else {"token_budget": DEFAULT_TOKENS, **values}
    result = OPERATIONS["search"].run(workspace, **given)
    assert isinstance(result, SearchResult)
    return answers.code_answer(result)


def _similar(workspace: Asked, values: Values, _progress: ProgressCallback) -> Answer:
    if not values.get("text") and not values.get("place"):
        raise UsageError("nothing to compare with", hint="give `text`, or `place` as FILE:LINE")
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


_FREQUENT = (
    _code(
        "codebase_search",
        "search",
        "Find code by what it does or by name: returns the best code with paths and lines. Use it first to learn where "
        "something is done or how it works; use grep for every occurrence of an exact string. "
        'Example: {"query": "where are session tokens verified"}',
        title="Search code",
        run=_search,
        without=frozenset({"explain", "refresh"}),
        compact={
            "query": "A question, or names",
            "glob": "Only these files: `src/**/*.py`",
            "limit": "",
            "tokens": "How much code to show, 1000 by default",
        },
    ),
    _code(
        "codebase_peek",
        "peek",
        "As `codebase_search`, but only the places, without code: cheap when you will read the files yourself.",
        title="Search code, places only",
        answer=answers.places_answer,
        without=_SEARCH_HIDDEN,
    ),
    _code(
        "implementation_lookup",
        "define",
        "Show where a symbol is defined, with its code, when you know its name. "
        'Example: {"name": "Session.get"}',
        title="Find a definition",
        without=_SEARCH_HIDDEN,
        compact={"name": "`name` or `Class.method`", "dir": "Only below this folder"},
    ),
    _code(
        "find_similar",
        "similar",
        "Find code that looks like a given piece: duplicates, other implementations, examples to follow.",
        title="Find similar code",
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
        title="Index the code",
        is_idempotent=True,
        run=_index,
        operations=(OPERATIONS["index"],),
        without=frozenset({"wait"}),
        extra=(parameter("estimate", "Only report what it would do and cost.", value_type=bool),),
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
        title="Check the index",
        is_idempotent=True,
        run=_health,
        extra=(parameter("repair", "Repair what can be repaired.", value_type=bool),),
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
        text="Begin a task with it: what was decided and learned before about a question, and the code that answers it, "
        "each line with its source.",
        title="Ask memory and code",
        run=answered(OPERATIONS["ask"], memory_answers.material_answer),
        operations=(OPERATIONS["ask"],),
        compact={"question": "", "token_budget": ""},
        needs_index=True,
    ),
    *MEMORY_TOOLS,
)
"""The tools that sessions need; `codecairn.mcp.memory_maintenance_tools` has the others."""
