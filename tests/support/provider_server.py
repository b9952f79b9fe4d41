"""A local server that speaks the documented protocols of all providers, and remembers what it was asked."""

import base64
import hashlib
import json
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from codecairn.clock import SystemClock

KEY = "sk-test-4f1b9c7e2a"


@dataclass
class Fault:
    """What a request gets instead of a good answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: object = None
    raw: bytes | None = None
    delay_s: float = 0.0
    is_cut: bool = False
    change: Callable[[list[list[float]]], list[list[float]]] | None = None


@dataclass
class Asked:
    """One request, as the server saw it."""

    path: str
    texts: list[str]
    body: dict[str, Any]
    headers: dict[str, str]
    started_s: float
    ended_s: float = 0.0
    status: int = 0


class ProviderServer:
    """The server. `fault` decides, by the number of the request and its texts, what goes wrong; `vector` what is answered."""

    def __init__(self, dimensions: int = 8) -> None:
        self.dimensions = dimensions
        self.fault: Callable[[int, list[str]], Fault | None] = lambda _number, _texts: None
        self.vector: Callable[[str, int], list[float]] = vector_of
        self.delay_s = 0.0
        self.is_in_order = False
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.token_life_s = 1_800.0
        self.exchanges: list[str] = []
        self.refused_tokens: set[str] = set()
        self._at_once = 0
        self._awaited = 0
        self._has_come = threading.Event()
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16

            def do_GET(self) -> None:
                self._respond(server.answer(self.path, {}, dict(self.headers)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._respond(
                    server.answer(self.path, json.loads(body or b"{}"), dict(self.headers))
                )

            def _respond(self, response: "tuple[int, dict[str, str], bytes, bool]") -> None:
                status, headers, payload, is_cut = response
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(payload)))
                    self.end_headers()
                    self.wfile.write(payload[: len(payload) // 2] if is_cut else payload)
                except OSError:
                    pass
                self.close_connection = is_cut or self.close_connection

            def log_message(self, *_args: object) -> None:
                """Keep quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator["ProviderServer"]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()

    def reached(self, count: int) -> threading.Event:
        """Set as soon as so many requests for vectors have come."""
        self._awaited = count
        self._has_come.clear()
        return self._has_come

    @property
    def embeddings(self) -> list[Asked]:
        """The requests that asked for vectors."""
        return [asked for asked in self.asked if asked.texts]

    @property
    def embedded(self) -> list[str]:
        """The texts that were answered well, in order, each as often as it was."""
        good = [asked for asked in self.embeddings if asked.status == 200]
        return [text for asked in good for text in asked.texts]

    def answer(
        self, path: str, body: dict[str, Any], headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes, bool]:
        """One exchange: status, headers, payload, whether it is cut."""
        texts = _texts(path, body)
        asked = Asked(path, texts, body, headers, time.monotonic())
        with self._lock:
            number = len(self.embeddings)
            self.asked.append(asked)
            if self._awaited and len(self.embeddings) >= self._awaited:
                self._has_come.set()
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            if path.endswith("/v2/token"):
                self.exchanges.append(f"tid=short-lived-{len(self.exchanges) + 1}")
        fault = (self.fault(number, texts) if texts else None) or Fault()
        if headers.get("Authorization", "").removeprefix("Bearer ") in self.refused_tokens:
            fault = Fault(status=401, body={"message": "unauthorized: token expired"})
        try:
            time.sleep(fault.delay_s or self.delay_s)
            vectors = [self.vector(text, self.dimensions) for text in texts]
            if fault.change is not None:
                vectors = fault.change(vectors)
            document = fault.body or _document(path, vectors, body, self)
            payload = fault.raw if fault.raw is not None else json.dumps(document).encode()
            is_bad = fault.is_cut or fault.raw is not None or fault.change is not None
            asked.status = 0 if fault.status == 200 and is_bad else fault.status
            return fault.status, fault.headers, payload, fault.is_cut
        finally:
            asked.ended_s = time.monotonic()
            with self._lock:
                self._at_once -= 1


def vector_of(text: str, dimensions: int) -> list[float]:
    """The vector of a text: equal texts have equal ones."""
    digest = hashlib.sha256(text.encode()).digest()
    return [(digest[at % 32] - 127.5) / 128 for at in range(dimensions)]


def _texts(path: str, body: dict[str, Any]) -> list[str]:
    if path.endswith(":batchEmbedContents"):
        return [row["content"]["parts"][0]["text"] for row in body["requests"]]
    if path.endswith("/embed") and "texts" in body:
        return cast("list[str]", body["texts"])
    if path.endswith(("/embeddings", "/api/embed")):
        given = body["input"]
        return given if isinstance(given, list) else [given]
    return []


def _document(
    path: str, vectors: list[list[float]], body: dict[str, Any], server: ProviderServer
) -> dict[str, Any]:
    tokens = sum(len(text) // 4 + 1 for text in _texts(path, body))
    packed = [_packed(vector) for vector in vectors]
    told = packed if body.get("encoding_format") == "base64" else vectors
    rows = [{"object": "embedding", "index": at, "embedding": v} for at, v in enumerate(told)]
    usage = {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}
    info = {"own.embedding_length": server.dimensions, "own.context_length": 512}
    by_end: dict[str, dict[str, Any]] = {
        ":batchEmbedContents": {"embeddings": [{"values": vector} for vector in vectors]},
        "/api/embed": {"embeddings": vectors, "prompt_eval_count": tokens},
        "/api/tags": {
            "models": [
                {"name": name, "model": name}
                for name in ("nomic-embed-text:latest", "own-model:latest")
            ]
        },
        "/api/show": {"capabilities": ["embedding"], "model_info": info},
        "/embed": {
            "id": "embed-1",
            "embeddings": {"float": vectors},
            "meta": {"billed_units": {"input_tokens": tokens}},
        },
        "/v2/token": {
            "token": server.exchanges[-1] if server.exchanges else "",
            "expires_at": int(SystemClock().now_ns() / 1e9 + server.token_life_s),
            "refresh_in": int(server.token_life_s) - 300,
            "endpoints": {},
        },
        "/embeddings": {
            "id": "embeddings-1",
            "object": "list",
            "model": body.get("model"),
            # The order of rows is not promised; the index is.
            "data": rows if server.is_in_order else rows[::-1],
            "usage": usage,
        },
    }
    if path.endswith("/rerank"):
        return _reranked(body)
    return next(document for end, document in by_end.items() if path.endswith(end))


def _reranked(body: dict[str, Any]) -> dict[str, Any]:
    """The last document is the best."""
    count = len(body["documents"])
    rows = [{"index": at, "relevance_score": (at + 1) / count} for at in reversed(range(count))]
    tokens = sum(len(text) // 4 + 1 for text in [body["query"], *body["documents"]])
    usage = {"total_tokens": tokens}
    return {
        "results": rows,
        "data": rows,
        "usage": usage,
        "meta": {"billed_units": {"search_units": 1}},
    }


def _packed(vector: list[float]) -> str:
    """Numbers as OpenAI and Voyage write them shortly: float32, little-endian, in base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
