"""The settings of backends of the memory: a Graphiti server and a Redis."""

from codecairn.config.setting import declared as _setting
from codecairn.config.workspace_rights import OWN
from codecairn.core.light_dataclass import dataclass

GRAPH_CATEGORIES = (
    "prompt",
    "intent",
    "decision",
    "preference",
    "rule-load",
    "task-create",
    "task-update",
    "task-complete",
    "discovery",
    "answer",
    "error",
    "file-write",
    "file-edit",
    "git-activity",
    "data-import",
)
"""What a graph learns something from; reads, searches and the like are left out: each episode costs calls of its model."""


@dataclass(frozen=True, kw_only=True)
class BackendSettings:
    """Settings of backends of the memory, resolved."""

    memory_graphiti_url: str = _setting(
        "",
        key="memory.graphiti_url",
        workspace=OWN,
        doc="The MCP address of a Graphiti server that gets the events of projects, such as `http://localhost:8000/mcp`; empty sends nothing.",
    )
    memory_graphiti_token: str = _setting(
        "",
        key="memory.graphiti_token",
        workspace=OWN,
        is_secret=True,
        doc="Its bearer token as `{env:NAME}`; empty for none.",
    )
    memory_graphiti_database: str = _setting(
        "",
        key="memory.graphiti_database",
        workspace=OWN,
        doc="The address of the FalkorDB behind that server, such as `redis://localhost:6379`, which is read to see that episodes are in it; empty for a server on Neo4j, which lists them itself.",
    )
    memory_graphiti_database_user: str = _setting(
        "",
        key="memory.graphiti_database_user",
        workspace=OWN,
        doc="The user there; empty for the default user.",
    )
    memory_graphiti_database_password: str = _setting(
        "",
        key="memory.graphiti_database_password",
        workspace=OWN,
        is_secret=True,
        doc="That user's password as `{env:NAME}`; empty for none.",
    )
    memory_graphiti_prefix: str = _setting(
        "codecairn",
        key="memory.graphiti_prefix",
        workspace=OWN,
        doc="The beginning of the names of groups, one a project, that episodes are put in.",
    )
    memory_graphiti_group: str = _setting(
        "",
        key="memory.graphiti_group",
        workspace=OWN,
        doc="The one group for the episodes of all projects; empty for one a project.",
    )
    memory_graphiti_read_groups: tuple[str, ...] = _setting(
        (),
        key="memory.graphiti_read_groups",
        workspace=OWN,
        doc="Other groups whose facts are recalled, too.",
    )
    memory_graphiti_categories: tuple[str, ...] = _setting(
        GRAPH_CATEGORIES,
        key="memory.graphiti_categories",
        workspace=OWN,
        doc="The categories of events that become episodes; each costs calls of the server's model.",
    )
    memory_graphiti_batch: int = _setting(
        20,
        key="memory.graphiti_batch",
        workspace=OWN,
        minimum=1,
        doc="Episodes that are sent before it is read back whether they are in the graph.",
    )
    memory_graphiti_batch_bytes: int = _setting(
        51_200,
        key="memory.graphiti_batch_bytes",
        workspace=OWN,
        minimum=1024,
        doc="The maximum bytes of a batch, and of one episode, whose text is cut there.",
    )
    memory_graphiti_attempts: int = _setting(
        3,
        key="memory.graphiti_attempts",
        workspace=OWN,
        minimum=1,
        doc="How often an episode may fail where others succeed, before it becomes a dead letter.",
    )
    memory_graphiti_confirm_s: int = _setting(
        120,
        key="memory.graphiti_confirm_s",
        workspace=OWN,
        minimum=1,
        doc="Seconds without any new episode in the graph after which queued ones count as lost and are sent again.",
    )
    memory_graphiti_timeout_ms: int = _setting(
        15_000,
        key="memory.graphiti_timeout_ms",
        workspace=OWN,
        minimum=1,
        doc="The timeout of a call of the server in milliseconds.",
    )
    memory_graphiti_recall: bool = _setting(
        default=True,
        key="memory.graphiti_recall",
        workspace=OWN,
        doc="Whether facts of the graph are recalled.",
    )
    memory_graphiti_recall_ms: int = _setting(
        300,
        key="memory.graphiti_recall_ms",
        workspace=OWN,
        doc="Milliseconds that a recall waits for the graph; then it uses what it got before.",
    )
    memory_graphiti_cache_s: int = _setting(
        600,
        key="memory.graphiti_cache_s",
        workspace=OWN,
        doc="Seconds after which facts of the graph are asked for again.",
    )
    memory_graphiti_drift: float = _setting(
        0.5,
        key="memory.graphiti_drift",
        workspace=OWN,
        doc="The Jaccard similarity of two questions' words below which the graph is asked again, 0 to 1.",
    )
    memory_redis_url: str = _setting(
        "",
        key="memory.redis_url",
        workspace=OWN,
        doc="The address of a Redis that your machines share, such as `rediss://cache.example:6380/0`: sessions that go on are kept there, too, and taken over from it; empty sends nothing.",
    )
    memory_redis_user: str = _setting(
        "",
        key="memory.redis_user",
        workspace=OWN,
        doc="The ACL user there; empty for the default user.",
    )
    memory_redis_password: str = _setting(
        "",
        key="memory.redis_password",
        workspace=OWN,
        is_secret=True,
        doc="That user's password as `{env:NAME}`; empty for none.",
    )
    memory_redis_ca_file: str = _setting(
        "",
        key="memory.redis_ca_file",
        workspace=OWN,
        doc="A file of certificates that the server's is checked against; empty for those of the system.",
    )
    memory_redis_prefix: str = _setting(
        "",
        key="memory.redis_prefix",
        workspace=OWN,
        doc="The beginning of all keys there, such as `team:`.",
    )
    memory_redis_session_s: int = _setting(
        86_400,
        key="memory.redis_session_s",
        workspace=OWN,
        minimum=60,
        doc="Seconds after its last event that a session is kept there; its snapshot is kept twice as long.",
    )
    memory_redis_timeout_ms: int = _setting(
        2_000,
        key="memory.redis_timeout_ms",
        workspace=OWN,
        minimum=1,
        doc="The timeout of a command in milliseconds.",
    )
