"""Import and export of a memory from the page, and how its backends fare."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.errors import UsageError
from codecairn.memory.importing.ingestion import ImportReport
from codecairn.memory.importing.sources import SOURCES
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.web.page import field, render, site, workspace_of

FORMATS = {"json": "application/json", "csv": "text/csv", "markdown": "text/markdown"}
"""The formats of an export, and their media types."""

_ENDINGS = {"json": "json", "csv": "csv", "markdown": "md"}


def transfer_page(request: Request) -> Response:
    """Choose what to import or to export."""
    return _page(request, None)


def import_(request: Request) -> Response:
    """Read another tool's memory; only look at first, unless the form confirms it."""
    _, workspace = workspace_of(request)
    source, place, text = (field(request, name) for name in ("source", "place", "text"))
    if not (source or place or text):
        raise UsageError("nothing is named to import", hint="choose a tool, or name a file")
    report: ImportReport = MAINTENANCE_OPERATIONS["import"].run(
        workspace,
        place=place or None,
        source=source or None,
        text=text or None,
        dry_run=not field(request, "confirmed"),
    )
    return _page(request, report)


def _page(request: Request, report: ImportReport | None) -> Response:
    project, workspace = workspace_of(request)
    return render(
        request,
        "transfer.html",
        section="Memory",
        tab="Import and export",
        project=project,
        projects=site(request).projects.all(),
        status=workspace.memory.status(),
        backends=[each for each in workspace.memory.upkeep.backends.status() if each.address],
        sources=tuple(SOURCES),
        formats=tuple(FORMATS),
        report=report,
        given={name: field(request, name) for name in ("source", "place", "text")},
    )


def export(request: Request) -> Response:
    """The memory as a file, without what is private."""
    project, workspace = workspace_of(request)
    chosen = request.query_params.get("format", "json")
    if chosen not in FORMATS:
        raise UsageError("there is no such format", hint=f"one of {', '.join(FORMATS)}")
    text = MEMORY_OPERATIONS["export"].run(
        workspace, format=chosen, anonymise=bool(request.query_params.get("anonymise"))
    )
    name = f"memory-{project.key}.{_ENDINGS[chosen]}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=FORMATS[chosen], headers=headers)


ROUTES = (
    Route("/memory/transfer", transfer_page),
    Route("/memory/export", export),
    Route("/memory/import", import_, methods=["POST"]),
)
