"""The page *Settings*: values with their sources, changes of them, checks, and what an agent would be shown for a prompt."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.config.edit import set_value
from codecairn.config.files import workspace_file
from codecairn.config.layers import Config, load
from codecairn.config.setting import Setting, as_text
from codecairn.config.settings import SETTINGS
from codecairn.core.types.memory import Context
from codecairn.errors import CodecairnError, UsageError
from codecairn.memory.backends.endpoint import shown
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.paths import user
from codecairn.web.page import (
    field,
    project_of,
    query,
    redirect,
    render,
    render_streamed,
    site,
    workspace_of,
)
from codecairn.web.sessions import Notice

SWITCHES = ("hooks.capture", "hooks.inject")
"""What is switched on and off for a project at the top of the page."""

TARGETS = ("project", "user")
"""Where a setting can be written: the project's file, or the user's own."""

_ADDRESSES = frozenset({"memory.graphiti_url", "memory.graphiti_database", "memory.redis_url"})
_PREVIEW_SESSION = "preview-of-the-page"
_UNSET = "not set"
_HIDDEN = "set, and not shown"


@dataclass(frozen=True, slots=True)
class Row:
    """A setting as it is shown: a credential without its value."""

    setting: Setting
    value: str
    source: str
    is_default: bool


def settings_page(request: Request) -> Response:
    """All settings of a project."""
    project = project_of(request)
    loaded = load(project.root)
    given = request.query_params.get("q", "").strip().lower()
    rows = [
        row
        for row in _rows(loaded)
        if given in row.setting.key.lower() or given in row.setting.doc.lower()
    ]
    groups = [
        (name, list(group))
        for name, group in groupby(rows, key=lambda row: row.setting.key.partition(".")[0])
    ]
    switches = [(SETTINGS[key], getattr(loaded.settings, SETTINGS[key].field)) for key in SWITCHES]
    return render(
        request,
        "settings.html",
        section="Settings",
        tab="Values",
        project=project,
        projects=site(request).projects.all(),
        groups=groups,
        wanted=given,
        switches=switches,
        ignored=[each.note for each in loaded.ignored],
        files={"your own": user.config_file(), "the project's": workspace_file(project.root)},
    )


def _rows(loaded: Config) -> Iterable[Row]:
    for key in sorted(SETTINGS, key=lambda key: key.partition(".")[0]):
        setting = SETTINGS[key]
        value = getattr(loaded.settings, setting.field)
        text = as_text(value)
        if setting.is_secret:
            text = _HIDDEN if text else _UNSET
        elif key in _ADDRESSES:
            text = shown(text)
        yield Row(setting, text, loaded.sources[key], value == setting.default)


def change(request: Request) -> Response:
    """Write a setting, as `codecairn config set` does; it holds from the next page on."""
    project = project_of(request)
    key, target = field(request, "key"), field(request, "target", "project")
    setting = SETTINGS.get(key)
    if setting is None or setting.is_secret or target not in TARGETS:
        raise UsageError(f"`{key}` is not changed here", hint="`codecairn config set` may do it")
    is_own = target == "user"
    file = user.config_file() if is_own else workspace_file(project.root)
    stored = set_value(file, key, field(request, "value"), is_own=is_own)
    projects = site(request).projects
    for each in projects.all() if is_own else (project,):
        projects.reopen(each)
    text = f"{key} = {as_text(stored)}, written to {file}"
    back = field(request, "back", query("/settings", project=project.key))
    return redirect(request, back, Notice(text))


def checks_page(request: Request) -> Response:
    """Whether the memory's files, settings, models and hooks are in order."""
    project, workspace = workspace_of(request)
    return render_streamed(
        request,
        "checks.html",
        section="Settings",
        tab="Checks",
        project=project,
        projects=site(request).projects.all(),
        checks=lambda: MAINTENANCE_OPERATIONS["doctor"].run(workspace),
        notes=workspace.setting_notes,
    )


def preview_page(request: Request) -> Response:
    """What an agent would be shown when a session opens, and for a prompt; nothing is noted as shown."""
    project, workspace = workspace_of(request)
    prompt = request.query_params.get("prompt", "").strip()
    problem = ""
    parts: list[Context] = []
    try:
        for part, text in (("static", ""), ("volatile", prompt)):
            if part == "static" or prompt:
                parts.append(
                    workspace.memory.context(_PREVIEW_SESSION, text, part=part, is_preview=True)
                )
    except CodecairnError as err:
        problem = err.message
    return render(
        request,
        "preview.html",
        section="Settings",
        tab="Preview",
        project=project,
        projects=site(request).projects.all(),
        prompt=prompt,
        parts_shown=parts,
        problem=problem,
        is_injecting=workspace.settings.hooks_inject,
    )


ROUTES = (
    Route("/settings", settings_page),
    Route("/settings/checks", checks_page),
    Route("/settings/preview", preview_page),
    Route("/settings/change", change, methods=["POST"]),
)
