"""`codecairn mcp` as a process that a test writes raw lines to."""

import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.command import command

Message = dict[str, Any]

CLIENT = {"name": "a test", "version": "1"}

PATIENCE_S = 60

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(id_: object, method: str, **params: object) -> Message:
    """A request; without parameters it has no `params`."""
    message: Message = {"jsonrpc": "2.0", "id": id_, "method": method}
    return message | {"params": params} if params else message


def initialize(version: object = "2025-06-18", **more: object) -> Message:
    """The first request of a host."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return request("start", "initialize", **(params | more))


class RawServer:
    """One server. Answers are read by a thread, so a test never waits for longer than `PATIENCE_S`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._answers: queue.Queue[Message] = queue.Queue()
        self._ping_count = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(json.loads(line))

    def send(self, *lines: Message | str) -> None:
        """Write messages, or lines as they are."""
        assert self._process.stdin is not None
        for line in lines:
            text = line if isinstance(line, str) else json.dumps(line)
            self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def answers(self) -> list[Message]:
        """Everything that is answered until a further `ping` is, that ping's answer left out."""
        self._ping_count += 1
        id_ = f"ping-{self._ping_count}"
        self.send(request(id_, "ping"))
        found: list[Message] = []
        while True:
            answer = self._answers.get(timeout=PATIENCE_S)
            if answer.get("id") == id_:
                assert answer.get("result") == {}, answer
                return found
            found.append(answer)

    def answers_to(self, *lines: Message | str, count: int) -> list[Message]:
        """What is answered to lines, once there are `count` answers, and the server still lives."""
        self.send(*lines)
        found: list[Message] = []
        while len(found) < count:
            found.append(self._answers.get(timeout=PATIENCE_S))
        return found + self.answers()


@contextmanager
def raw_server(folder: Path, *arguments: str, is_initialized: bool = True) -> Iterator[RawServer]:
    """Runs a server in a folder."""
    process = subprocess.Popen(
        command("mcp", *arguments), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="surrogatepass",
    )  # fmt: skip
    try:
        server = RawServer(process)
        if is_initialized:
            server.send(initialize(), INITIALIZED)
            server.answers()
        yield server
    finally:
        process.kill()
        process.communicate()
