"""The table of known embedding models: dimensions, limits, prices, prompts.

Prices are list prices in US dollars for a million tokens, as they were published when the row was written; `embedding.usd_per_million_tokens`
overrides them. A model that is not here works with `embedding.dimensions` set.
"""

from collections.abc import Mapping
from types import MappingProxyType

from codecairn.core.light_dataclass import dataclass

CODE_QUERY = "Given a question, retrieve the code that answers it"


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prefixes of a query and of a document."""

    query: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model.

    Attributes:
        dimensions: Length of its vectors unless asked for others.
        shorter: Whether vectors may be cut to fewer dimensions (matryoshka).
        text_tokens: Tokens that one text may have; longer ones are split and their vectors pooled.
        usd: Price of a million tokens; `None` if unknown.
        prompts: The prefixes of texts.
    """

    dimensions: int
    shorter: bool = False
    text_tokens: int = 8192
    usd: float | None = None
    prompts: Prompts = Prompts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How a provider wants to be asked.

    Attributes:
        batch_texts: Texts in one request at most.
        batch_tokens: Tokens in one request at most.
        concurrency: Requests under way at most.
        interval_ms: Milliseconds between the starts of two requests at least.
        backoff_ms: The first wait after a failure; it doubles with each.
        max_backoff_ms: The longest wait.
    """

    batch_texts: int
    batch_tokens: int
    concurrency: int
    interval_ms: int
    backoff_ms: int = 1000
    max_backoff_ms: int = 30_000


LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "copilot": Limits(
            batch_texts=64, batch_tokens=30_000, concurrency=1, interval_ms=4000,
            backoff_ms=5000, max_backoff_ms=60_000,
        ),
        "openai": Limits(batch_texts=256, batch_tokens=100_000, concurrency=3, interval_ms=500),
        "google": Limits(batch_texts=100, batch_tokens=20_000, concurrency=5, interval_ms=200),
        "ollama": Limits(
            batch_texts=16, batch_tokens=32_000, concurrency=5, interval_ms=0,
            backoff_ms=500, max_backoff_ms=5000,
        ),
        "voyage": Limits(batch_texts=256, batch_tokens=80_000, concurrency=3, interval_ms=200),
        "mistral": Limits(batch_texts=128, batch_tokens=14_000, concurrency=2, interval_ms=1000),
        "cohere": Limits(batch_texts=96, batch_tokens=80_000, concurrency=3, interval_ms=200),
        "jina": Limits(batch_texts=128, batch_tokens=60_000, concurrency=2, interval_ms=300),
        "compatible": Limits(batch_texts=32, batch_tokens=30_000, concurrency=3, interval_ms=0),
        "model2vec": Limits(batch_texts=1024, batch_tokens=10_000_000, concurrency=1, interval_ms=0),
        "fastembed": Limits(batch_texts=64, batch_tokens=10_000_000, concurrency=1, interval_ms=0),
    }
)  # fmt: skip
"""How each provider is asked, unless settings say otherwise."""

DEFAULT_MODELS: Mapping[str, str] = MappingProxyType(
    {
        "copilot": "text-embedding-3-small",
        "openai": "text-embedding-3-small",
        "google": "gemini-embedding-001",
        "ollama": "nomic-embed-text",
        "voyage": "voyage-code-3",
        "mistral": "codestral-embed",
        "cohere": "embed-v4.0",
        "jina": "jina-code-embeddings-1.5b",
    }
)
"""The model of each provider that has one of its own."""

_NOMIC = Prompts("search_query: ", "search_document: ")
_E5 = Prompts("query: ", "passage: ")
_BGE = Prompts("Represent this sentence for searching relevant passages: ")
_CODE_RANK = Prompts("Represent this query for searching relevant code: ")
_QWEN = Prompts(f"Instruct: {CODE_QUERY}\nQuery:")
_GEMMA = Prompts("task: code retrieval | query: ", "title: none | text: ")
_JINA_CODE = Prompts(
    "Find the most relevant code snippet given the following query:\n", "Candidate code snippet:\n"
)

MODELS: Mapping[str, Model] = MappingProxyType(
    {
        # OpenAI, also behind GitHub Copilot
        "text-embedding-3-small": Model(dimensions=1536, shorter=True, text_tokens=8191, usd=0.02),
        "text-embedding-3-large": Model(dimensions=3072, shorter=True, text_tokens=8191, usd=0.13),
        "text-embedding-ada-002": Model(dimensions=1536, text_tokens=8191, usd=0.10),
        # Google
        "gemini-embedding-001": Model(dimensions=1536, shorter=True, text_tokens=2048, usd=0.15),
        "gemini-embedding-2": Model(dimensions=1536, shorter=True, usd=0.20, prompts=_GEMMA),
        # Voyage
        "voyage-code-3": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.18),
        "voyage-3-large": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.18),
        "voyage-3.5": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.06),
        "voyage-3.5-lite": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.02),
        "voyage-4": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.06),
        "voyage-4-large": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.12),
        "voyage-4-lite": Model(dimensions=1024, shorter=True, text_tokens=32_000, usd=0.02),
        # Mistral
        "codestral-embed": Model(dimensions=1536, shorter=True, usd=0.15),
        "mistral-embed": Model(dimensions=1024, usd=0.10),
        # Cohere
        "embed-v4.0": Model(dimensions=1536, shorter=True, text_tokens=128_000, usd=0.12),
        "embed-english-v3.0": Model(dimensions=1024, text_tokens=512, usd=0.10),
        "embed-multilingual-v3.0": Model(dimensions=1024, text_tokens=512, usd=0.10),
        # Jina
        "jina-code-embeddings-1.5b": Model(
            dimensions=1536, shorter=True, text_tokens=32_000, usd=0.05, prompts=_JINA_CODE
        ),
        "jina-code-embeddings-0.5b": Model(
            dimensions=896, shorter=True, text_tokens=32_000, usd=0.02, prompts=_JINA_CODE
        ),
        "jina-embeddings-v4": Model(dimensions=2048, shorter=True, text_tokens=32_000, usd=0.05),
        "jina-embeddings-v3": Model(dimensions=1024, shorter=True, usd=0.05),
        "jina-embeddings-v2-base-code": Model(dimensions=768, usd=0.05),
        # Open weights, as Ollama, LM Studio, llama.cpp, vLLM and TEI serve them
        "nomic-embed-text": Model(dimensions=768, text_tokens=2048, usd=0, prompts=_NOMIC),
        "nomic-embed-code": Model(dimensions=3584, usd=0, prompts=_CODE_RANK),
        "coderankembed": Model(dimensions=768, usd=0, prompts=_CODE_RANK),
        "mxbai-embed-large": Model(dimensions=1024, text_tokens=512, usd=0, prompts=_BGE),
        "all-minilm": Model(dimensions=384, text_tokens=256, usd=0),
        "snowflake-arctic-embed": Model(dimensions=1024, text_tokens=512, usd=0, prompts=_BGE),
        "bge-small-en-v1.5": Model(dimensions=384, text_tokens=512, usd=0, prompts=_BGE),
        "bge-base-en-v1.5": Model(dimensions=768, text_tokens=512, usd=0, prompts=_BGE),
        "bge-large-en-v1.5": Model(dimensions=1024, text_tokens=512, usd=0, prompts=_BGE),
        "bge-m3": Model(dimensions=1024, usd=0),
        "e5-small-v2": Model(dimensions=384, text_tokens=512, usd=0, prompts=_E5),
        "e5-base-v2": Model(dimensions=768, text_tokens=512, usd=0, prompts=_E5),
        "multilingual-e5-large": Model(dimensions=1024, text_tokens=512, usd=0, prompts=_E5),
        "qwen3-embedding": Model(
            dimensions=4096, shorter=True, text_tokens=32_000, usd=0, prompts=_QWEN
        ),
        "qwen3-embedding:0.6b": Model(
            dimensions=1024, shorter=True, text_tokens=32_000, usd=0, prompts=_QWEN
        ),
        "qwen3-embedding-0.6b": Model(
            dimensions=1024, shorter=True, text_tokens=32_000, usd=0, prompts=_QWEN
        ),
        "qwen3-embedding:4b": Model(
            dimensions=2560, shorter=True, text_tokens=32_000, usd=0, prompts=_QWEN
        ),
        "embeddinggemma": Model(
            dimensions=768, shorter=True, text_tokens=2048, usd=0, prompts=_GEMMA
        ),
        "embeddinggemma-300m": Model(
            dimensions=768, shorter=True, text_tokens=2048, usd=0, prompts=_GEMMA
        ),
    }
)
"""Every known model, by its name in lower case and without the part before a slash."""

WITHOUT_TOKEN_PRICE = frozenset({"copilot"})
"""Providers whose subscription covers embeddings: their tokens are counted and cost nothing."""

PROMPTED_BY_PROVIDER = frozenset({"voyage", "cohere", "jina"})
"""Providers whose requests say what a text is for, so that no prompt is needed."""


def list_price(provider: str, model: Model) -> float | None:
    """US dollars that a provider charges for a million tokens of a model; `None` if unknown."""
    return 0.0 if provider in WITHOUT_TOKEN_PRICE else model.usd


def find_model(name: str) -> Model | None:
    """What is known of a model: `nomic-ai/nomic-embed-text` and `nomic-embed-text:latest` are the same."""
    plain = name.rpartition("/")[2].lower()
    if plain not in MODELS:
        plain = plain.removeprefix("text-embedding-")  # as LM Studio names them
    for candidate in (plain, plain.partition(":")[0]):
        for version in (candidate, candidate.removesuffix("-v1.5").removesuffix("-v1")):
            if version in MODELS:
                return MODELS[version]
    return None
