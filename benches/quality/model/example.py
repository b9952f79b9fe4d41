"""Vectors of a few texts from the weights file by this package's arithmetic, for a test that the core's are the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benches.quality.model import data, vocabulary, words, writing

TEXTS = (
    "where are tokens verified",
    "TLS handshake configuration",
    "def verify_token(self, token):\n    claims = jwt.decode(token, self.secret)\n    return claims",
    "fn getUserById(id: UserId) -> Option<User> { self.users.get(&id).cloned() }",
    "public class HTTPServer2 implements AutoCloseable { /* zzqxv unknownwordparts */ }",
    "We moved the meeting to Thursday because Anna is travelling.",
    "größe straße naïve 日本語 Привет",
    "a a a b b c the the parser parser parsing",
    "{}; -- ()",
)
DECIMALS = 7


def write(model_file: Path, program: Path, to: Path) -> None:
    """Write each text with its vector as JSON."""
    chosen, model = writing.read(model_file)
    lines = (json.dumps({"text": text}).encode() + b"\n" for text in TEXTS)
    with tempfile.TemporaryDirectory() as folder:
        split = words.split(lines, ["text"], program, Path(folder) / "texts")
    pieces = chosen.pieces(split.vocabulary)
    most = data.MAX_DOCUMENT_TOKENS
    width = len(chosen.words)
    vectors = model.embed(vocabulary.bags(split.columns["text"], pieces, width, max_tokens=most))
    rows = [
        {"text": text, "vector": [round(float(value), DECIMALS) for value in vector]}
        for text, vector in zip(TEXTS, vectors, strict=True)
    ]
    body = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    to.write_text(f"[\n{body}\n]\n", encoding="utf-8")
