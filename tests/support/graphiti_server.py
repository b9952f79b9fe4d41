"""A local server with the tools of Graphiti, on the official MCP server, with the failures that the real one was seen to have.

It answers "queued" and works on a queue in memory, group by group, one episode after the other. A failing model, a group's name
that is not allowed, or the end of the server lose episodes without a word. Failures come as a success with `{"error": …}`.
The graph outlives the server, as a database does.
"""

import asyncio
import contextlib
import re
import socket
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

_GROUP = re.compile(r"[A-Za-z0-9_-]+")


@dataclass
class StoredEpisode:
    """An episode in the graph."""

    uuid: str
    name: str
    content: str
    group_id: str
    source: str
    source_description: str
    created_at: str


@dataclass
class LocalGraph:
    """What the server keeps, and what goes wrong.

    Attributes:
        episodes: What is stored.
        facts: What searches find, by group.
        nodes: The same for entities.
        is_model_down: Every episode fails.
        poison: Episodes whose text holds this fail.
        hangs_at: With so many episodes stored, the model does not answer; never if negative.
        errors: The text of an error that a tool answers with, by the tool's name.
        search_delay_s: How long a search takes.
        is_of_falkordb: Whether a FalkorDB is behind it, so that no episodes are listed.
        ignores_limits: Whether searches give more than they are asked for.
        is_null: Whether lists come as null.
        on_add: Called with the name of each episode that comes in.
        seen: The names of episodes as they came in.
        searches: The questions that were asked.
    """

    episodes: list[StoredEpisode] = field(default_factory=list)
    facts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    nodes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    is_model_down: bool = False
    poison: str = ""
    hangs_at: int = -1
    errors: dict[str, str] = field(default_factory=dict)
    search_delay_s: float = 0.0
    is_of_falkordb: bool = False
    ignores_limits: bool = False
    is_null: bool = False
    on_add: Callable[[str], object] = lambda _name: None
    seen: list[str] = field(default_factory=list)
    searches: list[tuple[str, list[str]]] = field(default_factory=list)

    def names(self) -> list[str]:
        """The names of all stored episodes, sorted."""
        return sorted(episode.name for episode in self.episodes)

    def store(self, name: str, content: str, group: str, source: str, description: str) -> None:
        """Store an episode, unless it fails as the settings of this graph say."""
        if self.is_model_down or (self.poison and self.poison in content):
            return
        if not _GROUP.fullmatch(group):
            return
        number = len(self.episodes)
        self.episodes.append(
            StoredEpisode(
                uuid=str(uuid.uuid4()),
                name=name,
                content=content,
                group_id=group,
                source=source if source in {"text", "json", "message"} else "text",
                source_description=description,
                created_at=f"2026-01-01T00:00:00.{number:06}+00:00",
            )
        )


class GraphitiServer:
    """A server in a thread; `stop` ends it, and loses what is queued, as a kill does."""

    def __init__(self, graph: LocalGraph, *, is_old: bool = False, port: int = 0) -> None:
        self.graph = graph
        self.is_old = is_old
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self.port = int(self._socket.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._queues: dict[str, deque[tuple[str, str, str, str, str]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._tools().streamable_http_app(streamable_http_path="/mcp"),
                log_level="critical",
                lifespan="on",
                timeout_graceful_shutdown=0,
            )
        )
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> "GraphitiServer":
        """Listen."""
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
        return self

    def stop(self) -> None:
        """End, with what is queued."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)
        with contextlib.suppress(OSError):
            self._socket.close()

    @property
    def queued(self) -> int:
        """How many episodes wait."""
        return sum(len(queue) for queue in self._queues.values())

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    async def _work(self, group: str) -> None:
        queue = self._queues[group]
        while queue:
            await asyncio.sleep(0)
            while len(self.graph.episodes) == self.graph.hangs_at:
                if self._server.should_exit:
                    return
                await asyncio.sleep(0.01)
            self.graph.store(*queue[0])
            queue.popleft()

    def _queue(
        self, name: str, body: str, group: str, source: str, description: str
    ) -> dict[str, Any]:
        if "add_memory" in self.graph.errors:
            return {"error": self.graph.errors["add_memory"]}
        self.graph.seen.append(name)
        self.graph.on_add(name)
        queue = self._queues.setdefault(group, deque())
        queue.append((name, body, group, source, description))
        if len(queue) == 1:
            task = asyncio.ensure_future(self._work(group))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return {"message": f"Episode '{name}' queued for processing in group '{group}'"}

    def _episodes(self, groups: list[str], limit: int) -> list[dict[str, Any]]:
        if self.graph.is_of_falkordb:
            return []
        return [vars(each) for each in self.graph.episodes if each.group_id in groups][:limit]

    async def _search(
        self, tool: str, query: str, groups: list[str], found: dict[str, list[dict[str, Any]]]
    ) -> list[dict[str, Any]] | str:
        self.graph.searches.append((query, groups))
        await asyncio.sleep(self.graph.search_delay_s)
        if tool in self.graph.errors:
            return self.graph.errors[tool]
        wrong = next((group for group in groups if not _GROUP.fullmatch(group)), None)
        if wrong is not None:
            return f'Error searching: group_id "{wrong}" must contain only alphanumeric characters, dashes, or underscores'
        return [row for group in groups for row in found.get(group, [])]

    def _limited(self, rows: list[dict[str, Any]], limit: int) -> list[dict[str, Any]] | None:
        if self.graph.is_null:
            return None
        return rows if self.graph.ignores_limits else rows[:limit]

    def _tools(self) -> MCPServer:
        server = MCPServer("Graphiti Agent Memory", log_level="CRITICAL")
        (self._old_tools if self.is_old else self._new_tools)(server)

        @server.tool()
        async def search_memory_facts(
            query: str, group_ids: list[str] | None = None, max_facts: int = 10
        ) -> dict[str, Any]:
            rows = await self._search(
                "search_memory_facts", query, group_ids or [], self.graph.facts
            )
            if isinstance(rows, str):
                return {"error": rows}
            return {"facts": self._limited(rows, max_facts)}

        @server.tool()
        async def delete_episode(uuid: str) -> dict[str, Any]:
            kept = [each for each in self.graph.episodes if each.uuid != uuid]
            if len(kept) == len(self.graph.episodes):
                return {"error": f"node {uuid} not found"}
            self.graph.episodes[:] = kept
            return {"message": f"Episode with UUID {uuid} deleted successfully"}

        return server

    def _new_tools(self, server: MCPServer) -> None:
        @server.tool()
        async def add_memory(
            name: str,
            episode_body: str,
            group_id: str | None = None,
            source: str = "text",
            source_description: str = "",
            uuid: str | None = None,
            reference_time: str | None = None,
        ) -> dict[str, Any]:
            return self._queue(name, episode_body, group_id or "main", source, source_description)

        @server.tool()
        async def search_nodes(
            query: str, group_ids: list[str] | None = None, max_nodes: int = 10
        ) -> dict[str, Any]:
            rows = await self._search("search_nodes", query, group_ids or [], self.graph.nodes)
            if isinstance(rows, str):
                return {"error": rows}
            return {"nodes": self._limited(rows, max_nodes)}

        @server.tool()
        async def get_episodes(
            group_ids: list[str] | None = None, max_episodes: int = 10
        ) -> dict[str, Any]:
            if "get_episodes" in self.graph.errors:
                return {"error": self.graph.errors["get_episodes"]}
            rows = self._episodes(group_ids or [], max_episodes)
            return {"message": "", "episodes": self._limited(rows, max_episodes)}

        @server.tool()
        async def get_status() -> dict[str, Any]:
            if "get_status" in self.graph.errors:
                return {"status": "error", "message": self.graph.errors["get_status"]}
            name = "falkordb" if self.graph.is_of_falkordb else "neo4j"
            return {"status": "ok", "message": f"running and connected to {name} database"}

    def _old_tools(self, server: MCPServer) -> None:
        """Those of the version that opencode-graphiti was written for."""

        @server.tool()
        async def add_memory(
            name: str,
            episode_body: str,
            group_id: str | None = None,
            source: str = "text",
            source_description: str = "",
            uuid: str | None = None,
        ) -> dict[str, Any]:
            return self._queue(
                name, episode_body, group_id or "default", source, source_description
            )

        @server.tool()
        async def search_memory_nodes(
            query: str, group_ids: list[str] | None = None, max_nodes: int = 10, entity: str = ""
        ) -> dict[str, Any]:
            rows = await self._search("search_nodes", query, group_ids or [], self.graph.nodes)
            if isinstance(rows, str):
                return {"error": rows}
            return {"nodes": self._limited(rows, max_nodes)}

        @server.tool()
        async def get_episodes(
            group_id: str | None = None, last_n: int = 10
        ) -> list[dict[str, Any]]:
            return self._episodes([group_id or "default"], last_n)


@contextmanager
def running(graph: LocalGraph, *, is_old: bool = False, port: int = 0) -> Iterator[GraphitiServer]:
    """A server as long as the block lasts."""
    server = GraphitiServer(graph, is_old=is_old, port=port).start()
    try:
        yield server
    finally:
        server.stop()
