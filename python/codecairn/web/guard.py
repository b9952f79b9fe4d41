"""Decides which requests reach the page, before anything of it runs.

In order: the method, `Host` (421), `Origin` and `Sec-Fetch-Site` (403), sizes (413, 414), rates (429), the cookie (401), and for
each change the CSRF token (403). The names of routes decide nothing here but what is public: style sheets, scripts, and the link
that signs a browser in.
"""

import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from os import environ
from typing import Any
from urllib.parse import parse_qs

from codecairn.clock import Clock
from codecairn.loopback.serving import is_same_secret
from codecairn.web.sessions import Session, Sessions

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = Callable[[int, str, str, Session | None], App]
"""Makes the page of a status, a heading and a text."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response; a response may replace `cache-control` alone."""

LINK_PATH = "/open"
"""Where a link leads that signs a browser in."""

STATIC_PATH = "/static/"
"""Where files of the package lie, which are the same for everyone."""

HARMLESS_PATHS = frozenset({"/theme", "/sign-out"})
"""Changes of the browser's own cookies, which `--read-only` allows."""

MAX_URL_BYTES = 8_192
MAX_BODY_BYTES = 1 << 20
MAX_FIELDS = 2_000

RATES = {"public": (20.0, 100.0), "session": (50.0, 300.0)}
"""Requests a second, and at once: of all that have no cookie together, and of each session."""


class Guard:
    """An application behind these checks."""

    def __init__(
        self,
        app: App,
        *,
        sessions: Sessions,
        hosts: frozenset[str],
        is_read_only: bool,
        clock: Clock,
        refusal: Refusal,
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._hosts = hosts
        self._is_read_only = is_read_only
        self._refusal = refusal
        self._rates = _Rates(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        has_begun = False

        async def guarded_send(message: MutableMapping[str, Any]) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                message = {**message, "headers": _with_headers(message.get("headers", ()))}
            await send(message)

        try:
            app, receive = await self._chosen(scope, receive)
            await app(scope, receive, guarded_send)
        except Exception as err:  # noqa: BLE001 - the outer edge of a request
            report_bug(err)
            if not has_begun:
                text = f"{type(err).__name__}; the terminal in which the server runs shows more"
                refused = self._refusal(500, "internal error", text, None)
                await refused(scope, receive, guarded_send)

    async def _chosen(self, scope: Scope, receive: Receive) -> tuple[App, Receive]:
        """The application if the request may reach it, else what refuses it; and what is left to receive."""
        headers = _Headers(scope)
        path = scope["path"]
        scope["state"] = {"session": None, "form": {}}
        refused = self._refused_by_head(scope, headers)
        if refused is not None:
            return refused, receive
        session = self._sessions.session(headers.cookie(self._sessions.cookie))
        is_public = path == LINK_PATH or path.startswith(STATIC_PATH)
        if not self._rates.take(f"{id(session)}" if session else "public"):
            return self._refusal(429, "too many requests", "wait a moment", session), receive
        if session is None and not is_public:
            return self._refusal(401, "no access", "", None), receive
        scope["state"]["session"] = session
        if scope["method"] != "POST":
            return self._app, receive
        return await self._change(scope, receive, session)

    def _refused_by_head(self, scope: Scope, headers: "_Headers") -> App | None:
        if scope["method"] not in {"GET", "HEAD", "POST"}:
            return self._refusal(405, "method not allowed", "only GET, HEAD and POST are", None)
        host = headers.only("host")
        if host not in self._hosts:
            return self._refusal(421, "wrong host", "this address is not the page's", None)
        if len(scope["raw_path"] or b"") + len(scope["query_string"]) > MAX_URL_BYTES:
            return self._refusal(414, "address too long", f"{MAX_URL_BYTES:,} bytes at most", None)
        if not _is_own(scope, headers, host):
            text = "the request comes from another site; open the page itself"
            return self._refusal(403, "foreign request", text, None)
        return None

    async def _change(
        self, scope: Scope, receive: Receive, session: Session | None
    ) -> tuple[App, Receive]:
        """Read the form of a change, and check its token."""
        if session is None:
            return self._refusal(
                405, "method not allowed", "nothing is changed here", None
            ), receive
        body = await _read(receive)
        if body is None:
            text = f"{MAX_BODY_BYTES:,} bytes at most"
            return self._refusal(413, "form too large", text, session), receive
        try:
            form = parse_qs(
                body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"
            )
        except ValueError:
            return self._refusal(400, "bad form", "it is not a form of this page", session), receive
        if not is_same_secret(form.pop("csrf", [""])[-1], session.csrf):
            text = "the form is too old; open the page again and repeat it"
            return self._refusal(403, "old form", text, session), receive
        if self._is_read_only and scope["path"] not in HARMLESS_PATHS:
            text = "the server was started with --read-only"
            return self._refusal(403, "read-only", text, session), receive
        scope["state"]["form"] = form
        return self._app, _ended(receive)


class _Headers:
    """The headers of a request."""

    def __init__(self, scope: Scope) -> None:
        self._headers: list[tuple[str, str]] = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]  # fmt: skip

    def only(self, name: str) -> str | None:
        """The value of a header that is given once, else `None`."""
        values = [value for each, value in self._headers if each == name]
        return values[0] if len(values) == 1 else None

    def has(self, name: str) -> bool:
        """Whether a header is given."""
        return any(each == name for each, _ in self._headers)

    def cookie(self, name: str) -> str:
        """The value of a cookie; empty without it."""
        for each, value in self._headers:
            for pair in value.split(";") if each == "cookie" else ():
                key, _, text = pair.strip().partition("=")
                if key == name:
                    return text
        return ""


def _is_own(scope: Scope, headers: _Headers, host: str | None) -> bool:
    """Whether the page itself makes the request, or the user by an address, a bookmark or the file of `--open`.

    A form of the page has the origin `null`, as it sends no referrer: then `Sec-Fetch-Site` must vouch for it.
    """
    site, origin = headers.only("sec-fetch-site"), headers.only("origin")
    if headers.has("sec-fetch-site") and site not in {"same-origin", "none"}:
        # The file that `--open` makes is of another site, and the token in the link says enough.
        is_link = scope["path"] == LINK_PATH and scope["method"] == "GET"
        return is_link and headers.only("sec-fetch-mode") == "navigate"
    if headers.has("origin") and origin != f"http://{host}":
        return origin == "null" and site == "same-origin"
    return scope["method"] != "POST" or headers.has("origin") or site == "same-origin"


async def _read(receive: Receive) -> bytes | None:
    """The body of a request; `None` if it is too large."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _ended(receive: Receive) -> Receive:
    """What is left of a request whose body was read."""
    is_first = True

    async def receive_rest() -> MutableMapping[str, Any]:
        nonlocal is_first
        if is_first:
            is_first = False
            return {"type": "http.request", "body": b"", "more_body": False}
        return await receive()

    return receive_rest


def _with_headers(given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    has_cache = any(name.lower() == b"cache-control" for name, _ in given)
    own = {
        name.encode(): value.encode()
        for name, value in HEADERS.items()
        if not (has_cache and name == "cache-control")
    }
    return [*((name, value) for name, value in given if name.lower() not in own), *own.items()]


def report_bug(err: Exception) -> None:
    """Print an error that is ours in the terminal of the server."""
    if environ.get("CODECAIRN_DEBUG"):
        traceback.print_exception(err)
        return
    text = ascii(f"{type(err).__name__}: {err}")[1:-1]
    sys.stderr.write(f"error: internal error: {text}; `CODECAIRN_DEBUG=1` shows the traceback\n")


class _Rates:
    """Token buckets by name, of which the least recently used is dropped. Thread-safe."""

    _MAX_NAMES = 64

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, name: str) -> bool:
        """Take one token; `False` if there is none."""
        a_second, most = RATES["public" if name == "public" else "session"]
        now_s = self._clock.monotonic_s()
        with self._lock:
            tokens, last_s = self._buckets.pop(name, (most, now_s))
            tokens = min(most, tokens + (now_s - last_s) * a_second)
            is_allowed = tokens >= 1.0
            self._buckets[name] = (tokens - 1.0 if is_allowed else tokens, now_s)
            while len(self._buckets) > self._MAX_NAMES:
                del self._buckets[next(iter(self._buckets))]
        return is_allowed
