"""The application: its pages behind the guard."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from codecairn.clock import Clock, SystemClock
from codecairn.errors import CodecairnError, SymbolNotFound, UsageError
from codecairn.loopback.serving import own_hosts
from codecairn.web import (
    code_file,
    code_map,
    code_search,
    index_health,
    memory,
    memory_changes,
    memory_purge,
    memory_transfer,
    now,
    settings,
    worth,
)
from codecairn.web.feed import Hub
from codecairn.web.guard import LINK_PATH, STATIC_PATH, App, Guard, Receive, Scope, Send
from codecairn.web.page import (
    THEME_COOKIE,
    THEMES,
    Section,
    Site,
    field,
    own_path,
    redirect,
    render,
    site,
)
from codecairn.web.projects import Projects
from codecairn.web.sessions import Notice, Session, Sessions

SECTIONS = (
    Section("Now", "/", "n"),
    Section("Memory", "/memory", "m"),
    Section("Code", "/code", "c"),
    Section("Index", "/index", "i"),
    Section("Worth", "/worth", "w"),
    Section("Settings", "/settings", "s"),
)
"""The menu: a row for each module of routes."""

ROUTES = (
    *now.ROUTES,
    *memory.ROUTES,
    *memory_changes.ROUTES,
    *memory_purge.ROUTES,
    *memory_transfer.ROUTES,
    *code_search.ROUTES,
    *code_file.ROUTES,
    *code_map.ROUTES,
    *index_health.ROUTES,
    *worth.ROUTES,
    *settings.ROUTES,
)
"""The pages."""

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_YEAR_S = 31_536_000


def make_app(
    *,
    port: int,
    here: Path | None,
    is_read_only: bool,
    sessions: Sessions | None = None,
    on_link_used: Callable[[], None] = lambda: None,
    clock: Clock | None = None,
) -> "Page":
    """The application that is served on this port.

    Args:
        port: The port, which requests must name.
        here: The workspace that the server was started in.
        is_read_only: Whether all changes are refused.
        sessions: Who may see the page.
        on_link_used: Called when a link has let a browser in.
        clock: The source of time.
    """
    known = sessions or Sessions(port)
    time = clock or SystemClock()
    projects = Projects(here=here, is_read_only=is_read_only, clock=time)
    own = Site(
        sections=SECTIONS,
        projects=projects,
        feed=Hub(projects),
        sessions=known,
        is_read_only=is_read_only,
        on_link_used=on_link_used,
    )
    app = Starlette(
        routes=[
            Route(LINK_PATH, _open),
            Route(STATIC_PATH + "{name}", _static),
            Route("/theme", _theme, methods=["POST"]),
            Route("/sign-out", _sign_out, methods=["POST"]),
            *ROUTES,
        ],
        exception_handlers={
            CodecairnError: _failed,
            HTTPException: _not_found,
            Exception: _broken,
        },
    )
    app.state.site = own

    def refusal(status: int, title: str, text: str, session: Session | None) -> App:
        template = own.environment.get_template("refused.html")
        page = template.render(status=status, title=title, text=text, is_known=session is not None)
        return HTMLResponse(page, status, headers={"connection": "close"})

    guard = Guard(
        app,
        sessions=known,
        hosts=own_hosts(port),
        is_read_only=is_read_only,
        clock=time,
        refusal=refusal,
    )
    return Page(guard, own)


class Page:
    """The application, which can be ended.

    Attributes:
        site: Its projects and sessions.
    """

    def __init__(self, guard: Guard, own: Site) -> None:
        self.site = own
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._guard(scope, receive, send)

    def stop(self) -> None:
        """Close the live feeds, which have no end of their own; does not block."""
        self.site.feed.close()

    def close(self) -> None:
        """Close the workspaces, when nothing is served any more."""
        self.stop()
        self.site.projects.close()


def _open(request: Request) -> Response:
    """Use a link up and sign the browser in.

    The answer is a page that leads on and not a redirect: a cookie of the same site only is not sent along a way that began
    in a file or in another program.
    """
    own = site(request)
    token = request.query_params.get("token", "")
    if _only_looks(request):
        # A link checker of a chat or a browser's prefetch must not use the link up.
        is_waiting = request.method == "HEAD" and own.sessions.is_waiting(token)
        return Response(status_code=200 if is_waiting else 503 if request.method == "GET" else 401)
    secret = own.sessions.open(token)
    if secret is None:
        page = own.environment.get_template("refused.html").render(
            status=401, title="this link was used", text="", is_known=False
        )
        return HTMLResponse(page, 401)
    response = HTMLResponse(own.environment.get_template("opened.html").render())
    response.set_cookie(own.sessions.cookie, secret, httponly=True, samesite="strict", path="/")
    own.on_link_used()
    return response


def _only_looks(request: Request) -> bool:
    """Whether nobody opens the link: a request for headers alone, or one that a browser makes ahead and says so."""
    purposes = [
        request.headers.get(name, "") for name in ("sec-purpose", "purpose", "x-purpose", "x-moz")
    ]
    ahead = any(
        word in purpose.lower()
        for purpose in purposes
        for word in ("prefetch", "preview", "prerender")
    )
    return request.method == "HEAD" or ahead


def _theme(request: Request) -> Response:
    """Choose light or dark, or what the system says."""
    response = RedirectResponse(own_path(field(request, "back", "/")), 303)
    chosen = field(request, "theme")
    if chosen in THEMES:
        response.set_cookie(
            THEME_COOKIE, chosen, max_age=_YEAR_S, httponly=True, samesite="strict", path="/"
        )
    else:
        response.delete_cookie(THEME_COOKIE, httponly=True, samesite="strict", path="/")
    return response


def _sign_out(request: Request) -> Response:
    own = site(request)
    own.sessions.end(request.cookies.get(own.sessions.cookie, ""))
    response = RedirectResponse("/", 303)
    response.delete_cookie(own.sessions.cookie, httponly=True, samesite="strict", path="/")
    return response


def _static(request: Request) -> Response:
    """A style sheet or a script of the package."""
    found = _assets().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    media_type, content = found
    return Response(content, media_type=media_type, headers={"cache-control": "no-cache"})


@cache
def _assets() -> Mapping[str, tuple[str, bytes]]:
    """The package's style sheets and scripts by name, with their types: 0.1 MB, read once."""
    folder = files("codecairn.web") / "static"
    found = {}
    for file in (*folder.iterdir(), *(folder / "vendor").iterdir()):
        media_type = _TYPES.get(PurePosixPath(file.name).suffix)
        if media_type is not None:
            found[file.name] = (media_type, file.read_bytes())
    return {**found, **code_map.assets()}


def _failed(request: Request, err: Exception) -> Response:
    """The page of a failure that is known by name; after a change, the page it came from reports it."""
    assert isinstance(err, CodecairnError)
    if request.method == "POST":
        text = f"{err.message}; {err.hint}" if err.hint else err.message
        return redirect(request, field(request, "back", "/"), Notice(text, is_error=True))
    status = 404 if isinstance(err, SymbolNotFound) else 400 if isinstance(err, UsageError) else 503
    return render(request, "failed.html", status_code=status, message=err.message, hint=err.hint)


def _not_found(request: Request, err: Exception) -> Response:
    assert isinstance(err, HTTPException)
    if request.state.session is None:
        return Response(status_code=err.status_code)
    return render(
        request,
        "failed.html",
        status_code=err.status_code,
        message="there is no such page",
        hint="",
    )


def _broken(request: Request, err: Exception) -> Response:
    """The page of a bug; `guard` reports it in the terminal."""
    page = site(request).environment.get_template("refused.html")
    text = f"{type(err).__name__}; the terminal in which the server runs shows more"
    shown = page.render(status=500, title="internal error", text=text, is_known=True)
    return HTMLResponse(shown, 500)
