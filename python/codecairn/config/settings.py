"""The one table of settings: key, type, default, choices, doc."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from codecairn.config.knowledge_settings import KnowledgeSettings
from codecairn.config.setting import Setting
from codecairn.config.setting import declared as _setting
from codecairn.config.use_settings import UseSettings

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
RERANK_PROVIDERS = ("none", "cohere", "jina", "voyage", "compatible")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(UseSettings, KnowledgeSettings):
    """All settings, resolved."""

    scope: str = _setting(
        "global",
        key="scope",
        choices=("workspace", "global"),
        is_own=True,
        doc="Where stores are made: in your data folder, or in each workspace's `.codecairn/`.",
    )
    include: tuple[str, ...] = _setting(
        (),
        key="include",
        doc="Patterns (gitignore syntax) of the only files to index; none for all.",
    )
    exclude: tuple[str, ...] = _setting(
        (),
        key="exclude",
        doc="Patterns (gitignore syntax) of files not to index; `!pattern` takes in what is ignored.",
    )
    embedder: str = _setting(
        "static",
        key="embedder",
        choices=("static", "feature-hash"),
        doc="What turns text into vectors: the built-in model, or hashed sub-words, which know no meanings.",
    )
    ranking: str = _setting(
        "model",
        key="ranking",
        choices=("model", "fusion"),
        doc="How candidates are ordered: by the ranking model, or by fused retriever ranks alone.",
    )
    fusion: str = _setting(
        "rrf",
        key="fusion",
        choices=("rrf", "weighted"),
        doc="How retrievers are fused: by reciprocal ranks, or by weighted scores.",
    )
    index_wait_s: int = _setting(
        600,
        key="index.wait_s",
        doc="Seconds to wait for another process that is writing to the index; 0 for not at all.",
    )
    gc_auto: bool = _setting(
        default=True,
        key="gc.auto",
        doc="Whether indexing removes garbage once there is enough of it; never where a provider's vectors would go too.",
    )
    gc_min_contents: int = _setting(
        100,
        key="gc.min_contents",
        doc="Contents that no branch has, at least, before indexing removes them.",
    )
    gc_min_percent: int = _setting(
        25,
        key="gc.min_percent",
        doc="The part of all contents that no branch has, at least, before indexing removes them.",
    )
    gc_copy_days: int = _setting(
        30,
        key="gc.copy_days",
        doc="Days after which `gc` removes a copy of a shared store that nobody has used; 0 for never.",
    )
    search_limit: int = _setting(
        10, key="search.limit", minimum=1, doc="How many results a search returns."
    )
    search_context_lines: int = _setting(
        0, key="search.context_lines", doc="Lines shown around each result."
    )
    search_refresh: bool = _setting(
        default=True, key="search.refresh", doc="Whether a search first takes in what changed."
    )
    search_refresh_budget_ms: int = _setting(
        300,
        key="search.refresh_budget_ms",
        doc="Milliseconds that a search may spend on taking in what changed.",
    )
    memory_path: str = _setting(
        "",
        key="memory.path",
        is_own=True,
        doc="The memory's database; empty for one in your data folder.",
    )
    memory_project: str = _setting(
        "", key="memory.project", doc="The project's name in the memory; empty to tell by git."
    )
    memory_identity: str = _setting(
        "git",
        key="memory.identity",
        choices=("git", "repository", "folder"),
        doc="What makes a project: git's remote, the repository that worktrees share, or the folder.",
    )
    memory_private_unclosed: str = _setting(
        "redact",
        key="memory.private_unclosed",
        choices=("redact", "keep"),
        doc="What a `<private>` that is never closed hides: all that follows, or nothing.",
    )
    memory_compact_bytes: int = _setting(
        4000,
        key="memory.compact_bytes",
        minimum=256,
        doc="Bytes that are kept of a tool's output.",
    )
    memory_context_tokens: int = _setting(
        1800,
        key="memory.context_tokens",
        minimum=100,
        doc="Tokens of memory that an agent is given: at its start and with a prompt together.",
    )
    memory_static_tokens: int = _setting(
        1200,
        key="memory.static_tokens",
        minimum=50,
        doc="Tokens of that which it is given at its start at most.",
    )
    memory_channel: str = _setting(
        "stable",
        key="memory.channel",
        choices=("stable", "beta"),
        doc="`beta` lets in what is newer, such as `memory.endless`.",
    )
    memory_endless: bool = _setting(
        default=False,
        key="memory.endless",
        doc="For sessions that never end: at most 2,000 bytes of a tool's output are kept. Only on the beta channel.",
    )
    embedding_provider: str = _setting(
        "builtin",
        key="embedding.provider",
        choices=EMBEDDING_PROVIDERS,
        is_own=True,
        doc="Who embeds beside the built-in model; `builtin` sends nothing anywhere, `auto` takes the first of copilot, openai, google and ollama that can be used.",
    )
    embedding_model: str = _setting(
        "", key="embedding.model", is_own=True, doc="The provider's model; empty for its usual one."
    )
    embedding_base_url: str = _setting(
        "",
        key="embedding.base_url",
        is_own=True,
        doc="The address of the provider's API; empty for its own. `compatible` needs one, such as `http://localhost:1234/v1`.",
    )
    embedding_api_key: str = _setting(
        "",
        key="embedding.api_key",
        is_own=True,
        is_secret=True,
        doc="The key as `{env:NAME}`; empty to look in the provider's usual variable and in the files of OpenCode and Copilot.",
    )
    embedding_dimensions: int = _setting(
        0,
        key="embedding.dimensions",
        is_own=True,
        doc="Length of the vectors; 0 for the model's own.",
    )
    embedding_query_prompt: str = _setting(
        "auto",
        key="embedding.query_prompt",
        is_own=True,
        doc="What stands before a query; `auto` for what the model was trained with.",
    )
    embedding_document_prompt: str = _setting(
        "auto",
        key="embedding.document_prompt",
        is_own=True,
        doc="What stands before a text to be found; `auto` for what the model was trained with.",
    )
    embedding_text_tokens: int = _setting(
        0,
        key="embedding.text_tokens",
        is_own=True,
        doc="Tokens that one text may have, longer ones are split and their vectors pooled; 0 for the model's own limit.",
    )
    embedding_batch_texts: int = _setting(
        0, key="embedding.batch_texts", is_own=True, doc="Texts in a request; 0 for the provider's."
    )
    embedding_batch_tokens: int = _setting(
        0,
        key="embedding.batch_tokens",
        is_own=True,
        doc="Tokens in a request; 0 for the provider's.",
    )
    embedding_concurrency: int = _setting(
        0,
        key="embedding.concurrency",
        is_own=True,
        doc="Requests under way at once; 0 for the provider's.",
    )
    embedding_interval_ms: int = _setting(
        -1,
        key="embedding.interval_ms",
        minimum=-1,
        is_own=True,
        doc="Milliseconds between the starts of two requests; -1 for the provider's.",
    )
    embedding_tokens_per_minute: int = _setting(
        0, key="embedding.tokens_per_minute", is_own=True, doc="Tokens a minute; 0 for no limit."
    )
    embedding_retries: int = _setting(
        4,
        key="embedding.retries",
        is_own=True,
        doc="How often a request is tried again after too many requests, a failure of the server or no answer.",
    )
    embedding_timeout_ms: int = _setting(
        60_000,
        key="embedding.timeout_ms",
        minimum=1,
        is_own=True,
        doc="Milliseconds that a request may take.",
    )
    embedding_query_timeout_ms: int = _setting(
        3000,
        key="embedding.query_timeout_ms",
        minimum=1,
        is_own=True,
        doc="Milliseconds that a search waits for its query's vector; after that the built-in model's vectors are used.",
    )
    embedding_max_tokens: int = _setting(
        0,
        key="embedding.max_tokens",
        is_own=True,
        doc="Tokens that providers and rerankers may charge for a store in all; 0 for no limit.",
    )
    embedding_max_usd: float = _setting(
        0.0,
        key="embedding.max_usd",
        is_own=True,
        doc="US dollars that providers and rerankers may charge for a store in all; 0 for no limit.",
    )
    embedding_usd_per_million_tokens: float = _setting(
        -1.0,
        key="embedding.usd_per_million_tokens",
        minimum=-1,
        is_own=True,
        doc="Price of a million tokens in US dollars; -1 for the list price.",
    )
    rerank_provider: str = _setting(
        "none",
        key="rerank.provider",
        choices=RERANK_PROVIDERS,
        is_own=True,
        doc="Who orders the best results once more; `none` keeps the built-in order and sends nothing anywhere.",
    )
    rerank_model: str = _setting(
        "", key="rerank.model", is_own=True, doc="The reranker's model; empty for its usual one."
    )
    rerank_base_url: str = _setting(
        "",
        key="rerank.base_url",
        is_own=True,
        doc="The address of the reranker's API; empty for its own. `compatible` needs one.",
    )
    rerank_api_key: str = _setting(
        "",
        key="rerank.api_key",
        is_own=True,
        is_secret=True,
        doc="The reranker's key as `{env:NAME}`; empty to look where the provider's key for embeddings is looked for.",
    )
    rerank_top_n: int = _setting(
        15, key="rerank.top_n", minimum=1, is_own=True, doc="How many of the best results are sent."
    )
    rerank_timeout_ms: int = _setting(
        5000,
        key="rerank.timeout_ms",
        minimum=1,
        is_own=True,
        doc="Milliseconds that a search waits for the reranker; after that the built-in order stays.",
    )
    network_allow_link_local: bool = _setting(
        default=False,
        key="network.allow_link_local",
        is_own=True,
        doc="Whether an address of your own may be a link-local or metadata address.",
    )
    extraction_providers: tuple[str, ...] = _setting(
        (),
        key="extraction.providers",
        is_own=True,
        doc="Language models that extract and summarise, in the order in which they are asked: `provider`, `provider:model` or `provider:model@address`, with anthropic, xai, google, openai and compatible; none sends nothing anywhere.",
    )
    extraction_keys: tuple[str, ...] = _setting(
        (),
        key="extraction.keys",
        is_own=True,
        is_secret=True,
        doc="Their keys as `provider={env:NAME}`; a provider that is not named is looked for in its usual variable.",
    )
    extraction_timeout_ms: int = _setting(
        60_000,
        key="extraction.timeout_ms",
        minimum=1,
        is_own=True,
        doc="Milliseconds that a request to a language model may take.",
    )
    extraction_retries: int = _setting(
        3,
        key="extraction.retries",
        is_own=True,
        doc="How often a request to a language model is tried again before the next provider is asked.",
    )
    extraction_cooldown_s: int = _setting(
        15,
        key="extraction.cooldown_s",
        is_own=True,
        doc="Seconds that a session must be quiet before a model reads it; what waits is never dropped.",
    )
    extraction_window_chars: int = _setting(
        12_000,
        key="extraction.window_chars",
        minimum=2000,
        is_own=True,
        doc="Characters of a session that one request carries; a longer session takes several.",
    )
    extraction_summary_turns: int = _setting(
        5,
        key="extraction.summary_turns",
        minimum=1,
        doc="Prompts after which a session is summarised anew; the end of a session always is.",
    )
    extraction_max_tokens: int = _setting(
        0,
        key="extraction.max_tokens",
        is_own=True,
        doc="Tokens that extraction may cost in all; 0 for no limit.",
    )
    extraction_max_usd: float = _setting(
        0.0,
        key="extraction.max_usd",
        is_own=True,
        doc="US dollars that extraction may cost in all; 0 for no limit.",
    )


def _table() -> Mapping[str, Setting]:
    rows = {}
    inherited = UseSettings.__dataclass_fields__ | KnowledgeSettings.__dataclass_fields__
    for field in sorted(dataclasses.fields(Settings), key=lambda field: field.name in inherited):
        default: Any = field.default
        row = Setting(field=field.name, default=default, **field.metadata)
        rows[row.key] = row
    return MappingProxyType(rows)


SETTINGS = _table()
"""Every setting by its key, in the order of the table."""
