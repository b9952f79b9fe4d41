"""A real Redis on this machine, as a process that can be killed: Debian's `redis-server`, which slow tests need."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.graphiti_stack import free_port


@dataclass
class RedisServer:
    """A Redis that keeps nothing on disk: what it held is lost when it is killed."""

    data: Path
    options: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it listens."""
        program = shutil.which("redis-server")
        assert program, (
            "the tests of the hot tier need `redis-server`, which Debian's package `redis-server` has"
        )
        command = [
            program,
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            *self.options,
        ]
        self.process = subprocess.Popen(command, cwd=self.data, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("redis-server does not listen")

    def kill(self) -> None:
        """Kill it, with all that it holds."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def running_redis(data: Path, *options: str) -> Iterator[RedisServer]:
    """A Redis as long as the block lasts."""
    server = RedisServer(data=data, options=options)
    server.start()
    try:
        yield server
    finally:
        server.kill()
