"""The base of every test: no network beyond this machine, no settings of it, folders of its own."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from support.repository import Repository

# On a fresh machine the first text that is drawn waits for tables of characters, and a loaded machine is slow at all
# times: how long a property takes says nothing about whether it holds.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")

# Shells start background jobs with Ctrl-C ignored, and every process that a test starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: object) -> None:
        _require_here(address[0] if isinstance(address, tuple) else address)
        connect(self, address)  # type: ignore[arg-type]

    def guarded_look_up(host: object, *args: object, **kwargs: object) -> object:
        _require_here(host)
        return look_up(host, *args, **kwargs)  # type: ignore[call-overload]

    def refuse(*_args: object, **_kwargs: object) -> None:
        _require_here("elsewhere")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", refuse)
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        yield


def _require_here(host: object) -> None:
    """Servers that a test starts itself may be asked; nothing outside this machine is."""
    if host not in {"127.0.0.1", "::1", "localhost"}:
        message = f"tests must not use the network: `{host}`"
        raise AssertionError(message)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder for this test; nothing of the machine's own settings is seen, by git neither."""
    return make_home(tmp_path / "home", monkeypatch)


def make_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes an empty home folder and the environment that goes with it."""
    folder.mkdir()
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # processes start faster
    for name in [*os.environ]:
        if name.startswith(("CODECAIRN_", "GIT_", "XDG_", "OLLAMA_")) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    environment = {
        "HOME": str(folder),
        "USERPROFILE": str(folder),
        "CODECAIRN_HOME": str(folder / "codecairn"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ann Author",
        "GIT_AUTHOR_EMAIL": "ann@example.com",
        "GIT_COMMITTER_NAME": "Carl Committer",
        "GIT_COMMITTER_EMAIL": "carl@example.com",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty git repository on branch `main`."""
    return Repository.make(tmp_path / "repository")


@pytest.fixture
def folder(tmp_path: Path) -> Repository:
    """A folder without git."""
    root = tmp_path / "folder"
    root.mkdir()
    return Repository(root)
