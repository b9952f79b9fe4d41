"""A local server that speaks the documented protocols of language models, and remembers what it was asked."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-9a1c77b0de"


@dataclass
class Said:
    """What the model says, or what goes wrong instead.

    Attributes:
        text: Its words.
        status: The HTTP status.
        headers: Further headers.
        body: The whole document instead of one in the provider's form.
        raw: The bytes instead of a document.
        delay_s: Seconds before anything is sent.
        is_cut: Whether the connection ends in the middle.
        is_refusal: Whether the model does not want to answer.
        is_too_long: Whether the answer ended because it became too long.
    """

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: object = None
    raw: bytes | None = None
    delay_s: float = 0.0
    is_cut: bool = False
    is_refusal: bool = False
    is_too_long: bool = False


@dataclass
class Question:
    """One request, as the server saw it."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    system: str
    text: str
    provider: str

    @property
    def purpose(self) -> str:
        """The request, by the instructions to the model."""
        if "summarise a programming session" in self.system:
            return "summary"
        if "compare new statements" in self.system:
            return "contradiction"
        return "init" if "files of a project" in self.system else "normal"

    @property
    def events(self) -> list[int]:
        """Numbers of the events in it."""
        return [int(number) for number in re.findall(r"^\[E(\d+) ", self.text, re.MULTILINE)]


class ModelServer:
    """The server. `answer` decides what is said; by default a fact for every event that mentions a decision."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.answer: Callable[[Question], Said] = sensible
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                said, payload = server.exchange(self.path, body, dict(self.headers))
                try:
                    self.send_response(said.status)
                    for name, value in said.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(payload)))
                    self.end_headers()
                    self.wfile.write(payload[: len(payload) // 2] if said.is_cut else payload)
                except OSError:
                    pass
                self.close_connection = said.is_cut or self.close_connection

            def log_message(self, *_args: object) -> None:
                """Keep quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()

    def of(self, purpose: str) -> list[Question]:
        """What was asked for this."""
        return [question for question in self.asked if question.purpose == purpose]

    def exchange(
        self, path: str, body: dict[str, Any], headers: dict[str, str]
    ) -> tuple[Said, bytes]:
        """One exchange."""
        with self._lock:
            question = _question(len(self.asked), path, body, headers)
            self.asked.append(question)
        said = self.answer(question)
        time.sleep(said.delay_s)
        document = said.body or _DOCUMENTS[question.provider](said, question)
        payload = said.raw if said.raw is not None else json.dumps(document).encode()
        return said, payload


def facts(*rows: dict[str, Any]) -> Said:
    """An answer with these facts."""
    return Said(json.dumps({"facts": list(rows)}))


def sensible(question: Question) -> Said:
    """What a model that follows its instructions returns: a decision for every event that speaks of one."""
    if question.purpose == "summary":
        return Said(
            json.dumps(
                {"title": "A session", "completed": ["what was asked"], "next_steps": ["more"]}
            )
        )
    if question.purpose == "contradiction":
        return Said('{"ended": []}')
    parts = re.split(r"^\[E(\d+) [^\]]*\]$", question.text, flags=re.MULTILINE)
    rows = [
        {"type": "decision", "text": f"Settled: {said.strip()[:200]}", "events": [f"E{number}"]}
        for number, said in zip(parts[1::2], parts[2::2], strict=True)
        if "settle" in said
    ]
    return facts(*rows)


def _question(number: int, path: str, body: dict[str, Any], headers: dict[str, str]) -> Question:
    headers = {name.lower(): value for name, value in headers.items()}
    if path.endswith("/messages"):
        provider, system, text = "anthropic", body["system"], body["messages"][0]["content"]
    elif path.endswith(":generateContent"):
        provider = "google"
        system = body["systemInstruction"]["parts"][0]["text"]
        text = body["contents"][0]["parts"][0]["text"]
    else:
        assert path.endswith("/chat/completions"), path
        provider = "openai"
        system, text = (message["content"] for message in body["messages"])
    return Question(number, path, headers, body, system, text, provider)


def _anthropic(said: Said, question: Question) -> dict[str, Any]:
    reason = "refusal" if said.is_refusal else "max_tokens" if said.is_too_long else "end_turn"
    return {
        "type": "message",
        "content": [] if said.is_refusal else [{"type": "text", "text": said.text}],
        "stop_reason": reason,
        "usage": {
            "input_tokens": len(question.text) // 4,
            "cache_read_input_tokens": 10,
            "output_tokens": len(said.text) // 4,
        },
    }


def _openai(said: Said, question: Question) -> dict[str, Any]:
    reason = "content_filter" if said.is_refusal else "length" if said.is_too_long else "stop"
    message = {"role": "assistant", "content": None if said.is_refusal else said.text}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": len(question.text) // 4 + 10,
            "completion_tokens": len(said.text) // 4,
            "prompt_tokens_details": {"cached_tokens": 10},
        },
    }


def _google(said: Said, question: Question) -> dict[str, Any]:
    usage = {
        "promptTokenCount": len(question.text) // 4 + 10,
        "cachedContentTokenCount": 10,
        "candidatesTokenCount": len(said.text) // 4,
    }
    if said.is_refusal:
        return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage}
    reason = "MAX_TOKENS" if said.is_too_long else "STOP"
    parts = [{"text": "thinking", "thought": True}, {"text": said.text}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason}
    return {"candidates": [candidate], "usageMetadata": usage}


_DOCUMENTS: dict[str, Callable[[Said, Question], dict[str, Any]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "google": _google,
}
