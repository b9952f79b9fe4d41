"""The tool that makes the page of the code graph."""

from codecairn.clock import SystemClock
from codecairn.core.engine import ProgressCallback
from codecairn.mcp.answers import Answer
from codecairn.mcp.tool import Tool, Values
from codecairn.operations.index_operations import Doc, Parameter
from codecairn.workspace.workspace import Workspace

_MAX_NODES_PARAMETER = Parameter(
    field="max_nodes",
    doc=Doc(text="How many symbols at most.", minimum=1),
    value_type=int,
    is_list=False,
    is_required=False,
    default=None,
)


def _visualize(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    """Write the page into the store, and tell where it is: an agent can't say where to write."""
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


VISUALIZE = Tool(
    name="index_visualize",
    group="code",
    text="Make a page of the code graph for people to look at, and tell where it is.",
    run=_visualize,
    extra=(_MAX_NODES_PARAMETER,),
    needs_index=True,
)
