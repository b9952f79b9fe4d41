"""What every page is made of: the site, its template environment, and the responses of routes.

A module of routes has `ROUTES`, and functions such as

    def settings(request: Request) -> Response:
        return render(request, "settings.html", rows=rows)
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from codecairn.core.text_format import amount, duration, size, visible_lines
from codecairn.errors import CodecairnError, UsageError
from codecairn.version import VERSION
from codecairn.web.feed import Hub
from codecairn.web.guard import report_bug
from codecairn.web.projects import Project, Projects
from codecairn.web.sessions import Notice, Session, Sessions

if TYPE_CHECKING:
    from codecairn.workspace.workspace import Workspace

THEME_COOKIE = "codecairn-theme"
THEMES = ("light", "dark")

_FLUSH = Markup("\0")
"""Marks where a streamed page is cut. Shown texts have no control characters."""


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the menu.

    Attributes:
        name: Its name, which pages give as `section`.
        path: Where it leads.
        key: The letter that leads there after `g`.
    """

    name: str
    path: str
    key: str


@dataclass(frozen=True)
class Site:
    """One server's pages.

    Attributes:
        sections: The menu.
        projects: What is shown.
        feed: What hands new activity to open pages.
        sessions: Who may see it.
        is_read_only: Whether all changes are refused.
        on_link_used: Called when a link has let a browser in.
    """

    sections: Sequence[Section]
    projects: Projects
    feed: Hub
    sessions: Sessions
    is_read_only: bool
    on_link_used: Callable[[], None]

    @cached_property
    def environment(self) -> Environment:
        """The templates; everything that they are given is escaped, also in files that do not end in `.html`."""
        environment = Environment(
            loader=PackageLoader("codecairn.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_shown,
        )
        environment.filters.update(
            amount=amount, count=count, day=day, duration=duration, moment=moment, size=size
        )
        environment.globals["query"] = query
        return environment


def site(request: Request) -> Site:
    """The site of a request."""
    found: Site = request.app.state.site
    return found


def session(request: Request) -> Session:
    """The session of a request, which `guard` has found."""
    found: Session = request.state.session
    return found


def form(request: Request) -> Mapping[str, list[str]]:
    """The fields of a change, which `guard` has read and checked."""
    found: Mapping[str, list[str]] = request.state.form
    return found


def field(request: Request, name: str, default: str = "") -> str:
    """One field of a change, without blanks around it."""
    return form(request).get(name, [default])[-1].strip()


def render(
    request: Request, template: str, *, status_code: int = 200, **values: object
) -> HTMLResponse:
    """A page; `values` are the template's, beside those of every page."""
    text = site(request).environment.get_template(template).render(_shared(request) | values)
    return HTMLResponse(text, status_code)


def render_streamed(request: Request, template: str, **values: object) -> StreamingResponse:
    """A page of which each part up to a `{{ flush }}` is sent, and painted, before the next one is computed.

    What takes long is a function in `values` that the template calls after a `flush`. Where it fails, the page ends with why.
    """
    pieces = site(request).environment.get_template(template).generate(_shared(request) | values)
    return StreamingResponse(_parts(pieces), media_type="text/html")


def _parts(pieces: Iterable[str]) -> Iterator[str]:
    """The text between flushes, joined."""
    waiting: list[str] = []
    try:
        for piece in pieces:
            before, mark, after = piece.partition(_FLUSH)
            waiting.append(before)
            if mark:
                yield "".join(waiting)
                waiting = [after]
    except Exception as err:  # noqa: BLE001 - the page has begun, so no other can be answered
        waiting.append(failed_end(err))
    yield "".join(waiting)


def failed_end(err: Exception) -> str:
    """The end of a page that has begun and can't go on: why, in place of the rest. A bug is printed in the terminal, too."""
    if isinstance(err, CodecairnError):
        text = f"{err.message}; {err.hint}" if err.hint else err.message
    else:
        report_bug(err)
        text = f"internal error: {type(err).__name__}; the terminal in which the server runs shows more"
    return f'<p class="notice is-error" role="alert">{escape(text)}</p></main></body></html>'


def _shared(request: Request) -> dict[str, object]:
    """The values of every page."""
    own = site(request)
    known: Session | None = request.state.session
    notices: list[Notice] = []
    if known is not None:
        notices, known.notices = known.notices, []
    return {
        "sections": own.sections,
        "session": known,
        "is_read_only": own.is_read_only,
        "notices": notices,
        "theme": theme(request),
        "version": VERSION,
        "path": request.url.path,
        "here": here(request),
        "flush": _FLUSH,
    }


def part(request: Request, template: str, **values: object) -> str:
    """A piece of a page, as text."""
    return site(request).environment.get_template(template).render(values)


def redirect(request: Request, path: str, notice: Notice | None = None) -> Response:
    """Go on to another page after a change, which reports the result once."""
    if notice is not None:
        session(request).notices.append(notice)
    return RedirectResponse(own_path(path), 303)


def own_path(path: str) -> str:
    """The path if it leads to a page of this server, else the first page."""
    is_own = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if is_own and path.isprintable() else "/"


def here(request: Request) -> str:
    """The address of this page without its host, to come back to."""
    query_text = request.url.query
    return f"{request.url.path}?{query_text}" if query_text else request.url.path


def theme(request: Request) -> str:
    """The colours that the user has chosen; empty for those of the system."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


def selected_project(request: Request) -> Project | None:
    """The project that the address names, else the one shown last, else the first; `None` without any.

    Raises:
        UsageError: If the address names one that does not exist.
    """
    own, known = site(request).projects, session(request)
    named = request.query_params.get("project", "") or field(request, "project")
    if named:
        found = own.find(named)
        known.project = found.key
        return found
    everything = own.all()
    for project in everything:
        if project.key == known.project:
            return project
    return everything[0] if everything else None


def project_of(request: Request) -> Project:
    """The selected project.

    Raises:
        UsageError: If there is none.
    """
    project = selected_project(request)
    if project is None:
        raise UsageError("there is no project yet", hint="run `codecairn index` in one")
    return project


def workspace_of(request: Request) -> "tuple[Project, Workspace]":
    """The selected project, and its workspace.

    Raises:
        CodecairnError: If there is none, or it can't be opened.
    """
    project = project_of(request)
    return project, site(request).projects.workspace(project)


def page_number(request: Request) -> int:
    """Which page of a list is asked for, from 1."""
    text = request.query_params.get("page", "1")
    return min(max(int(text), 1), 10_000) if text.isdecimal() and len(text) < 6 else 1


def query(path: str, /, **values: object) -> str:
    """An address with these parameters; those without a value are left out."""
    given = {name: value for name, value in values.items() if value not in {"", None}}
    return f"{path}?{urlencode(given)}" if given else path


def moment(ms: int | None) -> Markup:
    """A time as an element, in local time; a script makes it relative."""
    if ms is None:
        return Markup("-")
    at = datetime.fromtimestamp(ms / 1000, timezone.utc)
    local = at.astimezone()
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{local:%Y-%m-%d %H:%M:%S %Z}", f"{local:%Y-%m-%d %H:%M}"
    )


def day(ms: int) -> str:
    """The day of a time, in local time."""
    return f"{datetime.fromtimestamp(ms / 1000, timezone.utc).astimezone():%Y-%m-%d}"


def count(number: int) -> str:
    """A number with separators of thousands."""
    return f"{number:,}"


def _shown(value: object) -> object:
    """What a template prints: texts without characters that steer or reorder what is shown, then escaped by Jinja2."""
    if value is None:
        return ""
    if hasattr(value, "__html__"):
        return value
    return visible_lines(str(value))
