"""The application of a node: `POST /v1/OPERATION`, `GET /v1/REPOSITORY/objects/AA/BB…`, and `GET /v1/status`.

Each request passes, in this order: its size, the number of others, the signature and the grant. Only then anything of it is looked at.
An answer is a document, and so is an error: `{"error": {"kind", "message", "hint"}}`.
"""

import asyncio
import json
import re
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from os import environ
from typing import Any, TypeVar

from codecairn.clock import Clock
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError, UsageError
from codecairn.node.access import Access, Refusal, no_grant
from codecairn.node.answers import ANSWERED, answer, checked_values
from codecairn.node.commits import Commits, Found, Wanted
from codecairn.node.mirror import COMMIT
from codecairn.node.objects import KEY, PassedObjects
from codecairn.team.request_signature import read_request
from codecairn.version import VERSION

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PREFIX = "/v1/"
STATUS_PATH = "/v1/status"

MAX_BODY_BYTES = 1 << 20
MAX_REQUESTS = 64
"""Requests at once, those included that wait for a commit or whose answer is being sent; more get 503."""

ANSWERED_AT_ONCE = 8
"""Requests that are answered at the same time; others wait for their turn."""

CHECKED_AT_ONCE = 4
"""Requests whose signature and grant are checked at the same time, however long answers take."""

WAIT_S = 20.0
"""How long a request waits for its commit; then it gets 202 and asks again."""

MAX_WAITED_S = 3_600
"""How long ago a question may have been asked first: for a branch, git is not asked again since then."""

_RETRY_S = 1
_PIECE_BYTES = 64 << 10
_MAX_BRANCH_CHARACTERS = 1_000
_NO_STORE = (b"cache-control", b"no-store")

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A request that may be answered.

    Attributes:
        member: Who asks.
        operation: The operation's name.
        repository: The repository's id.
        wanted: The commit or branch that it is about.
        values: The operation's values.
        has_outlines: Whether the members of classes are wanted, too.
    """

    member: str
    operation: str
    repository: str
    wanted: Wanted
    values: Mapping[str, object]
    has_outlines: bool


class NodeApp:
    """The application.

    Args:
        access: Checks requests.
        commits: The commits of the repositories.
        repositories: The ids of the repositories, by name and by id.
        objects: The objects of these repositories.
        clock: The source of time.
        wait_s: How long a request waits for its commit.
    """

    def __init__(
        self,
        access: Access,
        commits: Commits,
        repositories: Mapping[str, str],
        objects: PassedObjects,
        *,
        clock: Clock,
        wait_s: float = WAIT_S,
    ) -> None:
        self._access = access
        self._commits = commits
        self._objects = objects
        self._repositories = repositories
        self._clock = clock
        self._wait_s = wait_s
        self._threads = ThreadPoolExecutor(ANSWERED_AT_ONCE, thread_name_prefix="codecairn-node")
        self._checks = ThreadPoolExecutor(CHECKED_AT_ONCE, thread_name_prefix="codecairn-check")
        self._began_s = clock.monotonic_s()
        self._active = 0
        self._answered = 0
        self._refused = 0

    def close(self) -> None:
        """Close the connections to the database, and the indexes."""
        for pool in (self._checks, self._threads):
            pool.shutdown(wait=False, cancel_futures=True)
        self._access.close()
        self._commits.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        try:
            if scope["path"] == STATUS_PATH and scope["method"] == "GET":
                await _send(send, 200, self._status())
                return
            body = await _read(receive)
            with self._place():
                status, document, retry_s = await self._answered_or_refused(scope, body)
                await _send(send, status, document, retry_s)
        except Refusal as err:
            self._refused += 1
            document = _error(err.kind, err.message, err.hint)
            await _send(send, err.status, document, err.retry_after_s)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """A request's place among the others, until its answer is sent. A refusal is sent without one.

        Raises:
            Refusal: If there is none.
        """
        if self._active >= MAX_REQUESTS:
            raise Refusal(
                503, "remote-unavailable", "this node has too many requests",
                "ask another node, or later", retry_after_s=1,
            )  # fmt: skip
        self._active += 1
        try:
            yield
        finally:
            self._active -= 1

    async def _answered_or_refused(
        self, scope: Scope, body: bytes
    ) -> tuple[int, Mapping[str, object] | bytes, int]:
        """The status, the document or object, and when to ask again.

        Raises:
            Refusal: If there is no answer.
        """
        method, path = scope["method"], scope["path"]
        try:
            key = KEY.fullmatch(path.removeprefix(PREFIX))
            if key is not None and method == "GET" and not scope["query_string"]:
                reader = partial(self._reader, scope, path, body, key[1])
                member = await self._checked_in_thread(reader)
                data = await self._in_thread(partial(self._object, member, key))
                self._answered += 1
                return 200, data, 0
            return await self._answer(scope, method, path, body)
        except Refusal:
            raise
        except UsageError as err:
            raise Refusal(400, err.code, self._without_folder(err.message), err.hint) from err
        except CodecairnError as err:
            status = 404 if err.code in {"symbol-not-found", "symbol-ambiguous"} else 503
            _report(err)
            raise Refusal(status, err.code, self._without_folder(err.message), err.hint) from err
        except OSError as err:
            _report(err)
            raise Refusal(
                503, "file-access", f"this node can't use its disk: {err.strerror or 'no reason given'}",
                "ask another node, or later", retry_after_s=10,
            ) from err  # fmt: skip
        except Exception as err:
            _report(err)
            raise Refusal(
                500, "internal", f"internal error: {type(err).__name__}",
                "what the node wrote on its standard error shows more",
            ) from err  # fmt: skip

    async def _answer(
        self, scope: Scope, method: str, path: str, body: bytes
    ) -> tuple[int, Mapping[str, object], int]:
        deadline_s = self._clock.monotonic_s() + self._wait_s
        question = await self._checked_in_thread(lambda: self._checked(scope, method, path, body))
        commit = question.wanted.commit
        found = Found(commit=commit) if commit else None
        while True:
            if found is not None:
                document = await self._in_thread(partial(self._asked, question, found))
                if document is not None:
                    self._answered += 1
                    return 200, document, 0
            if found is not None and self._clock.monotonic_s() >= deadline_s:
                return 202, {"state": "preparing"}, _RETRY_S
            found = await self._found(question, deadline_s)
            if found is None:
                return 202, {"state": "preparing"}, _RETRY_S

    def _reader(self, scope: Scope, path: str, body: bytes, repository: str) -> str:
        """The member who signed a request for an object, if they may read those of the repository."""
        member = self._member(scope, "GET", path, body)
        is_served = self._objects.has(repository)
        self._access.require_grant(member, repository if is_served else None)
        return member

    def _object(self, member: str, key: re.Match[str]) -> bytes:
        """The bytes of an object, if the member may still read it once it is here."""
        data = self._objects.read(key[0])
        self._access.require_grant(member, key[1])  # it may have been revoked meanwhile
        return data

    def _member(self, scope: Scope, method: str, path: str, body: bytes) -> str:
        """The member who signed a request."""
        headers = _headers(scope)
        request = read_request(
            headers, method=method, path=path, body=body, node=headers.get("host", "").lower()
        )
        return self._access.require_member(request)

    def _checked(self, scope: Scope, method: str, path: str, body: bytes) -> _Question:
        """The question of a request, if its member may ask it."""
        member = self._member(scope, method, path, body)
        name = path.removeprefix(PREFIX)
        is_known = path.startswith(PREFIX) and name in ANSWERED and not scope["query_string"]
        if method != "POST" or not is_known:
            raise Refusal(
                404, "usage", "there is nothing at this address",
                f"POST to {', '.join(PREFIX + each for each in ANSWERED)}",
            )  # fmt: skip
        document = _document(body)
        asked = document.pop("repository", None)
        if not isinstance(asked, str):
            raise UsageError("no repository is named", hint='as in {"repository": "shop", …}')
        repository = self._repositories.get(asked)
        self._access.require_grant(member, repository)
        if repository is None:
            raise no_grant()
        arguments = document.pop("arguments", {})
        has_outlines = document.pop("outlines", False) is True
        waited_s = document.pop("waited_s", 0)
        is_number = isinstance(waited_s, int | float) and not isinstance(waited_s, bool)
        if not (is_number and waited_s >= 0):  # NaN is not either
            raise UsageError("`waited_s` must be a number from 0 on", hint="leave it out")
        asked_s = self._clock.monotonic_s() - min(waited_s, MAX_WAITED_S)
        wanted = _wanted(document.pop("commit", None), document.pop("branch", None), asked_s)
        if document or not isinstance(arguments, dict):
            raise UsageError(
                "a request has `repository`, `commit` or `branch`, `arguments`, `outlines` and `waited_s`",
                hint='as in {"repository": "shop", "branch": "main", "arguments": {"query": "…"}}',
            )
        return _Question(
            member=member,
            operation=name,
            repository=repository,
            wanted=wanted,
            values=checked_values(name, arguments),
            has_outlines=has_outlines,
        )

    async def _found(self, question: _Question, deadline_s: float) -> Found | None:
        """The commit once it is ready; `None` if that takes longer than a request waits."""
        while True:
            job = self._commits.request(question.repository, question.wanted, question.member)
            future = asyncio.wrap_future(job.found)
            left_s = max(deadline_s - self._clock.monotonic_s(), 0)
            done, _ = await asyncio.wait([future], timeout=left_s)
            if not done:
                future.add_done_callback(lambda each: each.cancelled() or each.exception())
                return None
            if job.is_current(question.wanted):
                return future.result()
            future.exception()  # it is the answer to an earlier question

    def _asked(self, question: _Question, found: Found) -> dict[str, object] | None:
        """The answer of a commit; `None` if it is not ready, or not any more."""
        with self._commits.use(question.repository, found.commit) as prepared:
            if prepared is None:
                return None
            answered = answer(
                prepared.workspace,
                question.operation,
                question.values,
                has_outlines=question.has_outlines,
            )
            # It may have been revoked while the question waited.
            self._access.require_grant(question.member, question.repository)
            notes = dict.fromkeys((*found.notes, *prepared.notes))
            return {
                "commit": found.commit,
                "branch": question.wanted.branch,
                "notes": list(notes),
                **answered,
            }

    def _status(self) -> dict[str, object]:
        """What anyone may know: no names."""
        return {
            "codecairn": VERSION,
            "uptime_s": round(self._clock.monotonic_s() - self._began_s),
            "commits": self._commits.count,
            "object_bytes": self._commits.objects.size_bytes,
            "answered": self._answered,
            "refused": self._refused,
        }

    def _without_folder(self, message: str) -> str:
        """A message without where the node's files lie."""
        return re.sub(re.escape(str(self._commits.folder)) + r"[\w/.-]*", "the commit", message)

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _checked_in_thread(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._checks, work)


def _wanted(commit: object, branch: object, asked_s: float) -> Wanted:
    """What a request asks about."""
    if isinstance(commit, str) and branch is None and COMMIT.fullmatch(commit):
        return Wanted(commit=commit, asked_s=asked_s)
    is_name = isinstance(branch, str) and 0 < len(branch) <= _MAX_BRANCH_CHARACTERS
    if is_name and commit is None:
        return Wanted(branch=str(branch), asked_s=asked_s)
    raise UsageError(
        "name a commit by all 40 digits of its id, or a branch",
        hint='as in {"commit": "0123…"} or {"branch": "main"}',
    )


async def _send(
    send: Send, status: int, document: Mapping[str, object] | bytes, retry_s: int = 0
) -> None:
    """Send an answer, in pieces: one is sent when the client has read enough of those before."""
    is_object = isinstance(document, bytes)
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    headers = [
        (b"content-type", b"application/octet-stream" if is_object else b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        _NO_STORE,
    ]
    if retry_s:
        headers.append((b"retry-after", str(retry_s).encode()))
    if status in {413, 503}:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for begin in range(0, max(len(body), 1), _PIECE_BYTES):
        end = begin + _PIECE_BYTES
        more = end < len(body)
        await send({"type": "http.response.body", "body": body[begin:end], "more_body": more})


async def _read(receive: Receive) -> bytes:
    """The body of a request.

    Raises:
        Refusal: If it is too large, or the client is gone.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "usage", "the request was broken off")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise Refusal(413, "usage", f"a request has {MAX_BODY_BYTES:,} bytes at most")
        if not message.get("more_body"):
            return b"".join(parts)


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by name; one that is given twice counts as not given, as two readers could take another."""
    found: dict[str, str] = {}
    twice = set()
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in found:
            twice.add(key)
        found[key] = value.decode("latin-1")
    return {name: value for name, value in found.items() if name not in twice}


def _document(body: bytes) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
        UsageError: If it is none.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as err:
        raise UsageError("the body is no JSON", hint='as in {"query": "…"}') from err
    if not isinstance(document, dict):
        raise UsageError("the body is no object of JSON", hint='as in {"query": "…"}')
    return document


def _error(kind: str, message: str, hint: str) -> dict[str, object]:
    return {"error": {"kind": kind, "message": message, "hint": hint}}


def _report(err: Exception) -> None:
    """Print what the node could not do on standard error."""
    text = ascii(f"{type(err).__name__}: {err}")[1:-1]
    sys.stderr.write(f"error: {text}\n")
    if environ.get("CODECAIRN_DEBUG"):
        traceback.print_exception(err)
