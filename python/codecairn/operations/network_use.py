"""Which data the settings and grants send to which provider, and when: nothing by default. It is shown before anything is sent.

It is derived from settings and from the grants for shared indexes that the user accepted: no request is made.
"""

from collections.abc import Iterator
from pathlib import Path

from codecairn.config.settings import Settings
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError, ConfigError
from codecairn.paths import user


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One kind of text that leaves this machine.

    Attributes:
        setting: The setting that has it sent.
        what: The text.
        to: Who gets it: a provider and its address.
        when: What has it sent.
    """

    setting: str
    what: str
    to: str
    when: str

    @property
    def line(self) -> str:
        """All of it in one sentence."""
        return f"{self.what} to {self.to} {self.when} (`{self.setting}`)"


def outgoing(settings: Settings, *, root: Path | None = None) -> tuple[Outgoing, ...]:
    """Everything that these settings have sent; empty by default.

    Of shared indexes that of the workspace at `root` counts; without one, those of all grants that the user holds.
    """
    return (
        *_embedding(settings),
        *_reranking(settings),
        *_extraction(settings),
        *_memory_embedding(settings),
        *_graph(settings),
        *_redis(settings),
        *_shared_indexes(settings, root),
    )


def _embedding(settings: Settings) -> Iterator[Outgoing]:
    if settings.embedding_provider == "builtin":
        return
    from codecairn.embedding.factory import AUTO_ORDER
    from codecairn.embedding.plan import BASE_URLS, LOCAL

    provider = settings.embedding_provider
    if provider in LOCAL:
        return
    if provider == "auto":
        to = f"the first of {', '.join(AUTO_ORDER)} that can be used"
    else:
        to = _with_address(provider, settings.embedding_base_url or BASE_URLS.get(provider))
    yield Outgoing(
        setting="embedding.provider",
        what="the text of indexed files, and each question,",
        to=to,
        when="whenever files are indexed by `index`, `watch` or `mcp`, and at each search",
    )


def _reranking(settings: Settings) -> Iterator[Outgoing]:
    if settings.rerank_provider == "none":
        return
    from codecairn.embedding.rerankers import BASE_URLS

    provider = settings.rerank_provider
    yield Outgoing(
        setting="rerank.provider",
        what="each question and the code of its best results",
        to=_with_address(provider, settings.rerank_base_url or BASE_URLS.get(provider)),
        when="at each search",
    )


def _extraction(settings: Settings) -> Iterator[Outgoing]:
    if not settings.extraction_providers:
        return
    from codecairn.llm.choice import named

    try:
        models = named(settings)
    except ConfigError:
        return  # nothing is sent before the setting is corrected
    by_hand = "by `codecairn memory work`, `summarise` and `init`"
    by_itself = "when an agent's session starts or ends, when `codecairn mcp` starts, and "
    yield Outgoing(
        setting="extraction.providers",
        what="the text of agents' sessions",
        to=", else ".join(f"{each.provider} at {each.address}" for each in models),
        when=(by_itself if settings.hooks_background else "") + by_hand,
    )


def _memory_embedding(settings: Settings) -> Iterator[Outgoing]:
    provider = settings.memory_embedding_provider
    if provider == "builtin":
        return
    from codecairn.embedding.plan import BASE_URLS, LOCAL
    from codecairn.memory.embedder import settings_of_embedder

    if provider in LOCAL:
        return
    address = settings_of_embedder(settings).embedding_base_url or BASE_URLS.get(provider)
    by_itself = "when an agent's session starts or ends, when `codecairn mcp` starts, "
    yield Outgoing(
        setting="memory.embedding_provider",
        what="facts, what users and agents said, and each question to the memory",
        to=_with_address(provider, address),
        when=(by_itself if settings.hooks_background else "")
        + "by `codecairn memory work`, and at each search of the memory",
    )


def _graph(settings: Settings) -> Iterator[Outgoing]:
    if not settings.memory_graphiti_url:
        return
    from codecairn.memory.backends.endpoint import shown

    recall = (
        ", and questions at each search of the memory" if settings.memory_graphiti_recall else ""
    )
    yield Outgoing(
        setting="memory.graphiti_url",
        what=f"events of agents' sessions{recall}",
        to=f"Graphiti at {shown(settings.memory_graphiti_url)}, and to the model behind it,",
        when=_when_drained(settings),
    )


def _redis(settings: Settings) -> Iterator[Outgoing]:
    if not settings.memory_redis_url:
        return
    from codecairn.memory.backends.endpoint import shown

    yield Outgoing(
        setting="memory.redis_url",
        what="events and snapshots of agents' sessions that go on",
        to=f"the Redis at {shown(settings.memory_redis_url)}",
        when=_when_drained(settings),
    )


def _when_drained(settings: Settings) -> str:
    is_by_itself = settings.hooks_background and settings.hooks_capture
    by_itself = "when an agent's session starts or ends, and " if is_by_itself else ""
    return f"{by_itself}by `codecairn memory backend drain`"


def _shared_indexes(settings: Settings, root: Path | None) -> Iterator[Outgoing]:
    for place in _places_of_indexes(settings.index_remote, root):
        yield Outgoing(
            setting="index.remote",
            what="requests for the objects of a shared index, without any text,",
            to=place,
            when="at the first search in a workspace without an index, and by `codecairn pull` and `codecairn remote status`",
        )


def _places_of_indexes(setting: str, root: Path | None) -> Iterator[str]:
    if setting not in {"", "off"}:
        yield setting
    if setting or not user.has_grants():
        return
    from codecairn.replication import grant_folder

    try:
        held = grant_folder.grants() if root is None else (grant_folder.find(root, setting),)
    except CodecairnError:
        return  # nothing is asked before the grants can be read
    for grant in held:
        if grant is not None:
            team = " and to the database of its team" if grant.team else ""
            yield f"`{grant.name}` at {grant.url}{team}"


def _with_address(provider: str, address: str | None) -> str:
    return f"{provider} at {address}" if address else provider
