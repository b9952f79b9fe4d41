"""A graph behind Graphiti: episodes go in through its server, and are read back where they can be seen."""

from collections.abc import Mapping, Sequence

from codecairn.config.settings import Settings
from codecairn.core.closeable import Closeable
from codecairn.errors import ConfigError
from codecairn.memory.backends.endpoint import HTTP, REDIS, endpoint, secret
from codecairn.memory.backends.graph_database import GraphDatabase
from codecairn.memory.backends.graphiti_client import Episode, GraphitiClient, ListedEpisode
from codecairn.memory.backends.redis_connection import RedisOptions

_SERVER_PORT = 8000
_DATABASE_PORT = 6379


class Graph(Closeable):
    """One server, with the FalkorDB behind it if there is one. Not thread-safe."""

    def __init__(self, client: GraphitiClient, database: GraphDatabase | None) -> None:
        self._client = client
        self._database = database
        self._is_readable = database is not None

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()
        if self._database is not None:
            self._database.close()

    def require_readable(self) -> None:
        """See that the server works, and that its episodes can be read back.

        Raises:
            ConfigError: If they can't: a FalkorDB is behind it, and no setting says where.
            ProviderError: If the server does not work.
        """
        status = self._client.status()
        if not self._is_readable and "falkordb" in status.lower():
            raise ConfigError(
                "the Graphiti server keeps its graph in a FalkorDB, where it lists no episodes, so whether they are stored could not be seen",
                hint="set `memory.graphiti_database` to the address of that FalkorDB, such as `redis://localhost:6379`; nothing was sent, and all of it waits",
            )
        self._is_readable = True

    def require_working(self) -> None:
        """See that the server answers and reaches its database.

        Raises:
            ProviderError: If not.
        """
        self._client.status()

    def add_episode(self, episode: Episode) -> None:
        """Queue an episode; see `GraphitiClient.add_episode`."""
        self._client.add_episode(episode)

    def episodes(self, group: str, names: Sequence[str]) -> tuple[ListedEpisode, ...]:
        """The episodes of a group that have one of these names, the oldest first.

        Raises:
            ConfigError: If they can't be seen, so that one that is missing would prove nothing.
        """
        if not names or not group:
            return ()
        if self._database is not None:
            return self._database.episodes(group, names)
        if not self._is_readable:
            self.require_readable()
        wanted = frozenset(names)
        found = (each for each in self._client.episodes(group) if each.name in wanted)
        return tuple(sorted(found, key=lambda each: (each.created, each.uuid)))

    def delete_episode(self, group: str, uuid: str) -> tuple[str, ...]:
        """Remove an episode: from a FalkorDB with what was drawn from it alone, from another as its server does.

        Returns the ids of facts and entities that went with it, as far as they are known: a server does not name them.
        """
        if self._database is not None:
            return self._database.delete_episode(group, uuid)
        self._client.delete_episode(uuid)
        return ()

    def search_facts(
        self, query: str, groups: Sequence[str], limit: int
    ) -> tuple[Mapping[str, object], ...]:
        """Facts near to a query."""
        return self._client.search_facts(query, groups, limit)

    def search_nodes(
        self, query: str, groups: Sequence[str], limit: int
    ) -> tuple[Mapping[str, object], ...]:
        """Entities near to a query."""
        return self._client.search_nodes(query, groups, limit)


def open_graph(settings: Settings) -> Graph:
    """The graph that the settings name; the first call connects.

    Raises:
        ConfigError: If an address can't be used.
    """
    token = secret("memory.graphiti_token", settings.memory_graphiti_token)
    place = endpoint(
        "memory.graphiti_url",
        settings.memory_graphiti_url,
        schemes=HTTP,
        default_port=_SERVER_PORT,
        has_secret=bool(token),
    )
    client = GraphitiClient(
        place,
        token=token,
        timeout_s=settings.memory_graphiti_timeout_ms / 1000,
        allow_link_local=settings.network_allow_link_local,
    )
    return Graph(client, _database(settings))


def _database(settings: Settings) -> GraphDatabase | None:
    if not settings.memory_graphiti_database:
        return None
    password = secret(
        "memory.graphiti_database_password", settings.memory_graphiti_database_password
    )
    place = endpoint(
        "memory.graphiti_database",
        settings.memory_graphiti_database,
        schemes=REDIS,
        default_port=_DATABASE_PORT,
        has_secret=bool(password),
    )
    options = RedisOptions(
        place=place,
        database=0,
        user=settings.memory_graphiti_database_user,
        password=password,
        ca_file="",
        timeout_s=settings.memory_graphiti_timeout_ms / 1000,
        extra="graphiti",
    )
    return GraphDatabase(options, allow_link_local=settings.network_allow_link_local)
