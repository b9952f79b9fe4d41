"""Runs in the Python that has mem0: stores texts and searches them, a JSON document a line.

python mem0_worker.py FOLDER
"""

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any, Protocol, cast

_USER = "bench"
_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_DIMENSIONS = 384


class Store(Protocol):
    """As much of mem0's memory as is used."""

    def add(
        self,
        messages: list[dict[str, str]],
        *,
        user_id: str,
        infer: bool,
        metadata: dict[str, str],
    ) -> object:
        """Store texts as they are."""

    def search(
        self, query: str, *, filters: dict[str, str], top_k: int
    ) -> dict[str, list[dict[str, Any]]]:
        """The best ones, with their scores."""


def opened(folder: Path) -> Store:
    """A memory with a local store. Its model of language is never asked; mem0 demands a key for it nevertheless."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    embedder = {"model": _MODEL, "embedding_dims": _DIMENSIONS}
    store = {"path": str(folder / "store"), "on_disk": False, "embedding_model_dims": _DIMENSIONS}
    configured = {
        "embedder": {"provider": "fastembed", "config": embedder},
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": str(folder / "history.db"),
    }
    return cast("Store", importlib.import_module("mem0").Memory.from_config(configured))


def main() -> None:
    """Answer each line of the input by one of the output."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Other parts of the program print there.
    memory = opened(Path(sys.argv[1]))
    for line in sys.stdin:
        asked = json.loads(line)
        reply: list[Any] = []
        for key, role, text in asked.get("add", ()):
            said = [{"role": role, "content": text}]
            memory.add(said, user_id=_USER, infer=False, metadata={"key": key})
        if "search" in asked:
            filters = {"user_id": _USER}
            found = memory.search(asked["search"], filters=filters, top_k=asked["limit"])
            reply = [[row["metadata"]["key"], row["score"]] for row in found["results"]]
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
