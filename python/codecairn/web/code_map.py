"""The map of the code: the page that `codecairn visualize` writes, served."""

import threading
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from codecairn.clock import SystemClock
from codecairn.core.engine import git_head
from codecairn.graph.visual.builder import make_data
from codecairn.graph.visual.html_page import program, render_linked, style
from codecairn.web.page import query, workspace_of

MAX_NODES = 3_000
"""Symbols of the map; the least important are left out."""

_STYLE, _PROGRAM = "map.css", "map.js"
_KEPT = 4
_LOCK = threading.Lock()
_DRAWN: dict[str, tuple[tuple[object, ...], str]] = {}
"""The last maps by project, each with the state of the index and the commit that it shows."""


def code_map(request: Request) -> Response:
    """The map of the selected project; drawn again after its index or its commit has changed."""
    project, workspace = workspace_of(request)
    engine = workspace.graph.engine(refresh=False)
    state = (*engine.state(), *git_head(workspace.root))
    drawn = _DRAWN.get(project.key)
    if drawn is None or drawn[0] != state:
        data = make_data(engine.survey(), workspace.root, clock=SystemClock(), max_nodes=MAX_NODES)
        page = render_linked(
            data,
            style_url=f"/static/{_STYLE}",
            program_url=f"/static/{_PROGRAM}",
            icon_url="/static/icon.svg",
            home_url=query("/code", project=project.key),
            home="codecairn",
        )
        drawn = (state, page)
        with _LOCK:
            _DRAWN.pop(project.key, None)
            while len(_DRAWN) >= _KEPT:
                del _DRAWN[next(iter(_DRAWN))]
            _DRAWN[project.key] = drawn
    return HTMLResponse(drawn[1])


def assets() -> Mapping[str, tuple[str, bytes]]:
    """The map's style sheet and program by name, with their types."""
    return {
        _STYLE: ("text/css", style().encode()),
        _PROGRAM: ("text/javascript", program().encode()),
    }


ROUTES = (Route("/code/map", code_map),)
