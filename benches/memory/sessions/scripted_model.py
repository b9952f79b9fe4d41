"""A language model that replays recorded answers: `replies` has them by project.

    python -m benches.memory.sessions.scripted_model PROJECT FOLDER

replays a project, writes each request without a recorded answer to `FOLDER/NN.txt`, waits for `FOLDER/NN.json`, which the
player of the model writes, and records it.
"""

import hashlib
import json
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REPLIES = Path(__file__).parent / "replies"

_EVENT = re.compile(r"^\[E(\d+) \d{4}-\d\d-\d\d ", re.MULTILINE)
_CITED = re.compile(r'"E(\d+)"')
_POLL_S = 0.5
_PATIENCE_MS = 7_200_000


class Unanswered(Exception):
    """A request without a recorded answer."""


@dataclass
class ScriptedModel:
    """The model of one project.

    Attributes:
        name: The project's.
        folder: Where new requests are written, and answers awaited; without one they fail.
    """

    name: str
    folder: Path | None = None
    _replies: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        path = REPLIES / f"{self.name}.json"
        if path.exists():
            self._replies = json.loads(path.read_text(encoding="utf-8"))

    def answer(self, system: str, text: str) -> str:
        """What the model answers. Events are numbered by their order in the request, whatever the log calls them.

        Raises:
            Unanswered: If no answer is recorded and there is no folder to wait for one.
        """
        numbers = _EVENT.findall(text)
        places = {number: str(place) for place, number in enumerate(numbers, start=1)}
        plain = _EVENT.sub(lambda found: f"[E{places[found[1]]} ", text)
        key = hashlib.sha256(f"{_kind(system)}\0{plain}".encode()).hexdigest()[:16]
        with self._lock:
            if key not in self._replies:
                self._replies[key] = self._asked(system, plain)
                self._save()
            reply = self._replies[key]
        return _CITED.sub(
            lambda found: (
                f'"E{numbers[int(found[1]) - 1]}"' if int(found[1]) <= len(numbers) else found[0]
            ),
            reply,
        )

    def _asked(self, system: str, plain: str) -> str:
        if self.folder is None:
            raise Unanswered(f"{self.name}: not a request that is on record: {plain[:200]!r}")
        number = len(list(self.folder.glob("*.txt"))) + 1
        (self.folder / f"{number:02}.txt").write_text(f"{system}\n\n---\n\n{plain}\n")
        answer = self.folder / f"{number:02}.json"
        while True:
            if answer.exists():
                try:
                    return json.dumps(json.loads(answer.read_text()), ensure_ascii=False)
                except ValueError:
                    pass
            time.sleep(_POLL_S)

    def _save(self) -> None:
        REPLIES.mkdir(exist_ok=True)
        path = REPLIES / f"{self.name}.json"
        text = json.dumps(self._replies, ensure_ascii=False, indent=1, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer on a port of this machine, in the protocol of OpenAI; the environment names it as the model to ask."""
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                system, text = (each["content"] for each in body["messages"])
                try:
                    message = {"role": "assistant", "content": model.answer(system, text)}
                    status, document = (
                        200,
                        {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]},
                    )
                except Unanswered as err:
                    status, document = 400, {"error": {"message": str(err)}}  # type: ignore[dict-item]
                payload = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_args: object) -> None:
                """Keep quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        os.environ["CODECAIRN_EXTRACTION_PROVIDERS"] = (
            f"compatible:scripted@http://127.0.0.1:{server.server_address[1]}/v1"
        )
        os.environ["CODECAIRN_EXTRACTION_TIMEOUT_MS"] = str(_PATIENCE_MS)
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            del (
                os.environ["CODECAIRN_EXTRACTION_PROVIDERS"],
                os.environ["CODECAIRN_EXTRACTION_TIMEOUT_MS"],
            )


def _kind(system: str) -> str:
    """What is asked for; the instructions themselves may be worded better without a new answer."""
    if "summarise a programming session" in system:
        return "summary"
    return "contradiction" if "compare new statements" in system else "normal"


def main() -> None:
    """Record what a model answers."""
    from benches.memory.sessions.replaying import replayed  # imports this module
    from benches.memory.sessions.scripts import load

    name, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (project,) = [each for each in load() if each.name == name]
    with replayed(project, model=ScriptedModel(name, folder)) as replay:
        print(f"{name}: {len(replay.facts)} facts")
    (folder / "DONE").write_text("")


if __name__ == "__main__":
    main()
