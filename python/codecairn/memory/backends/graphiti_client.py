"""Calls the tools of a Graphiti server over MCP (streamable HTTP) with the protocol's official client.

The server answers "queued" before it has done anything, and most of its failures come as a success whose body is
`{"error": …}`: each body is looked at. Both generations of its tools are spoken: a server is asked for the names and
parameters that it has.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from codecairn.core.closeable import Closeable
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError, ProviderBroken, ProviderRefused, ProviderUnavailable
from codecairn.memory.backends.endpoint import Endpoint, require_reachable

if TYPE_CHECKING:
    from contextlib import ExitStack

    from anyio.from_thread import BlockingPortal
    from mcp import Client

NAME = "graphiti"

_SOURCE = "text"
"""What an episode is, of `text`, `json` and `message`; the server takes any other word for `text`, silently."""

_MAX_MESSAGE = 300
_MAX_LISTED = 20_000
"""Episodes of a group that are listed: the server lists them in no useful order, so all are needed or none help."""

_MAX_MOMENT_MS = 253_402_300_799_999
"""The last moment of the year 9999: the last that a date can be written for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What is sent; `ts_ms` is when it happened, in milliseconds since the epoch."""

    name: str
    body: str
    group: str
    description: str
    ts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEpisode:
    """An episode in the graph: its name, the graph's id, and when it came in, as text that sorts by time."""

    name: str
    uuid: str
    created: str


def load_client() -> None:
    """Load the modules of a connection."""
    from importlib import import_module

    for name in ("anyio.from_thread", "httpx2", "mcp.client.streamable_http"):
        import_module(name)


class GraphitiClient(Closeable):
    """One server. The connection is made by the first call, and again after a failure. Not thread-safe."""

    def __init__(
        self, place: Endpoint, *, token: str, timeout_s: float, allow_link_local: bool
    ) -> None:
        self._place = place
        self._token = token
        self._timeout_s = timeout_s
        self._allow_link_local = allow_link_local
        self._stack: ExitStack | None = None
        self._portal: BlockingPortal | None = None
        self._client: Client | None = None
        self._tools: Mapping[str, frozenset[str]] = {}
        self._is_session_unknown = False
        """Whether the last failure was that the server, another process than before, does not know our session."""

    def close(self) -> None:
        """Let go of the connection."""
        stack, self._stack, self._client, self._portal = self._stack, None, None, None
        if stack is not None:
            try:
                stack.close()
            except Exception:  # noqa: BLE001 - a broken connection can't be taken leave of
                return

    def add_episode(self, episode: Episode) -> None:
        """Queue an episode at the server; whether it gets into the graph is seen only there.

        Raises:
            ProviderUnavailable: If there is no answer, so that the episode may or may not be queued.
            ProviderRefused: If the server answers with an error.
        """
        tool = self._first_of("add_memory", "add_episode")
        ts_ms = min(max(episode.ts_ms, 0), _MAX_MOMENT_MS)
        moment = datetime.fromtimestamp(ts_ms / 1000, tz=timezone.utc)
        arguments = {
            "name": episode.name,
            "episode_body": episode.body,
            "group_id": episode.group,
            "source": _SOURCE,
            "source_description": episode.description,
            "reference_time": moment.isoformat(timespec="milliseconds"),
        }
        self._call(tool, arguments)

    def episodes(self, group: str) -> tuple[ListedEpisode, ...]:
        """The episodes of a group, as far as the server lists them: one on FalkorDB knows those of its default group alone.

        Raises:
            ProviderBroken: If there are more than are listed at a time, so that one that is missing would prove nothing.
        """
        tool = self._first_of("get_episodes")
        if "group_ids" in self._tools[tool]:
            answer = self._call(tool, {"group_ids": [group], "max_episodes": _MAX_LISTED + 1})
        else:
            answer = self._call(tool, {"group_id": group, "last_n": _MAX_LISTED + 1})
        rows = _rows_of(answer, "episodes")
        if len(rows) > _MAX_LISTED:
            raise ProviderBroken(
                f"the group `{group}` has more than {_MAX_LISTED:,} episodes, and the Graphiti server lists no more at a time",
                hint="give the project another group by `memory.graphiti_group`, or run Graphiti on FalkorDB",
                provider=NAME,
            )
        return tuple(
            ListedEpisode(
                name=_text(row, "name"), uuid=_text(row, "uuid"), created=_text(row, "created_at")
            )
            for row in rows
        )

    def delete_episode(self, uuid: str) -> None:
        """Remove an episode; what of the graph's facts and entities goes with it is up to the server."""
        self._call(self._first_of("delete_episode"), {"uuid": uuid})

    def search_facts(
        self, query: str, groups: Sequence[str], limit: int
    ) -> tuple[Mapping[str, object], ...]:
        """Facts that are near to a query, as the server gives them: `uuid`, `fact`, `name`, `valid_at`, `invalid_at`."""
        arguments = {"query": query, "group_ids": list(groups), "max_facts": limit}
        answer = self._call(self._first_of("search_memory_facts", "search_facts"), arguments)
        return _rows_of(answer, "facts")

    def search_nodes(
        self, query: str, groups: Sequence[str], limit: int
    ) -> tuple[Mapping[str, object], ...]:
        """Entities that are near to a query, as the server gives them: `uuid`, `name`, `summary`, `labels`."""
        arguments = {"query": query, "group_ids": list(groups), "max_nodes": limit}
        answer = self._call(self._first_of("search_nodes", "search_memory_nodes"), arguments)
        return _rows_of(answer, "nodes")

    def status(self) -> str:
        """What the server says of itself; empty if it has no such tool.

        Raises:
            ProviderUnavailable: If it can't reach its database, or there is no answer.
        """
        self._connected()
        if "get_status" not in self._tools:
            return ""
        answer = self._call("get_status", {})
        message = _text(answer, "message") if isinstance(answer, dict) else ""
        if isinstance(answer, dict) and answer.get("status") == "error":
            raise ProviderUnavailable(f"{NAME}: {message[:_MAX_MESSAGE]}", provider=NAME)
        return message

    def _first_of(self, *names: str) -> str:
        self._connected()
        for name in names:
            if name in self._tools:
                return name
        raise ProviderBroken(
            f"the server at `{self._place.shown}` has no tool `{names[0]}`",
            hint="check that `memory.graphiti_url` leads to the MCP server of Graphiti",
            provider=NAME,
        )

    def _call(self, tool: str, arguments: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        self._is_session_unknown = False
        try:
            result = self._called(tool, arguments)
        except ProviderUnavailable:
            if not self._is_session_unknown:
                raise
            # The server was started again, and has done nothing: the call is made once more in a new session.
            result = self._called(tool, arguments)
        body = _body(result)
        error = _error_of(body, is_error=bool(result.is_error))
        if error:
            raise ProviderRefused(
                f"{NAME} refused `{tool}`: {error[:_MAX_MESSAGE]}",
                hint="see the log of the Graphiti server",
                provider=NAME,
            )
        return body

    def _called(self, tool: str, arguments: Mapping[str, object]) -> Any:  # noqa: ANN401
        client = self._connected()
        known = self._tools[tool]
        given = {name: value for name, value in arguments.items() if not known or name in known}
        return self._run(lambda: client.call_tool(tool, given))

    def _connected(self) -> "Client":
        if self._client is not None:
            return self._client
        require_reachable(self._place, name=NAME, allow_link_local=self._allow_link_local)
        from contextlib import ExitStack

        import httpx2
        from anyio.from_thread import start_blocking_portal
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        from codecairn.memory.backends.bounded_answer import MAX_ANSWER_BYTES, bound_answer

        headers = {"Accept-Encoding": "identity"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        http = httpx2.AsyncClient(
            headers=headers,
            timeout=self._timeout_s,
            follow_redirects=False,
            event_hooks={"response": [bound_answer]},
        )
        client = Client(
            streamable_http_client(
                self._place.url, http_client=http, max_sse_event_size=MAX_ANSWER_BYTES
            ),
            read_timeout_seconds=self._timeout_s,
            mode="legacy",
        )
        self._stack = ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        try:
            self._stack.enter_context(self._portal.wrap_async_context_manager(http))
            self._stack.enter_context(self._portal.wrap_async_context_manager(client))
            self._client = client
            listed = self._run(client.list_tools)
        except CodecairnError:
            raise
        except Exception as err:
            raise self._unavailable(err) from err
        self._tools = {
            tool.name: frozenset((tool.input_schema or {}).get("properties") or {})
            for tool in listed.tools
        }
        return client

    def _run(self, work: Any) -> Any:  # noqa: ANN401 - a coroutine function of the client's
        import anyio

        async def within() -> Any:  # noqa: ANN401
            with anyio.fail_after(self._timeout_s):
                return await work()

        if self._portal is None:
            raise ProviderUnavailable(f"the connection to {NAME} is closed", provider=NAME)
        try:
            return self._portal.call(within)
        except Exception as err:
            raise self._unavailable(err) from err

    def _unavailable(self, err: BaseException) -> ProviderUnavailable:
        """A failure on the way; the next call connects again, as after the end of the server's session."""
        self.close()
        while getattr(err, "exceptions", ()):  # a group of them, as tasks raise it
            err = err.exceptions[0]  # type: ignore[attr-defined]
        detail = (
            f"no answer within {self._timeout_s:g} s" if isinstance(err, TimeoutError) else str(err)
        )
        detail = self._place.scrubbed(detail, self._token)
        self._is_session_unknown = "session not found" in detail.lower()
        return ProviderUnavailable(
            f"no answer from {NAME} at `{self._place.shown}`: {detail[:_MAX_MESSAGE] or type(err).__name__}",
            hint="check `memory.graphiti_url`, and that the server runs; pending events are sent later",
            provider=NAME,
        )


def _body(result: Any) -> Any:  # noqa: ANN401 - JSON
    """What a tool answered, whichever way its generation wraps it."""
    document = result.structured_content
    if document is None:
        text = next((part.text for part in result.content if hasattr(part, "text")), "")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return {"message": text}
    if isinstance(document, dict) and set(document) == {"result"}:
        return document["result"]
    return document


def _error_of(body: object, *, is_error: bool) -> str:
    """The error that a body holds; empty if it holds none."""
    error = body.get("error") if isinstance(body, dict) else None
    if error:
        return str(error)
    return str(body.get("message", body) if isinstance(body, dict) else body) if is_error else ""


def _rows_of(answer: object, name: str) -> tuple[Mapping[str, object], ...]:
    """The rows of an answer, which is a list of them or holds one by a name; what is no row is passed over."""
    rows = answer.get(name) if isinstance(answer, dict) else answer
    return tuple(row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
