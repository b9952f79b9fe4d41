"""Several people with homes of their own, who share an index."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from codecairn import Workspace
from support.command import Outcome, run
from support.repository import Repository


@dataclass(frozen=True)
class Person:
    """A person with a data folder, and a clone of a repository."""

    home: Path
    clone: Repository

    @property
    def root(self) -> Path:
        """The clone."""
        return self.clone.root

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process of this person has in its environment."""
        return {"CODECAIRN_HOME": str(self.home), "HOME": str(self.home)}

    def run(self, *arguments: str, stdin: str = "") -> Outcome:
        """Run the command in the clone."""
        return run(*arguments, cwd=self.root, stdin=stdin, environment=self.environment)

    def done(self, *arguments: str, stdin: str = "") -> Outcome:
        """The same for what has to succeed."""
        outcome = self.run(*arguments, stdin=stdin)
        assert outcome.code == 0, outcome
        return outcome

    @contextmanager
    def here(self) -> Iterator[None]:
        """This process as one of the person's."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            yield

    @contextmanager
    def workspace(self, **settings: object) -> Iterator[Workspace]:
        """The clone, opened."""
        named = {name.replace("__", "."): value for name, value in settings.items()}
        with self.here(), Workspace.open(self.root, settings=named) as workspace:
            yield workspace


@dataclass(frozen=True)
class People:
    """Makes people who clone one repository."""

    folder: Path
    origin: Repository

    def person(self, name: str) -> Person:
        """A person with a fresh clone and an empty home."""
        home = self.folder / f"home of {name}"
        home.mkdir()
        return Person(home=home, clone=self.cloned(name))

    def cloned(self, name: str) -> Repository:
        """Another clone."""
        target = self.folder / f"clone of {name}"
        self.origin.git("clone", "--quiet", str(self.origin.root), str(target))
        return Repository(target)

    def grant(self, giver: Person, *arguments: str) -> Path:
        """A grant in a file."""
        file = self.folder / f"grant {len(list(self.folder.glob('grant *')))}"
        giver.done("remote", "grant", str(file), *arguments)
        return file


def stored(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def size_of(files: Mapping[str, bytes]) -> int:
    """Bytes of files."""
    return sum(map(len, files.values()))
