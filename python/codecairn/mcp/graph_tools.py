"""Defines the MCP tools for the code graph and for context packs."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from codecairn.clock import SystemClock
from codecairn.context.pack import Pack
from codecairn.core.engine import ProgressCallback
from codecairn.core.requests import Doc
from codecairn.graph import render, render_structure
from codecairn.mcp.answers import Answer, fitting_lines
from codecairn.mcp.tool import Tool, Values, answered
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.graph_operations import GRAPH_OPERATIONS
from codecairn.operations.json_output import plain_document
from codecairn.operations.operation import Parameter
from codecairn.workspace.workspace import Workspace

MAX_ROWS = 100
"""The maximum length of one list in a document, which counts the rest."""


def told_by(lines: Callable[[Any], Iterable[str]]) -> Callable[[Any], Answer]:
    """Makes an answer of a result by its lines of text."""

    def answer(result: object) -> Answer:
        return Answer(
            text=fitting_lines(list(lines(result))), document=_short(plain_document(result))
        )

    return answer


def pack_answer(pack: Pack) -> Answer:
    """A pack as it is read; its budget bounds it."""
    return Answer(text=pack.text, document=plain_document(pack))


def _short(document: Mapping[str, object]) -> dict[str, object]:
    """The document with its longest lists cut."""
    cut = {
        key: value[:MAX_ROWS] if isinstance(value, list | tuple) else value
        for key, value in document.items()
    }
    more = {
        key: len(value) - MAX_ROWS
        for key, value in document.items()
        if isinstance(value, list | tuple) and len(value) > MAX_ROWS
    }
    return {**cut, "more": more} if more else cut


_MAX_NODES_PARAMETER = Parameter(
    field="max_nodes",
    doc=Doc(text="How many symbols at most.", minimum=1),
    value_type=int,
    is_list=False,
    is_required=False,
    default=None,
)


def _write_page(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    """Write the page into the store and return its path: an agent can't choose where to write."""
    # Here, not above: the server is to answer before what makes pages is loaded.
    from codecairn.graph.visual.builder import DEFAULT_MAX_NODES, make_page
    from codecairn.graph.visual.output import PAGE_NAME, write_page

    most = values.get("max_nodes") or DEFAULT_MAX_NODES
    assert isinstance(most, int)
    survey = workspace.graph.engine().survey()
    page = make_page(survey, workspace.root, clock=SystemClock(), max_nodes=most)
    file = workspace.store / PAGE_NAME
    write_page(page.html, file)
    return Answer(
        text=f"{file}: {page.symbols:,} symbols and {page.links:,} links; open it in a browser",
        document={"file": str(file), "symbols": page.symbols, "links": page.links},
    )


_VISUALIZE = Tool(
    name="index_visualize",
    group="code",
    text="Make a page of the code graph for people, and return its path.",
    title="Draw the code graph",
    run=_write_page,
    extra=(_MAX_NODES_PARAMETER,),
    needs_index=True,
)

_DIRECTION = Parameter(
    field="direction",
    doc=Doc(text="Who uses it, or what it uses.", choices=("callers", "callees")),
    value_type=str,
    is_list=False,
    is_required=False,
    default="callers",
)


def _call_graph(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    given = dict(values)
    operation = GRAPH_OPERATIONS[str(given.pop("direction", "callers"))]
    return told_by(render.neighbours_lines)(operation.run(workspace, **given))


_CONTEXT, _EDIT, _USES, _IMPACT = (
    CHANGE_OPERATIONS[name] for name in ("context", "edit-context", "uses", "impact")
)

GRAPH_TOOLS = (
    Tool(
        name="codebase_context",
        group="code",
        text="What answers a question about the code, under a token budget: the way between two symbols, a definition "
        "with its callers and callees, or the best hits.",
        run=answered(_CONTEXT, pack_answer),
        operations=(_CONTEXT,),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    Tool(
        name="codebase_edit_context",
        group="code",
        text="Before you change a symbol: its source, callers, callees, types, the tests that reach it, and what was "
        "decided about it, in one answer.",
        title="Context for a change",
        run=answered(_EDIT, pack_answer),
        operations=(_EDIT,),
        without=frozenset({"refresh", "caller_limit", "callee_limit"}),
        compact={"target": "`name`, `Class.name`, `path::name` or `path:line`", "token_budget": ""},
        needs_index=True,
    ),
    Tool(
        name="call_graph",
        group="code",
        text="Who calls or uses a symbol, or what it uses, over all files: facts first, candidates labelled. Use it instead "
        "of grep for callers.",
        title="Callers and callees",
        run=_call_graph,
        operations=(GRAPH_OPERATIONS["callers"],),
        extra=(_DIRECTION,),
        without=frozenset({"refresh"}),
        compact={
            "name": "`name`, `Class.name`, `path::name` or `path:line`",
            "direction": "",
            "depth": "Steps to follow",
        },
        needs_index=True,
    ),
    Tool(
        name="call_graph_path",
        group="code",
        text="A shortest way of uses from one symbol to another.",
        run=answered(GRAPH_OPERATIONS["path"], told_by(render.call_path_lines)),
        operations=(GRAPH_OPERATIONS["path"],),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    Tool(
        name="code_communities",
        group="code",
        text="Which symbols belong together by their uses, and how these groups use one another.",
        run=answered(GRAPH_OPERATIONS["communities"], told_by(render_structure.communities_lines)),
        operations=(GRAPH_OPERATIONS["communities"],),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    Tool(
        name="code_uses",
        group="code",
        text="Every occurrence of a name, with an exact count of each role: complete, not only the best.",
        run=answered(_USES, told_by(render.uses_lines)),
        operations=(_USES,),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    Tool(
        name="pr_impact",
        group="code",
        title="Impact of a change",
        is_open_world=True,
        text="What a change reaches: of the working tree, a branch, a pull request, files or a symbol: symbols touched, "
        "dependents, tests, risk with its reasons.",
        run=answered(_IMPACT, told_by(render_structure.impact_lines)),
        operations=(_IMPACT,),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    _VISUALIZE,
)
