"""A scripted model for Graphiti, as a program of its own: an HTTP server in the form of OpenAI's, without a model.

Entities of a text are its capitalised words; the first has a relation to the second, and the relation's fact is the text.
Embeddings hash words. `POST /fault {"mode": "500" | "429" | "slow" | "garbage" | null}` has it fail.
"""

import hashlib
import itertools
import json
import math
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_DIMENSIONS = 1024
_MAX_NAMES = 2
_FAULT: dict[str, str | None] = {"mode": None}
_TEXT = re.compile(r"<(CURRENT[ _]MESSAGE|TEXT|JSON|EPISODE)>(.*?)</\1>", re.DOTALL)


def embedding(text: str) -> list[float]:
    """A unit vector in which texts of equal words are near."""
    vector = [0.0] * _DIMENSIONS
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
        vector[number % _DIMENSIONS] += 1.0 if number >> 63 else -1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def reply(schema: dict[str, Any], prompt: str) -> dict[str, Any]:
    """What fits a schema of Graphiti's, by the names of its properties."""
    found = _TEXT.search(prompt)
    text = (found[2] if found else prompt[-2000:]).strip().rpartition("Detail: ")[2]
    names = list(dict.fromkeys(re.findall(r"\b[A-Z][A-Za-z0-9_]{2,}\b", text)))[:_MAX_NAMES]
    properties = schema.get("properties", {})
    if "extracted_entities" in properties:
        rows = [{"name": name, "entity_type_id": 0, "episode_indices": [0]} for name in names]
        return {"extracted_entities": rows}
    if "edges" in properties:
        edge = {"relation_type": "RELATES_TO", "fact": text[:300], "episode_indices": [0]}
        pairs = [*itertools.pairwise(names)][:1]
        return {
            "edges": [edge | {"source_entity_name": a, "target_entity_name": b} for a, b in pairs]
        }
    if "entity_resolutions" in properties:
        rows = re.findall(r'"id":\s*(\d+),\s*"name":\s*"([^"]+)"', prompt)
        return {
            "entity_resolutions": [
                {"id": int(number), "name": name, "duplicate_candidate_id": -1}
                for number, name in rows
            ]
        }
    known: dict[str, Any] = {
        "duplicate_facts": [], "contradicted_facts": [], "valid_at": None, "invalid_at": None,
        "summaries": [], "summary": text[:100], "timestamps": [{"valid_at": None, "invalid_at": None}] * 8,
    }  # fmt: skip
    kinds = {name: row.get("type") for name, row in properties.items()}
    return {name: known.get(name, [] if kind == "array" else None) for name, kind in kinds.items()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments: object) -> None:
        """Nothing is logged."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        mode = _FAULT["mode"]
        if self.path == "/fault":
            _FAULT["mode"] = body["mode"]
            self._send(200, {})
        elif mode in {"500", "429"}:
            self._send(int(mode), {"error": {"message": "scripted failure"}})
        elif self.path.endswith("/embeddings"):
            self._embed(body)
        else:
            if mode == "slow":
                time.sleep(5)
            self._answer(body, is_garbage=mode == "garbage")

    def _embed(self, body: dict[str, Any]) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = [
            {"object": "embedding", "index": index, "embedding": embedding(text)}
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._send(
            200, {"object": "list", "model": body.get("model"), "data": rows, "usage": usage}
        )

    def _answer(self, body: dict[str, Any], *, is_garbage: bool) -> None:
        if self.path.endswith("/responses"):
            schema = ((body.get("text") or {}).get("format") or {}).get("schema") or {}
            prompt = "\n".join(_texts(body.get("input")))
        else:
            form = (body.get("response_format") or {}).get("json_schema") or {}
            schema = form.get("schema") or {}
            prompt = "\n".join(_texts(body.get("messages")))
        text = "no json" if is_garbage else json.dumps(reply(schema, prompt))
        if self.path.endswith("/responses"):
            part = {"type": "output_text", "text": text, "annotations": []}
            message = {
                "type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part],
            }  # fmt: skip
            details = {
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            }
            usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
            self._send(
                200,
                {
                    "id": "r", "object": "response", "created_at": 0, "model": body.get("model"),
                    "status": "completed", "output": [message], "parallel_tool_calls": False,
                    "tool_choice": "auto", "tools": [], "usage": usage,
                },
            )  # fmt: skip
            return
        choice = {
            "index": 0, "finish_reason": "stop", "logprobs": None,
            "message": {"role": "assistant", "content": text},
        }  # fmt: skip
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        self._send(
            200,
            {
                "id": "c", "object": "chat.completion", "created": 0, "model": body.get("model"),
                "choices": [choice], "usage": usage,
            },
        )  # fmt: skip

    def _send(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _texts(value: Any) -> list[str]:
    """All texts of messages, whichever way they are nested."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    if isinstance(value, dict):
        return [text for name in ("content", "text") for text in _texts(value.get(name))]
    return []


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), _Handler).serve_forever()
