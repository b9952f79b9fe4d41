"""Folders and repositories that share one memory or do not, and what each of them knows."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecairn.clock import SystemClock
from codecairn.config.settings import Settings
from codecairn.memory.memory import Memory

STARTER = "https://git.example/acme/starter.git"
CUSTOMER_A = "git@git.example:customer-a/shop.git"
CUSTOMER_B = "git@git.example:customer-b/shop.git"
SAID = "The staging port of the harbour is 7443."

_OPTIONS = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always",
            "-c", "init.defaultBranch=main")  # fmt: skip


class Disk:
    """Folders below one, and the memory of their user."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def git(self, folder: str | Path, *arguments: str) -> None:
        """Run git in a folder."""
        command = ["git", *_OPTIONS, *arguments]
        subprocess.run(command, cwd=self.base / folder, check=True, capture_output=True)

    def folder(self, name: str) -> Path:
        """A folder without git."""
        path = self.base / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def clone(self, name: str, remote: str | None = None) -> Path:
        """A repository with one commit, as clones of a starter have, and a remote."""
        path = self.folder(name)
        self.git(path, "init", "-q")
        (path / "README").write_text("starter")
        self.git(path, "add", ".")
        self.git(path, "commit", "-qm", "first")
        if remote is not None:
            self.git(path, "remote", "add", "origin", remote)
        return path

    @contextmanager
    def memory(self, name: str, **settings: str) -> Iterator[Memory]:
        """The memory as it is seen from a folder."""
        memory = Memory(self.base / name, Settings(**settings), clock=SystemClock())
        try:
            yield memory
        finally:
            memory.close()

    def say(self, name: str, text: str = SAID, **settings: str) -> None:
        """Remember something in a folder: a fact and a prompt."""
        with self.memory(name, **settings) as memory:
            memory.add(text, type="rule")
            memory.record("s", f"remember that {text}", role="user")

    def knows(self, name: str, text: str = SAID, **settings: str) -> bool:
        """Whether anything that is shown in a folder holds a text."""
        with self.memory(name, **settings) as memory:
            memory.record("look", "what is new here", role="user")
            shown = {
                "a list": any(text in fact.text for fact in memory.list(limit=50)),
                "what opens a session": text in memory.context("look", part="static").text,
                "a search": any(text in each.text for each in memory.recall(text, evidence=0.0)),
            }
        assert len(set(shown.values())) == 1, shown
        return shown["a list"]
