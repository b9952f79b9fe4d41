"""mem0 as a peer: turns as they are (`infer=False`), found by its own search in a local store.

`MEM0_PYTHON` names a Python that has `mem0ai` and `fastembed`. mem0 has no search without a model of embeddings: the one that is
used here is all-MiniLM-L6-v2, by its provider `fastembed`, which has to be in fastembed's cache (`FASTEMBED_CACHE_PATH`), as
nothing is fetched. No model of language is asked. Without spaCy (`mem0ai[nlp]`) and fastembed's `Qdrant/bm25` it searches by
vectors alone, and says so.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benches.memory.conversations import Turn
from benches.public.blocks import filled
from codecairn.errors import UsageError

PYTHON = "MEM0_PYTHON"
_WORKER = Path(__file__).with_name("mem0_worker.py")
_BLOCK = 50


class Mem0:
    """A store of mem0 that has one conversation, in a process of its own."""

    name = "mem0"

    def __init__(self, process: subprocess.Popen[str], turns: Sequence[Turn]) -> None:
        self._process = process
        self._texts = {turn.key: turn.text for turn in turns}
        self._before: dict[tuple[str, int], list[tuple[str, float]]] = {}
        rows = [[turn.key, turn.role, turn.text] for turn in turns if turn.text.strip()]
        self._send({"add": rows})

    @classmethod
    @contextmanager
    def reading(cls, turns: Sequence[Turn]) -> Iterator["Mem0"]:
        """Start mem0, store the turns, and stop it afterwards.

        Raises:
            UsageError: If there is no such Python, or mem0 does not start in it.
        """
        python = shutil.which(os.environ.get(PYTHON, ""))
        if python is None:
            raise UsageError(
                f"{PYTHON} names no Python that has mem0",
                hint="`pip install mem0ai fastembed` into an environment of its own, and name its `bin/python`",
            )
        with tempfile.TemporaryDirectory(prefix="codecairn-mem0-") as folder:
            process = subprocess.Popen(
                [python, "-I", str(_WORKER), folder],
                env=os.environ | {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder, "HF_HUB_OFFLINE": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )  # fmt: skip
            try:
                yield cls(process, turns)
            finally:
                process.kill()
                process.communicate()

    def ranked(self, question: str, limit: int, /) -> list[str]:
        """The memories that its search finds, in its order."""
        return [key for key, _ in self._search(question, limit)]

    def block(self, question: str, max_tokens: int, /) -> str:
        """The texts of its results, as many as there is room for; the last is cut."""
        return filled((self._texts[key] for key, _ in self._search(question, _BLOCK)), max_tokens)

    def confidence(self, question: str, /) -> float:
        """The score of its first result."""
        found = self._search(question, _BLOCK)
        return found[0][1] if found else 0.0

    def _search(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Its results; the same question is asked several times."""
        if (question, limit) not in self._before:
            found = self._send({"search": question, "limit": limit})
            self._before[question, limit] = [(str(key), float(score)) for key, score in found]
        return self._before[question, limit]

    def _send(self, request: dict[str, Any]) -> list[Any]:
        sent, received = self._process.stdin, self._process.stdout
        assert sent is not None
        assert received is not None
        line = ""
        try:
            sent.write(json.dumps(request) + "\n")
            sent.flush()
            line = received.readline()
        except BrokenPipeError:
            pass
        if not line:
            raise UsageError(
                "mem0 does not run; above is what it says",
                hint="its model has to be in fastembed's cache: nothing is fetched",
            )
        answer: list[Any] = json.loads(line)
        return answer
