"""The tools on the code graph, and the packs."""

from codecairn.core.engine import ProgressCallback
from codecairn.graph import render, render_structure
from codecairn.mcp.answers import Answer
from codecairn.mcp.graph_answers import pack_answer, told_by
from codecairn.mcp.tool import Tool, Values, answered
from codecairn.mcp.visual_tool import VISUALIZE
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.graph_operations import GRAPH_OPERATIONS
from codecairn.operations.index_operations import Doc, Parameter
from codecairn.workspace.workspace import Workspace

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
        text="Before you change a symbol: its source, who uses it, what it uses, types, the tests that reach it, and what "
        "was decided about it, under a token budget.",
        run=answered(_EDIT, pack_answer),
        operations=(_EDIT,),
        without=frozenset({"refresh", "caller_limit", "callee_limit"}),
        is_compact=True,
        needs_index=True,
    ),
    Tool(
        name="call_graph",
        group="code",
        text="Who calls or uses a symbol, or what it uses, resolved over files: facts first, candidates labelled. Use it "
        "instead of grep for callers.",
        run=_call_graph,
        operations=(GRAPH_OPERATIONS["callers"],),
        extra=(_DIRECTION,),
        without=frozenset({"refresh"}),
        is_compact=True,
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
        text="Every place where a name stands, with an exact count of each role: complete, not a top ten.",
        run=answered(_USES, told_by(render.uses_lines)),
        operations=(_USES,),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    Tool(
        name="pr_impact",
        group="code",
        text="What a change reaches: of the working tree, a branch, a pull request, files or a symbol: symbols touched, "
        "dependents, tests, risk with its reasons.",
        run=answered(_IMPACT, told_by(render_structure.impact_lines)),
        operations=(_IMPACT,),
        without=frozenset({"refresh"}),
        needs_index=True,
    ),
    VISUALIZE,
)
