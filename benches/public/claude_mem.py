"""claude-mem as a peer: its own worker stores turns as observations and searches them.

`CLAUDE_MEM_PROGRAM` names a folder with the npm package `claude-mem`, unpacked, and `bun` is on the path. Each conversation has
a worker and a folder of data of its own; it listens on this machine alone, reports nothing and has no vectors (Chroma is off,
as it loads a model of embeddings from elsewhere), so it searches by SQLite's FTS5. Turns come in by its route for manual
memories: no model makes observations of them. A question is asked as it is, which is also how its hook asks for each prompt;
without vectors it looks for the whole question as one phrase.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benches.memory.conversations import Turn
from benches.public.blocks import filled
from codecairn.errors import UsageError

PROGRAM = "CLAUDE_MEM_PROGRAM"
_WORKER = Path("plugin/scripts/worker-service.cjs")
_PROJECT = "bench"
_START_S = 30
_BLOCK = 50


class ClaudeMem:
    """A worker that has read one conversation."""

    name = "claude-mem"

    def __init__(self, address: str, turns: Sequence[Turn]) -> None:
        self._address = address
        self._texts = {turn.key: turn.text for turn in turns}
        self._keys: dict[int, str] = {}
        for turn in turns:
            if turn.text.strip():
                given = {"text": turn.text, "title": turn.key, "project": _PROJECT}
                saved = _answer(f"{address}/api/memory/save", given)
                self._keys.setdefault(saved["id"], turn.key)

    @classmethod
    @contextmanager
    def reading(cls, turns: Sequence[Turn]) -> Iterator["ClaudeMem"]:
        """Start a worker, store the turns, and stop it afterwards.

        Raises:
            UsageError: If the program is not where it is said to be, or does not start.
        """
        worker, bun = _program()
        with tempfile.TemporaryDirectory(
            prefix="codecairn-claude-mem-", ignore_cleanup_errors=True
        ) as folder:
            port = _free_port()
            process = subprocess.Popen(
                [bun, str(worker), "--daemon"],
                env=_environment(Path(folder), port),
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                address = f"http://127.0.0.1:{port}"
                _wait(address, process)
                yield cls(address, turns)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def ranked(self, question: str, limit: int, /) -> list[str]:
        """The observations that its search finds, in its order."""
        asked = {"query": question, "type": "observations", "format": "json"}
        asked |= {"project": _PROJECT, "limit": str(limit), "orderBy": "relevance"}
        found = _answer(f"{self._address}/api/search?{urllib.parse.urlencode(asked)}")
        rows = found.get("observations", ())
        return [self._keys[row["id"]] for row in rows if row["id"] in self._keys]

    def block(self, question: str, max_tokens: int, /) -> str:
        """The texts of its results, as many as there is room for; the last is cut."""
        return filled((self._texts[key] for key in self.ranked(question, _BLOCK)), max_tokens)

    def confidence(self, question: str, /) -> float:
        """Whether it finds anything: its answers have no scores."""
        return float(bool(self.ranked(question, 1)))


def _program() -> tuple[Path, str]:
    named = os.environ.get(PROGRAM, "")
    worker = Path(named).resolve() / _WORKER
    if not named or not worker.is_file():
        raise UsageError(
            f"{PROGRAM} names no folder with {_WORKER}",
            hint="unpack the npm package claude-mem (`npm pack claude-mem`) and name its folder `package`",
        )
    bun = shutil.which("bun")
    if bun is None:
        raise UsageError(
            "claude-mem runs on bun, which is not on the path", hint="install bun, or leave it out"
        )
    return worker, bun


def _environment(folder: Path, port: int) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder / "home"),
        "CLAUDE_MEM_DATA_DIR": str(folder / "data"),
        "CLAUDE_MEM_WORKER_HOST": "127.0.0.1",
        "CLAUDE_MEM_WORKER_PORT": str(port),
        "CLAUDE_MEM_CHROMA_ENABLED": "false",
        "CLAUDE_MEM_MANAGED": "true",
        "CLAUDE_MEM_TELEMETRY": "0",
        "DO_NOT_TRACK": "1",
    }


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError, ValueError):
            if _answer(f"{address}/api/health").get("initialized"):
                return
        time.sleep(0.1)
    raise UsageError(
        "the worker of claude-mem did not start", hint=f"try it by hand: `bun {_WORKER} --daemon`"
    )


def _answer(address: str, given: dict[str, str] | None = None) -> dict[str, Any]:
    data = None if given is None else json.dumps(given).encode()
    request = urllib.request.Request(
        address, data=data, headers={"content-type": "application/json"}
    )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=60) as reply:
        body: dict[str, Any] = json.load(reply)
        return body
