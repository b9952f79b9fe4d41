"""The map of the code: the page that `codecairn visualize` writes, served."""

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from codecairn.clock import SystemClock
from codecairn.core.engine import git_head
from codecairn.core.graph_engine import GraphEngine
from codecairn.graph.visual.builder import make_data
from codecairn.graph.visual.html_page import program, render_linked, script_safe, style
from codecairn.web.page import failed_end, query, workspace_of

MAX_NODES = 3_000
"""Symbols of the map; the least important are left out."""

_STYLE, _PROGRAM = "map.css", "map.js"
_KEPT = 4
_LOCK = threading.Lock()
_DATA: dict[str, tuple[tuple[object, ...], str]] = {}
"""What the last maps show by project, each with the state of the index and the commit that it is of."""


def code_map(request: Request) -> Response:
    """The map of the selected project; its data are collected again after its index or its commit has changed.

    That takes seconds for a large project, so what stands before them is sent first.
    """
    project, workspace = workspace_of(request)
    engine = workspace.graph.engine(refresh=False)
    state = (*engine.state(), *git_head(workspace.root))
    before, after = render_linked(
        workspace.root.name or str(workspace.root),
        style_url=f"/static/{_STYLE}",
        program_url=f"/static/{_PROGRAM}",
        icon_url="/static/icon.svg",
        home_url=query("/code", project=project.key),
        home="codecairn",
    )

    def parts() -> Iterator[str]:
        yield before
        try:
            yield _data(project.key, state, engine, workspace.root)
        except Exception as err:  # noqa: BLE001 - the page has begun, so no other can be answered
            yield f"{{}}</script>{failed_end(err)}"
            return
        yield after

    return StreamingResponse(parts(), media_type="text/html")


def _data(key: str, state: tuple[object, ...], engine: GraphEngine, root: Path) -> str:
    known = _DATA.get(key)
    if known is not None and known[0] == state:
        return known[1]
    data = make_data(engine.survey(), root, clock=SystemClock(), max_nodes=MAX_NODES)
    text = script_safe(data)
    with _LOCK:
        _DATA.pop(key, None)
        while len(_DATA) >= _KEPT:
            del _DATA[next(iter(_DATA))]
        _DATA[key] = (state, text)
    return text


def assets() -> Mapping[str, tuple[str, bytes]]:
    """The map's style sheet and program by name, with their types."""
    return {
        _STYLE: ("text/css", style().encode()),
        _PROGRAM: ("text/javascript", program().encode()),
    }


ROUTES = (Route("/code/map", code_map),)
