"""The two sides: a fresh home and a fresh copy of the repository, with codecairn installed in them and without.

Each side is made once and copied for every run to the same paths, so that neither the path nor an earlier run tells the sides
apart. The index is built before: its time is not the agent's.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benches.agents.programs.program import KEYS, Program
from codecairn.errors import UsageError

WITH, WITHOUT = "with codecairn", "without"

_PASSED = (
    "PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy",
    "https_proxy", "no_proxy", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip

_HOST_FILES = (
    ".mcp.json", ".claude/settings.json", ".codex/config.toml", "opencode.json", "opencode.jsonc",
    ".opencode/opencode.json", ".gemini/settings.json", ".agents/skills/codecairn/SKILL.md",
    ".claude/skills/codecairn/SKILL.md",
)  # fmt: skip
"""Files by which a repository brings codecairn to everyone who works in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The folders of one run."""

    home: Path
    repository: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Sides that are made in a folder.

    Attributes:
        folder: Where they are made, with mode 700.
        program: The agent's program.
        passed: Names of further variables of the user that the program gets.
        settings: A folder whose files every fresh home begins with; None for an empty home.
    """

    folder: Path
    program: Program
    passed: tuple[str, ...] = ()
    settings: Path | None = None

    def keys(self) -> dict[str, str]:
        """The user's variables that sign the program in."""
        keys = {name: os.environ[name] for name in (*KEYS, *self.passed) if name in os.environ}
        if "OPENAI_API_KEY" in keys:
            keys.setdefault("CODEX_API_KEY", keys["OPENAI_API_KEY"])
        return keys

    def environment(self, place: Place) -> dict[str, str]:
        """The environment of everything that runs in a place, without keys."""
        passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
        return passed | {
            "HOME": str(place.home),
            "PWD": str(place.repository),
            "CODECAIRN_HOME": str(place.home / ".codecairn"),
            # A fresh home has no earlier sessions to work on, and nothing may go on after a run.
            "CODECAIRN_HOOKS_BACKGROUND": "false",
            "NO_COLOR": "1",
        }

    def make(self, side: str, worktree: Path) -> None:
        """Make a side from a repository, with the codecairn of this interpreter.

        Raises:
            UsageError: If codecairn has no installation for the program, or the repository brings codecairn along.
        """
        place = self._place("run")
        copy(worktree, place.repository)
        if self.settings is None:
            place.home.mkdir()
        else:
            shutil.copytree(self.settings, place.home, symlinks=True)
        if side == WITHOUT:
            _require_nothing_of_ours(place.repository)
        else:
            self._install(place)
        (self.folder / "run").rename(self.folder / _slug(side))

    @contextmanager
    def fresh(self, side: str) -> Iterator[Place]:
        """A copy of a side for one run, which is removed after it."""
        place = self._place("run")
        shutil.copytree(
            self.folder / _slug(side), self.folder / "run", symlinks=True, dirs_exist_ok=True
        )
        try:
            yield place
        finally:
            _remove(self.folder / "run")

    def _place(self, name: str) -> Place:
        _remove(self.folder / name)
        (self.folder / name).mkdir(mode=0o700)
        return Place(home=self.folder / name / "home", repository=self.folder / name / "repository")

    def _install(self, place: Place) -> None:
        if not self.program.host:
            raise UsageError(
                "it is not known how codecairn is installed for this command",
                hint="add `--host NAME`; `codecairn install --help` names the hosts",
            )
        for words in (["install", self.program.host], ["index"]):
            done = subprocess.run(
                [sys.executable, "-m", "codecairn", *words],
                cwd=place.repository,
                env=self.environment(place),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise UsageError(
                    f"`codecairn {' '.join(words)}` ended with exit code {done.returncode}",
                    hint=done.stderr.strip()[-300:],
                )


def copy(worktree: Path, target: Path) -> None:
    """Copy a repository: the files of its commit if it is one of git's, else the whole folder."""
    if not worktree.is_dir():
        raise UsageError(f"`{worktree}` is no folder", hint="name the folder of a repository")
    if not (worktree / ".git").exists():
        shutil.copytree(worktree, target, symlinks=True)
        return
    _git(Path(), "clone", "--quiet", "--no-hardlinks", str(worktree.resolve()), str(target))
    _git(target, "remote", "remove", "origin")


def _git(folder: Path, *words: str) -> None:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"`git {words[0]}` failed: {done.stderr.strip()[-300:]}")


def _require_nothing_of_ours(repository: Path) -> None:
    for name in _HOST_FILES:
        file = repository / name
        if file.is_file() and "codecairn" in file.read_text(encoding="utf-8", errors="replace"):
            raise UsageError(
                f"the repository itself sets codecairn up, in `{name}`: both sides would have it",
                hint="measure on a branch without that file",
            )


def _slug(side: str) -> str:
    return side.split(maxsplit=1)[0]


def _remove(folder: Path) -> None:
    """Remove a folder that processes may still write to."""
    for _ in range(3):
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)
