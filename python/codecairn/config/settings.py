"""The table of settings: key, type, default, choices, documentation."""

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from codecairn.config.agent_settings import UseSettings
from codecairn.config.backend_settings import BackendSettings
from codecairn.config.extraction_settings import ExtractionSettings
from codecairn.config.knowledge_settings import KnowledgeSettings
from codecairn.config.setting import Setting
from codecairn.config.setting import declared as _setting
from codecairn.config.workspace_rights import (
    LOWER,
    MAY_SET,
    MORE_EXCLUDED,
    ONLY_INCLUDED,
    OWN,
    stricter,
    within,
)
from codecairn.core.light_dataclass import dataclass

EMBEDDING_PROVIDERS = (
    "builtin",
    "auto",
    "openai",
    "google",
    "copilot",
    "ollama",
    "voyage",
    "mistral",
    "cohere",
    "jina",
    "compatible",
    "model2vec",
    "fastembed",
)
MEMORY_EMBEDDING_PROVIDERS = tuple(name for name in EMBEDDING_PROVIDERS if name != "auto")
"""For the memory a provider is named: `auto` goes by the keys that happen to be there."""

RERANK_PROVIDERS = ("none", "cohere", "jina", "voyage", "compatible")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(UseSettings, KnowledgeSettings, ExtractionSettings, BackendSettings):
    """All settings, resolved."""

    scope: str = _setting(
        "global",
        key="scope",
        workspace=OWN,
        choices=("workspace", "global"),
        doc="Where stores are created: in your data folder, or in each workspace's `.codecairn/`.",
    )
    include: tuple[str, ...] = _setting(
        (),
        key="include",
        workspace=ONLY_INCLUDED,
        doc="Patterns (gitignore syntax) of the only files to index; none for all.",
    )
    exclude: tuple[str, ...] = _setting(
        (),
        key="exclude",
        workspace=MORE_EXCLUDED,
        doc="Patterns (gitignore syntax) of files not to index; `!pattern` includes ignored files.",
    )
    embedder: str = _setting(
        "static",
        key="embedder",
        workspace=MAY_SET,
        choices=("static", "feature-hash"),
        doc="The embedder: the built-in model, or hashed sub-words without meaning.",
    )
    ranking: str = _setting(
        "model",
        key="ranking",
        workspace=MAY_SET,
        choices=("model", "fusion"),
        doc="How candidates are ordered: by the ranking model, or only by fused retriever ranks.",
    )
    fusion: str = _setting(
        "rrf",
        key="fusion",
        workspace=MAY_SET,
        choices=("rrf", "weighted"),
        doc="How retrievers are fused: by reciprocal ranks, or by weighted scores.",
    )
    index_wait_s: int = _setting(
        600,
        key="index.wait_s",
        workspace=LOWER,
        doc="Seconds to wait for another process that writes to the index; 0 to fail at once.",
    )
    gc_auto: bool = _setting(
        default=True,
        key="gc.auto",
        workspace=MAY_SET,
        doc="Whether indexing removes garbage when there is enough of it; never if a provider's vectors would be removed.",
    )
    gc_min_contents: int = _setting(
        100,
        key="gc.min_contents",
        workspace=MAY_SET,
        doc="The minimum number of unused contents before indexing removes them.",
    )
    gc_min_percent: int = _setting(
        25,
        key="gc.min_percent",
        workspace=MAY_SET,
        doc="The minimum percentage of unused contents before indexing removes them.",
    )
    gc_copy_days: int = _setting(
        30,
        key="gc.copy_days",
        workspace=OWN,
        doc="Days after which `gc` removes an unused copy of a shared store; 0 for never.",
    )
    search_limit: int = _setting(
        10,
        key="search.limit",
        workspace=within(1, 100),
        minimum=1,
        doc="The number of results of a search.",
    )
    search_screen_limit: int = _setting(
        5,
        key="search.screen_limit",
        workspace=within(1, 100),
        minimum=1,
        doc="The number of results that `search`, `similar` and `define` print for people without `--limit`.",
    )
    search_context_lines: int = _setting(
        0,
        key="search.context_lines",
        workspace=within(0, 50),
        doc="Lines shown around each result.",
    )
    search_vector_method: str = _setting(
        "auto",
        key="search.vector_method",
        workspace=MAY_SET,
        choices=("auto", "exact", "sketch", "hnsw"),
        doc="How the nearest vectors are found: `exact` compares all, `sketch` compares one bit per dimension first, `auto` takes one of these by size. For `hnsw` indexing builds a graph.",
    )
    search_refresh: bool = _setting(
        default=True,
        key="search.refresh",
        workspace=MAY_SET,
        doc="Whether a search first updates the index.",
    )
    search_refresh_budget_ms: int = _setting(
        300,
        key="search.refresh_budget_ms",
        workspace=within(0, 5000),
        doc="Milliseconds that a search may spend on updating the index.",
    )
    memory_path: str = _setting(
        "",
        key="memory.path",
        workspace=OWN,
        doc="The memory's database; empty for the one in your data folder.",
    )
    memory_project: str = _setting(
        "",
        key="memory.project",
        workspace=OWN,
        doc="The project's name in the memory; empty to derive it from git.",
    )
    memory_identity: str = _setting(
        "git",
        key="memory.identity",
        workspace=stricter("git", "repository", "folder"),
        choices=("git", "repository", "folder"),
        doc="What identifies a project: git's remote, the repository that worktrees share, or the folder.",
    )
    memory_private_unclosed: str = _setting(
        "redact",
        key="memory.private_unclosed",
        workspace=stricter("keep", "redact"),
        choices=("redact", "keep"),
        doc="What an unclosed `<private>` hides: everything after it, or nothing.",
    )
    memory_compact_bytes: int = _setting(
        4000,
        key="memory.compact_bytes",
        workspace=LOWER,
        minimum=256,
        doc="The number of bytes of a tool's output that are kept.",
    )
    memory_context_tokens: int = _setting(
        1800,
        key="memory.context_tokens",
        workspace=LOWER,
        minimum=100,
        doc="Tokens of memory that an agent gets, at its start and with a prompt together.",
    )
    memory_static_tokens: int = _setting(
        600,
        key="memory.static_tokens",
        workspace=LOWER,
        minimum=50,
        doc="The maximum of these tokens at its start.",
    )
    memory_channel: str = _setting(
        "stable",
        key="memory.channel",
        workspace=MAY_SET,
        choices=("stable", "beta"),
        doc="`beta` enables newer features, such as `memory.endless`.",
    )
    memory_endless: bool = _setting(
        default=False,
        key="memory.endless",
        workspace=MAY_SET,
        doc="For endless sessions: keep at most 2,000 bytes of a tool's output. Only on the beta channel.",
    )
    memory_embedding_provider: str = _setting(
        "builtin",
        key="memory.embedding_provider",
        choices=MEMORY_EMBEDDING_PROVIDERS,
        workspace=OWN,
        doc="The provider that embeds facts, what users and agents said, and questions to the memory, in addition to the built-in model; `builtin` sends nothing.",
    )
    memory_embedding_model: str = _setting(
        "",
        key="memory.embedding_model",
        workspace=OWN,
        doc="Its model; empty for that of `embedding.model` if both name the same provider, else for the provider's default.",
    )
    memory_embedding_base_url: str = _setting(
        "",
        key="memory.embedding_base_url",
        workspace=OWN,
        doc="The address of its API; empty for that of `embedding.base_url` if both name the same provider, else for the default.",
    )
    memory_embedding_api_key: str = _setting(
        "",
        key="memory.embedding_api_key",
        workspace=OWN,
        is_secret=True,
        doc="Its key as `{env:NAME}`; empty for that of `embedding.api_key` if both name the same provider, else to read the provider's variable.",
    )
    memory_embedding_dimensions: int = _setting(
        0,
        key="memory.embedding_dimensions",
        workspace=OWN,
        doc="Length of its vectors; 0 for that of `embedding.dimensions` if both name the same model, else for the model's own.",
    )
    memory_embedding_max_tokens: int = _setting(
        0,
        key="memory.embedding_max_tokens",
        workspace=OWN,
        doc="The total tokens that it may charge for the memory; 0 for no limit.",
    )
    memory_embedding_max_usd: float = _setting(
        0.0,
        key="memory.embedding_max_usd",
        workspace=OWN,
        doc="The total US dollars that it may charge for the memory; 0 for no limit.",
    )
    embedding_provider: str = _setting(
        "builtin",
        key="embedding.provider",
        choices=EMBEDDING_PROVIDERS,
        workspace=OWN,
        doc="The embedding provider in addition to the built-in model; `builtin` sends nothing, `auto` takes the first of copilot, openai, google and ollama that can be used.",
    )
    embedding_model: str = _setting(
        "",
        key="embedding.model",
        workspace=OWN,
        doc="The provider's model; empty for its default.",
    )
    embedding_base_url: str = _setting(
        "",
        key="embedding.base_url",
        workspace=OWN,
        doc="The address of the provider's API; empty for the default. `compatible` needs one, such as `http://localhost:1234/v1`.",
    )
    embedding_api_key: str = _setting(
        "",
        key="embedding.api_key",
        workspace=OWN,
        is_secret=True,
        doc="The key as `{env:NAME}`; empty to read the provider's variable and the files of OpenCode and Copilot.",
    )
    embedding_dimensions: int = _setting(
        0,
        key="embedding.dimensions",
        workspace=OWN,
        doc="Length of the vectors; 0 for the model's own.",
    )
    embedding_query_prompt: str = _setting(
        "auto",
        key="embedding.query_prompt",
        workspace=OWN,
        doc="The prefix of a query; `auto` for the one that the model was trained with.",
    )
    embedding_document_prompt: str = _setting(
        "auto",
        key="embedding.document_prompt",
        workspace=OWN,
        doc="The prefix of a document; `auto` for the one that the model was trained with.",
    )
    embedding_text_tokens: int = _setting(
        0,
        key="embedding.text_tokens",
        workspace=OWN,
        doc="The maximum tokens of one text; longer texts are split and their vectors pooled; 0 for the model's limit.",
    )
    embedding_batch_texts: int = _setting(
        0,
        key="embedding.batch_texts",
        workspace=OWN,
        doc="Texts in a request; 0 for the provider's.",
    )
    embedding_batch_tokens: int = _setting(
        0,
        key="embedding.batch_tokens",
        workspace=OWN,
        doc="Tokens in a request; 0 for the provider's.",
    )
    embedding_concurrency: int = _setting(
        0,
        key="embedding.concurrency",
        workspace=OWN,
        doc="Concurrent requests; 0 for the provider's.",
    )
    embedding_interval_ms: int = _setting(
        -1,
        key="embedding.interval_ms",
        minimum=-1,
        workspace=OWN,
        doc="Milliseconds between the starts of two requests; -1 for the provider's.",
    )
    embedding_tokens_per_minute: int = _setting(
        0,
        key="embedding.tokens_per_minute",
        workspace=OWN,
        doc="Tokens per minute; 0 for no limit.",
    )
    embedding_retries: int = _setting(
        4,
        key="embedding.retries",
        workspace=OWN,
        doc="How often a request is retried after too many requests, a server error or no answer.",
    )
    embedding_timeout_ms: int = _setting(
        60_000,
        key="embedding.timeout_ms",
        minimum=1,
        workspace=OWN,
        doc="The timeout of a request in milliseconds.",
    )
    embedding_query_timeout_ms: int = _setting(
        3000,
        key="embedding.query_timeout_ms",
        minimum=1,
        workspace=OWN,
        doc="Milliseconds that a search waits for its query's vector; then the built-in model's vectors are used.",
    )
    embedding_max_tokens: int = _setting(
        0,
        key="embedding.max_tokens",
        workspace=OWN,
        doc="The total tokens that providers and rerankers may charge for a store; 0 for no limit.",
    )
    embedding_max_usd: float = _setting(
        0.0,
        key="embedding.max_usd",
        workspace=OWN,
        doc="The total US dollars that providers and rerankers may charge for a store; 0 for no limit.",
    )
    embedding_usd_per_million_tokens: float = _setting(
        -1.0,
        key="embedding.usd_per_million_tokens",
        minimum=-1,
        workspace=OWN,
        doc="The price of a million tokens in US dollars; -1 for the list price.",
    )
    rerank_provider: str = _setting(
        "none",
        key="rerank.provider",
        choices=RERANK_PROVIDERS,
        workspace=OWN,
        doc="The reranker of the best results; `none` keeps the built-in order and sends nothing.",
    )
    rerank_model: str = _setting(
        "", key="rerank.model", workspace=OWN, doc="The reranker's model; empty for its default."
    )
    rerank_base_url: str = _setting(
        "",
        key="rerank.base_url",
        workspace=OWN,
        doc="The address of the reranker's API; empty for the default. `compatible` needs one.",
    )
    rerank_api_key: str = _setting(
        "",
        key="rerank.api_key",
        workspace=OWN,
        is_secret=True,
        doc="The reranker's key as `{env:NAME}`; empty to read it like the embedding provider's key.",
    )
    rerank_top_n: int = _setting(
        15,
        key="rerank.top_n",
        minimum=1,
        workspace=OWN,
        doc="The number of best results that are sent.",
    )
    rerank_timeout_ms: int = _setting(
        5000,
        key="rerank.timeout_ms",
        minimum=1,
        workspace=OWN,
        doc="Milliseconds that a search waits for the reranker; then the built-in order is used.",
    )
    network_allow_link_local: bool = _setting(
        default=False,
        key="network.allow_link_local",
        workspace=OWN,
        doc="Whether a custom address may be a link-local or metadata address.",
    )


def _table() -> Mapping[str, Setting]:
    rows = {}
    inherited = {field.name for base in Settings.__bases__ for field in dataclasses.fields(base)}
    for field in sorted(dataclasses.fields(Settings), key=lambda field: field.name in inherited):
        default: Any = field.default
        row = Setting(field=field.name, default=default, **field.metadata)
        rows[row.key] = row
    return MappingProxyType(rows)


SETTINGS = _table()
"""Every setting by its key, in the order of the table."""
