"""A repository that names a program, and the operations that must not run it."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from codecairn import SearchFilters, Workspace
from codecairn.clock import SystemClock
from codecairn.errors import CodecairnError
from codecairn.graph.visual.git_activity import git_activity
from codecairn.memory.initialise.files import latest_commits
from support.repository import SMALL_PROJECT, Repository

ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="the planted program is a shell's")

CHANGED = SMALL_PROJECT["shop/basket.py"].replace("price for _", "2 * price for _")


def _searched(**filters: Any) -> Callable[[Workspace], object]:
    return lambda workspace: workspace.search(
        "total price of the basket", filters=SearchFilters(**filters)
    )


OPERATIONS: dict[str, Callable[[Workspace], object]] = {
    "search": lambda workspace: workspace.search("total price"),
    "search --blame": _searched(blame=True),
    "search --author": _searched(author="Ann"),
    "search --since": _searched(since="2001-01-01"),
    "search --until": _searched(until="2001-01-01"),
    "search --commit": _searched(commit="feature"),
    "impact": lambda workspace: workspace.graph.impact(),
    "impact HEAD": lambda workspace: workspace.graph.impact("HEAD"),
    "impact HEAD~1": lambda workspace: workspace.graph.impact("HEAD~1"),
    "impact BRANCH": lambda workspace: workspace.graph.impact("feature"),
    "impact --conflicts": lambda workspace: workspace.graph.impact(conflicts=True),
    "memory recall": lambda workspace: workspace.memory.recall("baskets hold items"),
    "memory context": lambda workspace: workspace.memory.context("s-1", refresh=True),
    "memory init": lambda workspace: latest_commits(workspace.root),
    "visualize": lambda workspace: git_activity(workspace.root, clock=SystemClock()),
    "status": lambda workspace: workspace.status(),
    "index": lambda workspace: workspace.index(),
}


def lives(pid: int) -> bool:
    """Whether a process of Linux has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@dataclass(frozen=True)
class Attack:
    """What a repository holds, and how plain git is made to run the program.

    `{program}` stands for the program in all of it, `{root}` for the repository.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    git_files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    control: tuple[str, ...] = ("diff",)
    lacks_content: bool = False
    is_signed: bool = False


@dataclass(frozen=True)
class Hostile(Repository):
    """A repository with a history, in which every execution of the program leaves a file."""

    @property
    def trace(self) -> Path:
        return self.root.parent / "executed"

    @property
    def program(self) -> Path:
        return self.root.parent / "program"

    def was_executed(self) -> bool:
        """Whether the program was executed since this was asked last."""
        found = self.trace.exists()
        self.trace.unlink(missing_ok=True)
        return found

    def filled(self, text: str) -> str:
        return text.replace("{program}", str(self.program)).replace("{root}", str(self.root))

    def harm(self, attack: Attack) -> None:
        """Make of the repository what the attack says."""
        if attack.is_signed:
            self._sign_head()
        if attack.lacks_content:
            blob = self.git("rev-parse", "HEAD~1:shop/basket.py")
            (self.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
        for name, text in {**attack.files, **attack.git_files}.items():
            content = "#!/bin/sh\nexec {program}\n" if text == "{program}" else text
            self.write(name, self.filled(content)).chmod(0o755)
        for name, value in attack.settings.items():
            self.git("config", name, self.filled(value))

    def _sign_head(self) -> None:
        """Give the commit in work a signature, which is a wrong one."""
        head, _, message = self.git("cat-file", "commit", "HEAD").partition("\n\n")
        signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n"
        made = subprocess.run(
            ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
            cwd=self.root, input=f"{head}\n{signature}\n{message}\n", capture_output=True, text=True, check=True,
        )  # fmt: skip
        self.git("update-ref", "HEAD", made.stdout.strip())

    def plain_git(self, *arguments: str) -> None:
        """Run git as a person does."""
        subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60
        )  # fmt: skip


def executing(hostile: Hostile) -> Iterator[str]:
    """The operations that execute the program."""
    with Workspace.open(hostile.root) as workspace:
        for name, operation in OPERATIONS.items():
            with suppress(CodecairnError):
                operation(workspace)
            if hostile.was_executed():
                yield name
