"""Reads a graph behind Graphiti in its FalkorDB, where each group is a graph of its own.

Graphiti's server lists and deletes only what lies in its default graph there, so that whether an episode was stored is asked of
the database. Values are parameters of the queries, never part of their text.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from codecairn.core.closeable import Closeable
from codecairn.errors import ConfigError, ProviderRefused, ProviderUnavailable
from codecairn.memory.backends.endpoint import require_reachable
from codecairn.memory.backends.graphiti_client import ListedEpisode
from codecairn.memory.backends.redis_connection import RedisOptions, connect_redis

if TYPE_CHECKING:
    import redis

NAME = "falkordb"

_COLUMNS = 3

_EPISODES = (
    "MATCH (e:Episodic) WHERE e.name IN $names "
    "RETURN e.name, e.uuid, toString(e.created_at) ORDER BY e.created_at, e.uuid"
)
# What only this episode gave goes with it, and its ids are returned; of what others gave too, its share is taken back.
_REMOVAL = (
    "MATCH (:Entity)-[r:RELATES_TO]->(:Entity) WHERE r.episodes = [$uuid] "
    "WITH r, r.uuid AS id DELETE r RETURN id",
    "MATCH (:Entity)-[r:RELATES_TO]->(:Entity) WHERE $uuid IN r.episodes "
    "SET r.episodes = [each IN r.episodes WHERE each <> $uuid]",
    "MATCH (:Episodic {uuid: $uuid})-[:MENTIONS]->(n:Entity) "
    "OPTIONAL MATCH (other:Episodic)-[:MENTIONS]->(n) WHERE other.uuid <> $uuid "
    "WITH n, count(other) AS others WHERE others = 0 WITH n, n.uuid AS id DETACH DELETE n RETURN id",
    "MATCH (e:Episodic {uuid: $uuid}) DETACH DELETE e",
)


class GraphDatabase(Closeable):
    """One FalkorDB. Connected to by the first query, and again after a failure."""

    def __init__(self, options: RedisOptions, *, allow_link_local: bool) -> None:
        self._options = options
        self._allow_link_local = allow_link_local
        self._client: redis.Redis | None = None

    def close(self) -> None:
        """Let go of the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def episodes(self, group: str, names: Sequence[str]) -> tuple[ListedEpisode, ...]:
        """The episodes of a group that have one of these names, the oldest first.

        Raises:
            ProviderUnavailable: If the database does not answer.
        """
        if not self._has(group):
            return ()  # to ask for a graph that is not there would create it
        rows = self._query("GRAPH.RO_QUERY", group, _EPISODES, {"names": list(names)})
        return tuple(
            ListedEpisode(name=str(row[0]), uuid=str(row[1]), created=str(row[2]))
            for row in rows
            if isinstance(row, list) and len(row) == _COLUMNS
        )

    def delete_episode(self, group: str, uuid: str) -> tuple[str, ...]:
        """Remove an episode, and what was drawn from nothing else; the ids of the facts and entities that went with it."""
        if not self._has(group):
            return ()
        found = [self._query("GRAPH.QUERY", group, query, {"uuid": uuid}) for query in _REMOVAL]
        return tuple(str(row[0]) for rows in found for row in rows if isinstance(row, list) and row)

    def _has(self, group: str) -> bool:
        return group in (self._run("GRAPH.LIST") or ())

    def _query(
        self, command: str, group: str, query: str, parameters: Mapping[str, object]
    ) -> list[Any]:
        given = " ".join(f"{name}={_literal(value)}" for name, value in parameters.items())
        answer = self._run(command, group, f"CYPHER {given} {query}")
        rows = answer[1] if isinstance(answer, list) and len(answer) > 2 else []
        return list(rows) if isinstance(rows, list) else []

    def _run(self, *command: str) -> Any:  # noqa: ANN401 - the protocol's values
        import redis

        if self._client is None:
            require_reachable(
                self._options.place, name=NAME, allow_link_local=self._allow_link_local
            )
            self._client = connect_redis(self._options)
        try:
            return cast("Any", self._client).execute_command(*command)
        except redis.ResponseError as err:
            if "unknown command" in str(err):
                raise ConfigError(
                    f"the database at `{self._options.place.shown}` has no graphs",
                    hint="`memory.graphiti_database` is the address of the FalkorDB behind Graphiti",
                ) from err
            message = self._options.scrubbed(str(err))
            raise ProviderRefused(f"{NAME}: {message}", hint="", provider=NAME) from err
        except (redis.RedisError, OSError) as err:
            self.close()
            raise ProviderUnavailable(
                f"no answer from {NAME} at `{self._options.place.shown}`: {self._options.scrubbed(str(err))}",
                hint="check `memory.graphiti_database`, and that the database runs",
                provider=NAME,
            ) from err


def _literal(value: object) -> str:
    """A parameter's value in Cypher: JSON's texts and lists are its own, too."""
    return json.dumps(value, ensure_ascii=True)
