"""A small client of language servers: JSON-RPC over a process's standard input and output."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from pathlib import Path
from typing import Any

Message = dict[str, Any]

_CAPABILITIES: Message = {
    "window": {"workDoneProgress": True},
    "workspace": {"configuration": True, "workspaceFolders": True, "didChangeConfiguration": {}},
    "textDocument": {
        "synchronization": {},
        "definition": {"linkSupport": True},
        "typeDefinition": {"linkSupport": True},
        "publishDiagnostics": {},
        # An extension of clangd: https://clangd.llvm.org/extensions#inactive-regions
        "inactiveRegionsCapabilities": {"inactiveRegions": True},
    },
    "experimental": {"serverStatusNotification": True},
}


class ServerFailed(Exception):
    """The server ended, or answered a request with an error."""


class Client:
    """One running language server; `close` it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        root: Path,
        options: Mapping[str, Any],
        settings: Mapping[str, Any],
        log: Path,
    ) -> None:
        self.root = root
        self.info: Message = {}
        self.inactive: dict[str, list[tuple[int, int]]] = {}
        """Lines of each file, by its address and counted from 0, that the preprocessor leaves out."""
        self._options = options
        self._settings = settings
        self._log = log.open("wb")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, cwd=root
        )
        self._pending: dict[int, Future[Any]] = {}
        self._last = 0
        self._writing = threading.Lock()
        self._working: set[str] = set()
        self._is_quiescent = True
        self._changed_s = time.monotonic()
        self._reader = threading.Thread(target=self._read_all, daemon=True)
        self._reader.start()

    def close(self) -> None:
        """End the server, by asking first."""
        try:
            self.request("shutdown", None, timeout_s=10)
            self.notify("exit", None)
            self._process.wait(10)
        except (ServerFailed, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            self._reader.join()
            for stream in (self._process.stdin, self._process.stdout, self._log):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()

    def initialize(self, *, timeout_s: float) -> None:
        """Shake hands."""
        answer = self.request(
            "initialize",
            {
                "processId": None,
                "rootPath": str(self.root),
                "rootUri": self.root.as_uri(),
                "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
                "capabilities": _CAPABILITIES,
                "initializationOptions": dict(self._options),
            },
            timeout_s=timeout_s,
        )
        self.info = answer.get("serverInfo") or {}
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": dict(self._settings)})

    def open(self, path: Path, language_id: str) -> None:
        """Show a file to the server."""
        text = path.read_bytes().decode("utf-8", errors="replace")
        document = {"uri": path.as_uri(), "languageId": language_id, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def wait_until_idle(self, *, quiet_s: float, timeout_s: float) -> bool:
        """Wait until the server has reported no work for `quiet_s`; False if it works longer than `timeout_s`."""
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            if self._process.poll() is not None:
                raise ServerFailed(f"the server ended with status {self._process.returncode}")
            is_idle = self._is_quiescent and not self._working
            if is_idle and time.monotonic() - self._changed_s >= quiet_s:
                return True
            time.sleep(0.2)
        return False

    def request(self, method: str, parameters: object, *, timeout_s: float) -> Any:  # noqa: ANN401
        """Ask and wait for the answer.

        Raises:
            ServerFailed: The server is gone, is silent for `timeout_s`, or refuses.
        """
        future: Future[Any] = Future()
        with self._writing:
            self._last += 1
            number = self._last
        self._pending[number] = future
        self._send({"id": number, "method": method, "params": parameters})
        try:
            return future.result(timeout_s)
        except FutureTimeout as err:
            raise ServerFailed(f"no answer to {method} in {timeout_s} s") from err
        finally:
            self._pending.pop(number, None)

    def notify(self, method: str, parameters: object) -> None:
        """Tell the server something."""
        self._send({"method": method, "params": parameters})

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        if stream is None:
            raise ServerFailed("the server has no input")
        try:
            with self._writing:
                stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                stream.flush()
        except OSError as err:
            raise ServerFailed("the server ended") from err

    def _read_all(self) -> None:
        while (message := self._read()) is not None:
            if "method" not in message:
                self._settle(message)
                continue
            result = self._heard(message["method"], message.get("params"))
            if "id" in message:
                self._send({"id": message["id"], "result": result})
        for future in list(self._pending.values()):
            if not future.done():
                future.set_exception(ServerFailed("the server ended"))

    def _read(self) -> Message | None:
        stream = self._process.stdout
        length = 0
        while stream is not None and (line := stream.readline()):
            name, _, value = line.decode("ascii", errors="replace").partition(":")
            if name.lower() == "content-length":
                length = int(value)
            elif not line.strip() and length:
                message: Message = json.loads(stream.read(length))
                return message
        return None

    def _settle(self, message: Message) -> None:
        future = self._pending.get(message.get("id", 0))
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(ServerFailed(str(message["error"].get("message"))))
        else:
            future.set_result(message.get("result"))

    def _heard(self, method: str, parameters: Any) -> object:  # noqa: ANN401
        handlers: dict[str, Callable[[Any], object]] = {
            "$/progress": self._progressed,
            "experimental/serverStatus": self._reported,
            "textDocument/inactiveRegions": self._left_out,
            "workspace/configuration": lambda asked: [
                self._setting(item.get("section") or "") for item in asked["items"]
            ],
            "workspace/workspaceFolders": lambda _: [
                {"uri": self.root.as_uri(), "name": self.root.name}
            ],
            "workspace/applyEdit": lambda _: {"applied": False},
        }
        handler = handlers.get(method)
        return handler(parameters) if handler else None

    def _progressed(self, parameters: Message) -> None:
        kind = parameters["value"].get("kind")
        token = str(parameters["token"])
        if kind == "begin":
            self._working.add(token)
        elif kind == "end":
            self._working.discard(token)
        self._changed_s = time.monotonic()

    def _reported(self, parameters: Message) -> None:
        self._is_quiescent = bool(parameters.get("quiescent", True))
        self._changed_s = time.monotonic()

    def _left_out(self, parameters: Message) -> None:
        self.inactive[parameters["textDocument"]["uri"]] = [
            (region["start"]["line"], region["end"]["line"]) for region in parameters["regions"]
        ]

    def _setting(self, section: str) -> object:
        found: Any = self._settings
        for part in section.split(".") if section else ():
            found = found.get(part) if isinstance(found, Mapping) else None
        return found
