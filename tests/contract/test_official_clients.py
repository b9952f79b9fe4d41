"""The providers' own clients against the same local server: that it speaks their protocol, and that so do we.

What a client sends and what is sent here must be the same but for what is named, and both must read the same vectors
from the answers.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from codecairn.embedding.base import Provider
from codecairn.embedding.cohere import Cohere
from codecairn.embedding.google import Google
from codecairn.embedding.mistral import Mistral
from codecairn.embedding.ollama import Ollama, described, installed
from codecairn.embedding.openai import OpenAi
from codecairn.embedding.rerankers import Reranker
from codecairn.embedding.voyage import Voyage
from codecairn.remote.request import Secret
from codecairn.remote.transport import Policy, Transport
from support.provider_server import KEY, Asked, ProviderServer

# Some of these clients leave their sockets to the garbage collector.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

TEXTS = ["def first(): ...", "def second(): ..."]
KEY_HEADERS = ("authorization", "x-goog-api-key")

Vectors = Sequence[Sequence[float]]


def _client(module: str) -> Any:
    """A library that type checking does not know."""
    return pytest.importorskip(module, reason="in the dependency group `clients`")


def _openai(url: str) -> Vectors:
    client = _client("openai").OpenAI(api_key=KEY, base_url=f"{url}/v1")
    answer = client.embeddings.create(
        model="text-embedding-3-small", input=TEXTS, dimensions=8, encoding_format="float"
    )
    return [row.embedding for row in answer.data]


def _google(url: str) -> Vectors:
    genai = _client("google.genai")
    types = importlib.import_module("google.genai.types")
    options = types.HttpOptions(base_url=url, api_version="v1beta")
    client = genai.Client(api_key=KEY, http_options=options)
    answer = client.models.embed_content(
        model="gemini-embedding-001",
        contents=TEXTS,
        config=types.EmbedContentConfig(task_type="RETRIEVAL_DOCUMENT", output_dimensionality=8),
    )
    return [row.values for row in answer.embeddings]


def _voyage(url: str) -> Vectors:
    client = _client("voyageai").Client(api_key=KEY, base_url=f"{url}/v1")
    options = {"input_type": "document", "truncation": False, "output_dimension": 8}
    answer: Vectors = client.embed(TEXTS, model="voyage-code-3", **options).embeddings
    return answer


def _cohere(url: str) -> Vectors:
    answer: Vectors = (
        _client("cohere")
        .ClientV2(api_key=KEY, base_url=url)
        .embed(
            texts=TEXTS,
            model="embed-v4.0",
            input_type="search_document",
            embedding_types=["float"],
            output_dimension=8,
            truncate="NONE",
        )
        .embeddings.float_
    )
    return answer


def _mistral(url: str) -> Vectors:
    client = _client("mistralai.client").Mistral(api_key=KEY, server_url=url)
    answer = client.embeddings.create(model="codestral-embed", inputs=TEXTS, output_dimension=8)
    return [row.embedding for row in answer.data]


def _ollama(url: str) -> Vectors:
    client = _client("ollama").Client(host=url)
    answer: Vectors = client.embed(
        model="nomic-embed-text", input=TEXTS, truncate=False, dimensions=8
    ).embeddings
    return answer


@dataclass(frozen=True)
class Pair:
    """A provider's own client, what is sent here, and what only one of them says."""

    theirs: Callable[[str], Vectors]
    ours: Callable[[str], Provider]
    only_theirs: frozenset[str] = frozenset()
    only_ours: frozenset[str] = frozenset()


def _shape(kind: Callable[..., Provider], model: str, path: str = "") -> Callable[[str], Provider]:
    return lambda url: kind(model=model, base_url=url + path, key=Secret(KEY), dimensions=8)


PAIRS = {
    "openai": Pair(_openai, _shape(OpenAi, "text-embedding-3-small", "/v1")),
    "google": Pair(_google, _shape(Google, "gemini-embedding-001", "/v1beta")),
    # Its client asks for a shorter notation of the same numbers.
    "voyage": Pair(
        _voyage,
        _shape(Voyage, "voyage-code-3", "/v1"),
        only_theirs=frozenset({"encoding_format"}),
    ),
    "cohere": Pair(_cohere, _shape(Cohere, "embed-v4.0", "/v2")),
    "mistral": Pair(_mistral, _shape(Mistral, "codestral-embed", "/v1")),
    "ollama": Pair(_ollama, _shape(Ollama, "nomic-embed-text")),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_same_is_sent_and_read_as_by_the_providers_own_client(
    pair: Pair, server: ProviderServer
) -> None:
    server.is_in_order = True  # which these clients count on
    theirs = pair.theirs(server.url)
    shape = pair.ours(server.url)
    with Transport(shape.name, Policy(timeout_s=5)) as transport:
        ours = shape.answer(transport.send(shape.request(TEXTS, role="document"))).vectors
    for found, expected in zip(ours, theirs, strict=True):
        assert list(found) == pytest.approx(list(expected), abs=1e-6)
    first, second = server.asked
    assert second.path == first.path
    if shape.name != "ollama":  # whose client has no key by itself
        assert _keys(second) == _keys(first)
    assert _said(second, pair.only_ours) == _said(first, pair.only_theirs)


@pytest.mark.parametrize(("name", "model"), [("cohere", "rerank-v3.5"), ("voyage", "rerank-2.5")])
def test_same_is_asked_of_a_reranker_and_read(
    name: str, model: str, server: ProviderServer
) -> None:
    path = "/v2" if name == "cohere" else "/v1"
    if name == "cohere":
        client = _client("cohere").ClientV2(api_key=KEY, base_url=server.url)
        answer = client.rerank(query="which", documents=TEXTS, model=model, top_n=2)
    else:
        client = _client("voyageai").Client(api_key=KEY, base_url=server.url + path)
        answer = client.rerank("which", TEXTS, model=model, top_k=2)
    theirs = {row.index: row.relevance_score for row in answer.results}
    reranker = Reranker(name=name, model=model, base_url=server.url + path, key=Secret(KEY))
    with Transport(name, Policy(timeout_s=5)) as transport:
        document = transport.send(reranker.request("which", TEXTS))
    assert reranker.relevances(document, count=2) == theirs
    first, second = server.asked
    assert (second.path, _keys(second)) == (first.path, _keys(first))
    # Voyage's client names the usual value of `truncation`, we say that texts need not come back.
    ours, others = frozenset({"return_documents"}), frozenset({"truncation"})
    assert _said(second, ours) == _said(first, others)


def test_what_ollama_has_is_read_as_its_own_client_reads_it(server: ProviderServer) -> None:
    client = _client("ollama").Client(host=server.url)
    shape = Ollama(model="nomic-embed-text", base_url=server.url)
    with Transport("ollama", Policy(timeout_s=5)) as transport:
        names = installed(transport.send(shape.tags()))
        model = described(transport.send(shape.show()))
    assert [row.model for row in client.list().models] == names
    facts = client.show("nomic-embed-text").modelinfo
    assert model is not None
    assert [model.dimensions, model.text_tokens] == [
        facts["own.embedding_length"],
        facts["own.context_length"],
    ]
    paths = [(asked.path, asked.body) for asked in server.asked]
    assert paths[:2] == paths[2:]


def _keys(asked: Asked) -> dict[str, str]:
    lower = {name.lower(): value for name, value in asked.headers.items()}
    return {name: lower[name] for name in KEY_HEADERS if name in lower}


def _said(asked: Asked, besides: frozenset[str]) -> dict[str, object]:
    """What a body says, but for what goes without saying: empty values, and that a user wrote a text."""
    return {
        name: _plain(value)
        for name, value in asked.body.items()
        if name not in besides and value is not None
    }


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            name: _plain(item)
            for name, item in value.items()
            if item is not None and (name, item) != ("role", "user")
        }
    return [_plain(item) for item in value] if isinstance(value, list) else value
